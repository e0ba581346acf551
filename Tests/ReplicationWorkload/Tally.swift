import ActorStore
import ActorStoreFoundation
import ActorStorePersistence
import Foundation

/// Counts for each of many writers, detects repeated and disordered actions, and keeps the owed operations.
struct Tally: Reducer {
    struct State: Codable, Sendable, Equatable {
        /// The newest number of each writer.
        var newest: [String: Int] = [:]
        /// Actions that did not directly follow the previous one, or were for finished operations.
        var disorders: [String] = []
        /// The number of actions, and their digest.
        var point = StatePoint()
        /// The owed operations.
        var owed: [String: Int] = [:]
        /// The operations owed at a time.
        var reminders: [String: WallClock.Instant] = [:]

        init() {}

        /// Whether all have been done.
        var isSettled: Bool { owed.isEmpty && reminders.isEmpty }

        /// The state as text, equal for equal states.
        var text: String {
            get throws {
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                return String(decoding: try encoder.encode(self), as: UTF8.self)
            }
        }
    }

    enum Action: Codable, Sendable, Equatable {
        case count(Count)
        /// An owed operation was done.
        case settled(String)
        /// The time of a reminder has come.
        case reminded(String)
    }

    init() {}

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .count(let count): return .answer(count.reduce(into: &state))
        case .settled(let key):
            state.point.advance(by: "settled \(key)")
            state.owed[key] = nil
        case .reminded(let key):
            state.point.advance(by: "reminded \(key)")
            if state.reminders.removeValue(forKey: key) == nil { state.disorders.append("reminded \(key)") }
        }
        return .none
    }
}

/// The next action of a writer. Responds with the revision of its reduction.
struct Count: Request, Codable, Equatable {
    static let casePath = CasePath(embed: Tally.Action.count) { if case .count(let count) = $0 { count } else { nil } }

    let writer: String
    let number: Int
    /// Whether it owes an operation.
    var isOwing = false
    /// The time of the owed operation.
    var reminder: WallClock.Instant?

    /// The identity of an owed operation.
    var key: String { "\(writer)#\(number)" }

    func reduce(into state: inout Tally.State) -> StatePoint {
        let last = state.newest[writer, default: 0]
        if number != last + 1 { state.disorders.append("\(key) behind \(last)") }
        state.newest[writer] = number
        if isOwing { state.owed[key] = number }
        if let reminder { state.reminders[key] = reminder }
        state.point.advance(by: key)
        return state.point
    }
}

/// The number of actions in a state, and a digest of all of them in order.
struct StatePoint: Codable, Sendable, Hashable {
    private(set) var revision: UInt64
    private(set) var digest: UInt64

    init(revision: UInt64 = 0, digest: UInt64 = 0xCBF2_9CE4_8422_2325) {
        self.revision = revision
        self.digest = digest
    }

    /// Adds an action.
    mutating func advance(by text: String) {
        revision += 1
        for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        digest = (digest ^ revision) &* 0x100_0000_01B3
    }
}
