import ActorStore
import ActorStorePersistence

extension Stock {
    typealias Replicated = ReplicatedStore<State, Action>

    /// Opens a replica of the stock, which has caught up with the others when this returns.
    ///
    /// An open replica reconnects by itself. Opening one fails while the server is away, so this retries until it is
    /// back.
    ///
    /// - Parameters:
    ///   - log: The log shared by all replicas.
    ///   - name: The name of the replica.
    /// - Throws: An `ActionLogError` if the server is there, but the replica cannot be opened; a `CancellationError`.
    static func join(through log: any ActionLog, name: String) async throws -> Replicated {
        while true {
            do throws(ActionLogError) {
                return try await Store.replicated(
                    through: log,
                    initialState: State(),
                    reducer: Stock(),
                    configuration: StoreConfiguration(name: "stock"),
                    // Far more snapshots than a service needs, so that a kill can hit the creation of one.
                    replication: ReplicationConfiguration(name: name, snapshots: SnapshotInterval(actions: 500))
                )
            } catch {
                guard error.isTransient else { throw error }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

extension ReplicatedStore<Stock.State, Stock.Action> {
    /// Returns the stock's decision about an order, now or at an earlier question.
    ///
    /// While the server is away this waits.
    func decide(_ order: Order) async throws -> Outcome {
        try await dispatch(.reserve(order))
        guard let reservation = snapshot.reservations[order.id] else { throw DeskError.undecided(order.id) }
        return reservation.outcome
    }
}
