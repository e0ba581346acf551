import ActorStore
import ActorStorePersistence

/// An engine of logs, with a server if it needs one.
protocol DurableEngine: Sendable {
    init(_ syncTime: SyncTime) throws

    /// An unused log.
    func makeLog() throws -> any ActionLog

    /// Makes the engine do its occasional maintenance that uses its disk: nothing if it does none.
    func checkpoint() throws

    /// Ends the maintenance that earlier benchmarks have made necessary.
    func settle() throws
}

extension DurableEngine {
    func settle() throws {}
}

/// The baseline of a durable store: inserts of the same bytes with the engine's own client library, which are on the
/// disk when they return.
protocol PlainInserts: Sendable {
    associatedtype Engine: DurableEngine

    init(on engine: Engine) throws

    /// Inserts a number of rows, in groups that each become durable as a whole.
    func insert(_ count: Int, atOnce: Int) throws

    /// Reads all rows in order.
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
