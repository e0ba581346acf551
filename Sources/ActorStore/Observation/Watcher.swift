/// How a store tells one group of observers after each turn: a closure that looks at the state and does the rest.
///
/// It is a closure made where the types are known, and not a method of a generic class, because the latter is compiled
/// without that knowledge and costs 50 times as much.
@usableFromInline
struct Watcher<State> {
    @usableFromInline let group: any ObservedGroup
    /// Tells, before anything is called, whether the part can have changed.
    @usableFromInline let filter: PartFilter
    /// Gives the group its first value.
    @usableFromInline let start: (UnsafePointer<State>) -> Void
    /// Looks at the state, which is at rest, and tells the group if its part has changed.
    @usableFromInline let check: (UnsafePointer<State>) -> Void
    /// Ends the observations of the group.
    @usableFromInline let finish: () -> Void

    @inlinable
    init<Element>(
        group: Broadcast<Element>,
        filter: PartFilter,
        start: @escaping (UnsafePointer<State>) -> Void,
        check: @escaping (UnsafePointer<State>) -> Void
    ) {
        self.group = group
        self.filter = filter
        self.start = start
        self.check = check
        finish = { group.finish() }
    }

    /// For one that needs no first value.
    @inlinable
    init(
        group: any ObservedGroup,
        filter: PartFilter,
        check: @escaping (UnsafePointer<State>) -> Void,
        finish: @escaping () -> Void
    ) {
        self.group = group
        self.filter = filter
        self.check = check
        self.finish = finish
        start = { _ in }
    }
}
