/// The last value that an observer or a rule received.
@usableFromInline
package final class LastValue<Value: Sendable>: @unchecked Sendable {
    // Sound: it belongs to one closure, which is called in the store's turn: by one thread at a time, each of which
    // sees the writes of the one before.
    private var value: Value?
    private let deferred: DeferredWorkList

    /// - Parameter deferred: The deferred work of the tree whose turns use this. Former values are released after those
    ///   turns.
    @usableFromInline
    init(retiringTo deferred: DeferredWorkList) {
        self.deferred = deferred
    }

    /// Keeps a value unless it counts as the same as the one before. Called within the turn.
    ///
    /// - Parameter new: The value, and whether it may differ from the value passed before it.
    /// - Returns: The value that is kept now, and whether that is the new one.
    package func replace(
        by new: (value: Value, mayDiffer: Bool),
        unless areSame: (_ old: Value, _ new: Value) -> Bool
    ) -> (value: Value, mayDiffer: Bool) {
        if let value, !new.mayDiffer || areSame(value, new.value) { return (value, false) }
        replace(by: new.value)
        return (new.value, true)
    }

    /// The kept value. Read within the turn.
    @usableFromInline var kept: Value? { value }

    /// Replaces the kept value, and returns the one before. Called within the turn.
    @usableFromInline
    @discardableResult
    package func replace(by new: Value?) -> Value? {
        let former = value
        value = new
        if let former { deferred.retire(former) }
        return former
    }
}
