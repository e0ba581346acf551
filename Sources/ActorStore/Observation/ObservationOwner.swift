/// What an observer observes.
enum ObservedSubject: Sendable {
    /// Something that others can observe, too.
    case shared(GroupKey)
    /// Something that nobody else observes.
    case unshared
    case actions
    case failures
}

/// The store behind an observation, as far as the observation knows it.
protocol ObservationOwner: AnyObject, Sendable {
    /// Has `task` done in a turn.
    func inTurn(_ task: @escaping @Sendable () -> Void)

    /// Takes note that an observer has gone. `group` tells the observers of the subject.
    func leave(_ subject: ObservedSubject, _ group: AnyObject & Sendable)
}
