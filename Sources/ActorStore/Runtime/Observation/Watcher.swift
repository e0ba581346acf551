/// How one group of observers is told after each turn: a closure that looks at the state and does the rest.
///
/// It is a closure made where the types are known, and not a method of a generic class, because the latter is compiled
/// without that knowledge and costs 50 times as much.
@usableFromInline
struct Watcher {
    @usableFromInline let group: any ObservedGroup
    /// Tells, before anything is called, whether the part can have changed.
    @usableFromInline let filter: PartFilter
    /// Gives the group its first value. Like ``check``, it is called with the address of the state that the watcher was
    /// made for, which is at rest.
    @usableFromInline let start: (UnsafeRawPointer) -> Void
    /// Looks at the state, and tells the group if its part has changed.
    @usableFromInline let check: (UnsafeRawPointer) -> Void
    /// Ends the observations of the group.
    @usableFromInline let finish: () -> Void

    @inlinable
    init(
        group: any ObservedGroup,
        filter: PartFilter,
        start: @escaping (UnsafeRawPointer) -> Void,
        check: @escaping (UnsafeRawPointer) -> Void,
        finish: @escaping () -> Void
    ) {
        self.group = group
        self.filter = filter
        self.start = start
        self.check = check
        self.finish = finish
    }

    @inlinable
    init<Element>(
        group: Broadcast<Element>,
        filter: PartFilter,
        start: @escaping (UnsafeRawPointer) -> Void,
        check: @escaping (UnsafeRawPointer) -> Void
    ) {
        self.init(group: group, filter: filter, start: start, check: check, finish: { group.finish() })
    }

    /// The same for a state that begins `offset` bytes into the one that it will be called with.
    func shifted(by offset: Int) -> Watcher {
        guard offset != 0 else { return self }
        return Watcher(
            group: group,
            filter: filter.shifted(by: offset),
            start: { [start] in start($0 + offset) },
            check: { [check] in check($0 + offset) },
            finish: finish
        )
    }
}
