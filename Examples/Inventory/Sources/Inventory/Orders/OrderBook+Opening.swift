import ActorStore
import ActorStorePersistence
import ActorStoreSQLite

extension OrderBook {
    typealias Durable = DurableStore<State, Action>

    /// Opens the order book that is kept in a file, as it was when the last one ended, in whatever way.
    ///
    /// - Parameter decide: Asks the stock.
    static func open(
        at path: String,
        decide: @escaping @Sendable (Order) async throws -> Outcome
    ) async throws(ActionLogError) -> Durable {
        try await Store.durable(
            in: SQLiteLog(at: path),
            initialState: State(),
            reducer: OrderBook(decide: decide),
            configuration: StoreConfiguration(name: "orders"),
            // Far more often than a service needs it, so that a kill can hit the making of a snapshot.
            durability: DurabilityConfiguration(level: .everyAction, snapshots: SnapshotInterval(actions: 200))
        )
    }
}
