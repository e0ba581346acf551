/// Describes what to observe: a part of a state, its notion of equality, and the first and last value to deliver.
///
/// ```swift
/// store.observe(.part(\.price, removeDuplicates: .by(\.cents))) { price in … }
/// store.observe(.changes(of: \.level)) { change in print(change.old, "->", change.new) }
/// store.values(of: .entry(of: \.flights, key: id).replay(.none))
/// store.values(of: .selecting { state in state.total / state.count }, buffering: .unbounded)
/// ```
///
/// Passing a key path, as in `store.observe(\.price)`, is shorthand for ``part(_:)``. The same value works for
/// closures, sequences and actors, and with every store of the state's type.
public struct Observed<State: Sendable, Value: Sendable>: Sendable {
    // The closures are created in inlinable code, where the types are known, because they run after each turn.

    /// Identifies the group of observers that share one comparison; nil if the observation is not shared.
    @usableFromInline var part: ObservedPart?
    /// The subject, for diagnostics.
    @usableFromInline let subject: ObservedSubject
    /// The bytes of the state that it compares.
    @usableFromInline let byteRange: ByteRange
    /// Whether two values are equal to an observer, which receives only the first of them; nil if no two values are.
    @usableFromInline let areEqual: (@Sendable (Value, Value) -> Bool)?
    /// Starts publishing changes to a group. Called within the turn, with the location of the state and its tree.
    @usableFromInline var watch: @Sendable (_ group: Broadcast<Value>, _ place: StateLocation, _ root: TreeRoot) -> Void
    /// Updates a group that is already watched to the current value, if the value is not stored as it is.
    @usableFromInline var refresh: (@Sendable (_ group: Broadcast<Value>, _ place: StateLocation) -> Void)?
    /// Starts publishing changes to a group that is not shared, where ``watch`` requires a shared one.
    @usableFromInline var watchAlone:
        (@Sendable (_ group: Broadcast<Value>, _ place: StateLocation, _ root: TreeRoot) -> Void)?
    /// Whether the current value is delivered first.
    @usableFromInline var replay = Replay.current
    /// Returns whether a value is the last one; nil if the observation has no last value.
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

    /// Creates a description of a value that is computed from the whole state.
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
    /// Returns a description that delivers the current value first, or only later changes.
    ///
    /// - Parameter replay: Whether the current value is delivered when an observation starts. The default of a
    ///   description is ``Replay/current``.
    /// - Returns: A description of the same value with this replay.
    public func replay(_ replay: Replay) -> Observed {
        var observed = self
        observed.replay = replay
        return observed
    }

    /// Returns a description that ends an observation with the first value for which `isLast` returns `true`,
    /// inclusive.
    ///
    /// ```swift
    /// store.observe(.part(\.progress).until { $0 == 1 }) { progress in bar.show(progress) }
    /// ```
    ///
    /// The first delivered value can also be the last one. The observation ends at the matching value even if the
    /// buffering policy drops others, and its comparison is not shared with other observations. If `until(_:)` is
    /// applied twice, either condition ends the observation.
    ///
    /// - Parameter isLast: A condition, evaluated within the store's turn after each delivery. It must not block.
    /// - Returns: A description of the same value that ends at `isLast`.
    public func until(_ isLast: @escaping @Sendable (_ value: Value) -> Bool) -> Observed {
        var observed = self
        observed.part = nil
        observed.refresh = nil
        if let watchAlone {
            observed.watch = watchAlone
            observed.watchAlone = nil
        }
        let former = self.isLast
        observed.isLast = { value in former?(value) == true || isLast(value) }
        return observed
    }
}

/// A value that is computed from parts of a state, and computed again only when one of these parts has changed.
///
/// ```swift
/// let visible = StateSelector(\Shop.State.items, \.query) { items, query in items.filter { $0.matches(query) } }
/// for await items in store.values(of: .selector(visible)) { show(items) }
/// ```
///
/// All observers of one selector share one computation in each store. A part has changed if its `==` returns `false`.
///
/// Each selector has its own identity, so two selectors with the same inputs share nothing: create one, and pass it
/// around. For a cheap computation, ``Observed/selecting(_:)`` is enough. (The idea comes from Redux's reselect.)
public struct StateSelector<State: Sendable, Value: Equatable & Sendable>: Sendable {
    @usableFromInline let identity = SelectorIdentity()
    /// Returns a function that computes the value, or returns nil if no input has changed since its last call.
    @usableFromInline let makeEvaluation: @Sendable () -> (UnsafePointer<State>) -> Value?

    /// Creates a selector.
    ///
    /// - Parameters:
    ///   - inputs: The parts of the state that the value depends on. It must depend on nothing else.
    ///   - compute: A closure that computes the value within the store's turn. It must not block.
    @inlinable
    public init<each Input: Equatable & Sendable>(
        _ inputs: repeat KeyPath<State, each Input> & Sendable,
        compute: @escaping @Sendable (repeat each Input) -> Value
    ) {
        let paths = (repeat each inputs)
        makeEvaluation = {
            var last: SelectorInputs<repeat each Input>?
            return { state in
                let inputs = SelectorInputs(repeat state.pointee[keyPath: each paths])
                guard inputs != last else { return nil }
                last = inputs
                return compute(repeat each inputs.values)
            }
        }
    }
}

/// The inputs of a selector at one time.
@usableFromInline
struct SelectorInputs<each Input: Equatable>: Equatable {
    @usableFromInline let values: (repeat each Input)

    @inlinable
    init(_ values: repeat each Input) {
        self.values = (repeat each values)
    }

    @inlinable
    static func == (left: SelectorInputs, right: SelectorInputs) -> Bool {
        for (left, right) in repeat (each left.values, each right.values) {
            if left != right { return false }
        }
        return true
    }
}

/// Identifies a selector.
@usableFromInline
final class SelectorIdentity: Sendable {
    @usableFromInline
    init() {}
}
