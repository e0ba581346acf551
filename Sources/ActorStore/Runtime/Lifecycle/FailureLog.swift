/// Errors on their way to whoever observes them. Only the owner of the store's turn touches it.
///
/// None is lost: what no observer gets, because there is none and too many happen or the store is released, goes to the
/// ``StoreIssueReporter``.
struct FailureLog {
    /// How many errors are kept for a first observer who has not come yet.
    static let retained = 64

    private(set) var broadcast: Broadcast<StoreFailure>?
    private var unobserved: [StoreFailure] = []
    /// Whether unobserved errors retain their actions.
    private var keepsActions = true
    /// Called with each error in the turn. It counts as an observer.
    private var follower: ((StoreFailure) -> Void)?
    /// How many there were.
    private(set) var count = 0

    /// - Returns: An older error for which there is no room any more, and which is to be reported as an issue.
    mutating func report(_ failure: StoreFailure) -> StoreFailure? {
        count += 1
        follower?(failure)
        if let broadcast, broadcast.hasSubscribers {
            broadcast.publish(failure)
            return nil
        }
        if follower != nil { return nil }
        unobserved.append(keepsActions ? failure : failure.withoutAction)
        return unobserved.count > Self.retained ? unobserved.removeFirst() : nil
    }

    /// Publishes what happened before anybody observed, and from now on what happens.
    mutating func flush(to broadcast: Broadcast<StoreFailure>) {
        self.broadcast = broadcast
        // The observer may have been cancelled before its turn came.
        guard broadcast.hasMembers else { return }
        for failure in unobserved { broadcast.publish(failure) }
        unobserved = []
    }

    /// Registers a closure for later errors, which is called in the turn in which an error is reported.
    mutating func follow(_ follower: @escaping (StoreFailure) -> Void) { self.follower = follower }

    /// Removes the actions of unobserved errors, now and from now on.
    ///
    /// - Returns: The errors with their actions, for the caller to release.
    mutating func removeActions() -> [StoreFailure] {
        keepsActions = false
        defer { unobserved = unobserved.map(\.withoutAction) }
        return unobserved
    }

    /// Hands over what nobody can observe any more.
    func reportUnobserved() {
        for failure in unobserved { failure.reportAsIssue() }
    }
}

extension StoreFailure {
    /// Reports an error that nobody else hears of.
    func reportAsIssue() {
        let message = "\(self) (Nobody observes the errors of this store; see Store.errors.)"
        StoreIssueReporter.current.report(ReportedIssue(message: message, location: location))
    }

    /// The place that is to blame, or as near to it as is known.
    private var location: CodeLocation {
        switch origin {
        case .effect(_, let source), .reducer(let source): source
        case .interceptor, .loading: CodeLocation(fileID: #fileID, line: #line)
        }
    }
}
