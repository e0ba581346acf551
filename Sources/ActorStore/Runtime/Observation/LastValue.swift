/// The value that an observer or a rule was told last.
@usableFromInline
package final class LastValue<Value: Sendable>: @unchecked Sendable {
    // Sound: it belongs to one closure, which is called in the store's turn, and so by one thread at a time, each of
    // which sees what the one before has written.
    private var value: Value?
    private let deferred: DeferredWorkList

    /// - Parameter deferred: That of the tree in whose turns it is touched. Former values are released after these.
    @usableFromInline
    init(retiringTo deferred: DeferredWorkList) {
        self.deferred = deferred
    }

    /// Keeps a value unless it counts as the same as the one before. In the turn.
    ///
    /// - Parameter new: The value, and whether it may differ from the one that was given before it.
    /// - Returns: What is kept now, and whether that is the new value.
    package func replace(
        by new: (value: Value, mayDiffer: Bool),
        unless areSame: (_ old: Value, _ new: Value) -> Bool
    ) -> (value: Value, mayDiffer: Bool) {
        if let value, !new.mayDiffer || areSame(value, new.value) { return (value, false) }
        replace(by: new.value)
        return (new.value, true)
    }

    /// What is kept. In the turn.
    @usableFromInline var kept: Value? { value }

    /// Keeps a value, or none, and returns the one before. In the turn.
    @usableFromInline
    @discardableResult
    package func replace(by new: Value?) -> Value? {
        let former = value
        value = new
        if let former { deferred.retire(former) }
        return former
    }
}
