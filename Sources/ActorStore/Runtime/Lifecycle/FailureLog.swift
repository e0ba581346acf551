/// Passes errors on to their observers. Accessed only by the owner of the store's turn.
///
/// No error is lost: errors that no observer receives, because too many happen before the first observer comes or
/// because the store is released, go to the ``StoreIssueReporter``.
struct FailureLog {
    /// The number of errors that are kept for a first observer.
    static let retained = 64

    private(set) var broadcast: Broadcast<StoreFailure>?
    private var unobserved: [StoreFailure] = []
    /// Whether unobserved errors retain their actions.
    private var keepsActions = true
    /// Called within the turn with each error. It counts as an observer.
    private var follower: ((StoreFailure) -> Void)?
    /// The number of errors so far.
    private(set) var count = 0

    /// Records an error.
    ///
    /// - Returns: An older error for which there is no more room, to be reported as an issue.
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

    /// Publishes the errors that happened before the first observer came, and from now on each new one.
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

    /// Reports the errors that can no longer be observed.
    func reportUnobserved() {
        for failure in unobserved { failure.reportAsIssue() }
    }
}

extension StoreFailure {
    /// Reports an error that has no observer.
    func reportAsIssue() {
        let message = "\(self) (The errors of this store have no observer; see Store.errors.)"
        StoreIssueReporter.current.report(ReportedIssue(message: message, location: location))
    }

    /// The location of the cause, or the nearest known one.
    private var location: CodeLocation {
        switch origin {
        case .effect(_, let source), .reducer(let source): source
        case .interceptor, .loading: CodeLocation(fileID: #fileID, line: #line)
        }
    }
}
