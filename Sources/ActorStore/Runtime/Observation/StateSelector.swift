/// A value that is computed from parts of a state, and computed again only when one of these parts has changed.
///
/// ```swift
/// let visible = StateSelector(\Shop.State.items, \.query) { items, query in items.filter { $0.matches(query) } }
/// for await items in store.values(of: .selector(visible)) { show(items) }
/// ```
///
/// All observers of one selector share one computation for each store. Two selectors that look alike are two: make one,
/// and pass it around. (The idea: reselect, for Redux.)
public struct StateSelector<State: Sendable, Value: Equatable & Sendable>: Sendable {
    @usableFromInline let identity = SelectorIdentity()
    /// Makes a function that gives the value, or nil if no input has changed since it was called last.
    @usableFromInline let makeEvaluation: @Sendable () -> (UnsafePointer<State>) -> Value?

    /// Creates a selector.
    ///
    /// - Parameters:
    ///   - inputs: the parts that the value depends on, and on nothing else.
    ///   - compute: runs in the store's turn, so that it must not block.
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

/// What tells one selector from another.
@usableFromInline
final class SelectorIdentity: Sendable {
    @usableFromInline
    init() {}
}
