/// Errors on their way to whoever observes them. Only the owner of the store's turn touches it.
struct FailureLog {
    /// How many errors are kept for a first observer who has not come yet.
    static let retained = 64

    private let broadcast: Broadcast<StoreFailure>
    private var unobserved: [StoreFailure] = []

    init(broadcast: Broadcast<StoreFailure>) {
        self.broadcast = broadcast
    }

    mutating func report(_ failure: StoreFailure) {
        guard !broadcast.hasSubscribers else { return broadcast.publish(failure) }
        if unobserved.count == Self.retained { unobserved.removeFirst() }
        unobserved.append(failure)
    }

    /// Publishes what happened before anybody observed.
    mutating func flush() {
        for failure in unobserved { broadcast.publish(failure) }
        unobserved = []
    }
}
