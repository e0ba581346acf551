import ActorStore
import ActorStorePersistence

/// An engine of logs, with a server if it needs one.
protocol DurableEngine: Sendable {
    init(_ syncTime: SyncTime) throws

    /// A log that is not used yet.
    func makeLog() throws -> any ActionLog

    /// Has the engine do what it does now and then by itself, and which takes its disk: nothing if it does no such thing.
    func checkpoint() throws
}

/// What stands beside a durable store: inserts with the engine's own client library, of the same bytes, that are on the
/// disk when they return.
protocol PlainInserts: Sendable {
    associatedtype Engine: DurableEngine

    init(on engine: Engine) throws

    /// Inserts so many rows, so many of them at a time, each of which groups becomes durable as a whole.
    func insert(_ count: Int, atOnce: Int) throws

    /// Reads all rows, in their order.
    func readAll(_ body: (UnsafeRawBufferPointer) throws -> Void) throws
}

extension ActionLog {
    /// A durable store of bookings.
    func openLedger(
        _ durability: DurabilityConfiguration = DurabilityConfiguration()
    ) async throws -> DurableStore<Ledger, Booking> {
        try await Store.durable(
            in: self,
            initialState: Ledger(),
            durability: durability
        ) { (ledger: inout Ledger, booking: Booking) in ledger.book(booking) }
    }
}
