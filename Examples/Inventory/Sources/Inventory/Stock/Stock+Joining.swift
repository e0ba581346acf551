import ActorStore
import ActorStoreReplication

extension Stock {
    typealias Replicated = ReplicatedStore<State, Action>

    /// Has a replica of the stock, which has caught up with the others when this returns.
    ///
    /// A replica that has joined finds the server again by itself; one that joins says that there is none. So this
    /// tries again until there is one.
    ///
    /// - Parameter name: Names the replica.
    /// - Throws: `ReplicationError` if the server is there, but no replica can be had; `CancellationError`.
    static func join(port: Int, name: String) async throws -> Replicated {
        while true {
            do throws(ReplicationError) {
                return try await Store.replicated(
                    through: RedisServer(address: .host("127.0.0.1", port: port), timeout: .seconds(2)),
                    stream: "stock",
                    initialState: State(),
                    reducer: Stock(),
                    configuration: StoreConfiguration(name: "stock"),
                    // Far more snapshots than a service needs, so that a kill can hit the making of one.
                    replication: ReplicationConfiguration(name: name, whileDisconnected: .buffer, snapshotInterval: 500)
                )
            } catch {
                guard case .unreachable = error.cause else { throw error }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

extension ReplicatedStore<Stock.State, Stock.Action> {
    /// Has the stock decide about an order, now or when it was asked before.
    ///
    /// While the server is away this waits.
    func decide(_ order: Order) async throws -> Outcome {
        try await dispatch(.reserve(order))
        guard let reservation = snapshot.reservations[order.id] else { throw DeskError.undecided(order.id) }
        return reservation.outcome
    }
}
