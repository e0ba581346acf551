/// What an observer follows of a state: a part of it, what counts as a change of that, and where it begins and ends.
///
/// ```swift
/// store.observe(.part(\.price, removeDuplicates: .by(\.cents))) { price in … }
/// store.observe(.changes(of: \.level)) { change in print(change.old, "->", change.new) }
/// store.values(of: .entry(of: \.flights, key: id).replay(.none))
/// store.values(of: .selecting { state in state.total / state.count }, buffering: .unbounded)
/// ```
///
/// A key path alone, as in `store.observe(\.price)`, is the same as ``part(_:)``. What is observed says nothing of who
/// observes it: the same value is good for closures, for sequences and for any store of the state's type.
public struct Observed<State: Sendable, Value: Sendable>: Sendable {
    // Its closures are made in inlinable code, where the types are known, because they run after each turn.

    /// By what others find the group of those who observe the same; nil if nobody shares it.
    @usableFromInline var part: ObservedPart?
    /// For diagnostics.
    @usableFromInline let subject: ObservedSubject
    /// Which bytes of the state it looks at.
    @usableFromInline let byteRange: ByteRange
    /// Whether two values are the same to an observer, who gets only one of them then; nil if none ever are.
    @usableFromInline let areEqual: (@Sendable (Value, Value) -> Bool)?
    /// Has a group told of changes from now on. In the turn; it is given the place where the state is, and the tree.
    @usableFromInline var watch: @Sendable (_ group: Broadcast<Value>, _ place: StateLocation, _ root: TreeRoot) -> Void
    /// Gives a group that is watched already the value of now; for the entries of a stored table only.
    @usableFromInline var refresh: (@Sendable (_ group: Broadcast<Value>, _ place: StateLocation) -> Void)?
    /// Has a group told that nobody else shares, if ``watch`` cannot.
    @usableFromInline var watchAlone: (@Sendable (_ group: Broadcast<Value>, _ place: StateLocation) -> Void)?
    /// What an observer gets first.
    @usableFromInline var replay = Replay.current
    /// Whether a value is the last one; nil if none is.
    @usableFromInline var isLast: (@Sendable (Value) -> Bool)?

    @inlinable
    init(
        part: ObservedPart?,
        subject: ObservedSubject,
        byteRange: ByteRange,
        areEqual: (@Sendable (Value, Value) -> Bool)?,
        watch: @escaping @Sendable (_ group: Broadcast<Value>, _ place: StateLocation, _ root: TreeRoot) -> Void
    ) {
        self.part = part
        self.subject = subject
        self.byteRange = byteRange
        self.areEqual = areEqual
        self.watch = watch
    }

    /// For something that needs the whole state to be found.
    @inlinable
    init(
        part: ObservedPart?,
        subject: ObservedSubject,
        areEqual: (@Sendable (Value, Value) -> Bool)?,
        start: @escaping @Sendable (_ group: Broadcast<Value>, _ state: UnsafePointer<State>) -> Void,
        check: @escaping @Sendable (_ group: Broadcast<Value>, _ state: UnsafePointer<State>) -> Void
    ) {
        self.init(
            part: part,
            subject: subject,
            byteRange: ByteRange(offset: 0, size: MemoryLayout<State>.size),
            areEqual: areEqual
        ) { group, place, _ in
            place.watch(group, start: start, check: check)
        }
    }
}

extension Observed {
    /// The same, for observers who begin with what the replay says.
    ///
    /// - Parameter replay: What they get first: by default the value at the moment at which they begin.
    public func replay(_ replay: Replay) -> Observed {
        var observed = self
        observed.replay = replay
        return observed
    }

    /// The same up to the first value of which a condition is true, which is the last to be told.
    ///
    /// ```swift
    /// store.observe(.part(\.progress).until { $0 == 1 }) { progress in bar.show(progress) }
    /// ```
    ///
    /// The first value that an observer gets can be the last one, too. A value that counts is told whatever the
    /// observer's buffer is; one that is no longer told, because the observation is over, ends nothing. Such an
    /// observation shares its comparison with no other.
    ///
    /// - Parameter isLast: It runs in the store's turn, so that it must not block.
    public func until(_ isLast: @escaping @Sendable (_ value: Value) -> Bool) -> Observed {
        var observed = self
        observed.part = nil
        observed.refresh = nil
        if let watchAlone {
            observed.watch = { group, place, _ in watchAlone(group, place) }
            observed.watchAlone = nil
        }
        let former = self.isLast
        observed.isLast = { value in former?(value) == true || isLast(value) }
        return observed
    }
}
