import ActorStore
import ActorStorePersistence
import ActorStoreSQLite

extension OrderBook {
    typealias Durable = DurableStore<State, Action>

    /// Opens the order book of a file, as it was when the last process ended, in whatever way.
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
            // Far more often than a service needs, so that a kill can hit the creation of a snapshot.
            durability: DurabilityConfiguration(level: .everyAction, snapshots: SnapshotInterval(actions: 200))
        )
    }
}
