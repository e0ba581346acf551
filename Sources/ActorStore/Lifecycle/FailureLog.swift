/// Errors on their way to whoever observes them. Only the owner of the store's turn touches it.
struct FailureLog {
    /// How many errors are kept for a first observer who has not come yet.
    static let retained = 64

    private(set) var broadcast: Broadcast<StoreFailure>?
    private var unobserved: [StoreFailure] = []

    mutating func report(_ failure: StoreFailure) {
        if let broadcast, broadcast.hasSubscribers { return broadcast.publish(failure) }
        if unobserved.count == Self.retained { unobserved.removeFirst() }
        unobserved.append(failure)
    }

    /// Publishes what happened before anybody observed, and from now on what happens.
    mutating func flush(to broadcast: Broadcast<StoreFailure>) {
        self.broadcast = broadcast
        for failure in unobserved { broadcast.publish(failure) }
        unobserved = []
    }
}
