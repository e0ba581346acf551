import ActionLogConformance
import ActorStore
import ActorStorePersistence
import Testing

/// Amounts in the order of their booking.
struct Ledger: Reducer {
    struct State: Codable, Sendable, Equatable { var amounts: [Int] = [] }

    enum Action: Codable, Sendable, Equatable {
        case book(Int)
        /// Informs the outside of it.
        case pay(Int)
        case cancelPayments
        /// Cannot be encoded.
        case secret(Unencodable)
    }

    struct Unencodable: Codable, Sendable, Equatable {
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "Not to be written down."))
        }
    }

    /// The messages of the effects to the outside.
    var outside = Outside()
    /// A release's result of the same actions.
    var factor = 1

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .book(let amount):
            state.amounts.append(amount * factor)
            return .none
        case .pay(let amount):
            state.amounts.append(-amount)
            return .run(id: "payment") { [outside] _ in outside.tell(amount) }
        case .cancelPayments: return .cancel(id: "payment")
        case .secret: return .none
        }
    }
}

final class Outside: Sendable {
    private let told = LockedValue<[Int]>([])

    func tell(_ amount: Int) { told.withLock { $0.append(amount) } }

    var amounts: [Int] { told.withLock { $0 } }
}

typealias LedgerStore = DurableStore<Ledger.State, Ledger.Action>

extension LedgerStore {
    static func open(
        _ log: some ActionLog,
        _ durability: DurabilityConfiguration = DurabilityConfiguration(),
        _ reducer: Ledger = Ledger()
    ) async throws(ActionLogError) -> LedgerStore {
        try await Store.durable(in: log, initialState: Ledger.State(), reducer: reducer, durability: durability)
    }

    func book(_ amounts: some Sequence<Int>) async throws {
        for amount in amounts { try await dispatch(.book(amount)) }
    }

    /// Writes a snapshot after each amount.
    func bookWithSnapshots(_ amounts: some Sequence<Int>) async throws {
        for amount in amounts {
            try await dispatch(.book(amount))
            try await checkpoint()
        }
    }

    @discardableResult
    func end() async -> DurableShutdownReport { await shutdown(drain: .finishEffects, within: .seconds(60)) }
}

/// A log that accepts small entries only.
struct SmallLog: ActionLog {
    private let memory = MemoryLog()
    var name: String { memory.name }
    var largestEntry: Int { 1_000 }

    func connect() throws(ActionLogError) -> any ActionLogConnection { try memory.connect() }
}
