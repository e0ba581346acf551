import ActorStore
import ActorStoreFoundation
import ActorStorePersistence
import Foundation

/// Counts for each of many writers, notices what comes twice or out of order, and keeps what has still to be done.
struct Tally: Reducer {
    struct State: Codable, Sendable, Equatable {
        /// The newest number of each writer.
        var newest: [String: Int] = [:]
        /// Actions that did not come right after the one before, or were for what was done already.
        var disorders: [String] = []
        /// How many actions there were, and what tells these from all others.
        var point = StatePoint()
        /// What has to be done.
        var owed: [String: Int] = [:]
        /// What has to be done at a time.
        var reminders: [String: WallClock.Instant] = [:]

        init() {}

        /// Whether all has been done.
        var isSettled: Bool { owed.isEmpty && reminders.isEmpty }

        /// The state as text, the same for the same state.
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
        /// What was owed has been done.
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

/// The next action of a writer. Answers with where it was reduced.
struct Count: Request, Codable, Equatable {
    static let casePath = CasePath(embed: Tally.Action.count) { if case .count(let count) = $0 { count } else { nil } }

    let writer: String
    let number: Int
    /// Whether something has to be done for it.
    var isOwing = false
    /// When something has to be done for it.
    var reminder: WallClock.Instant?

    /// Names what has to be done.
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

/// How many actions a state is made of, and a digest of all of them in their order.
struct StatePoint: Codable, Sendable, Hashable {
    private(set) var revision: UInt64
    private(set) var digest: UInt64

    init(revision: UInt64 = 0, digest: UInt64 = 0xCBF2_9CE4_8422_2325) {
        self.revision = revision
        self.digest = digest
    }

    /// Goes on behind an action.
    mutating func advance(by text: String) {
        revision += 1
        for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        digest = (digest ^ revision) &* 0x100_0000_01B3
    }
}
