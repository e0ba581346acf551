/// When two values are the same to an observer, so that it is told only the first of them.
///
/// ```swift
/// store.values(of: \.session, removeDuplicates: .by(\.id))
/// store.values(of: \.price, removeDuplicates: Deduplication { old, new in abs(old - new) < 0.01 })
/// store.values(of: \.count, removeDuplicates: .everyAction)
/// ```
///
/// A value is compared with the last one that was published to this observation, not with the one before the action.
/// An observer that keeps only the newest value is not told of it if it is the same as the one that it was told last. So
/// with a tolerance it can rest on a value that is up to twice the tolerance away from the state; one with a buffer is told
/// each value that was published.
public struct Deduplication<Value: Sendable>: Sendable {
    @usableFromInline let areSame: (@Sendable (Value, Value) -> Bool)?

    /// A notion of one's own.
    ///
    /// - Parameter areSame: runs in the store's turn, so that it must not block; it tells whether the observer need not
    ///   hear of `new`, given that it was told `old`.
    public init(_ areSame: @escaping @Sendable (_ old: Value, _ new: Value) -> Bool) {
        self.areSame = areSame
    }

    private init() { areSame = nil }

    /// Values are the same if a part of them is equal, such as an identifier or a revision.
    public static func by<Part: Equatable & SendableMetatype>(_ keyPath: KeyPath<Value, Part> & Sendable)
        -> Deduplication
    {
        Deduplication { old, new in old[keyPath: keyPath] == new[keyPath: keyPath] }
    }

    /// No values are the same: the observer is told after each action, and once after each batch, whether anything has
    /// changed or not.
    public static var everyAction: Deduplication { Deduplication() }
}

extension Deduplication where Value: Equatable {
    /// Values are the same if they are equal; what ``Store/values(of:buffering:fileID:line:)`` does, only faster.
    public static var equal: Deduplication { Deduplication(==) }
}
