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

extension ObservedSubject: CustomStringConvertible {
    var description: String {
        switch self {
        case .shared(.part(let keyPath)): "\(keyPath)"
        case .shared(.entry(let keyPath, let key)): "\(keyPath)[\(key.value)]"
        case .shared(.selector): "a selector"
        case .unshared: "a part, with a notion of change of its own"
        case .actions: "actions"
        case .failures: "errors"
        }
    }
}
