/// An observer of a store, as it is at one moment; what `ActorStoreInstruments` shows of it.
@usableFromInline
package struct ObserverRecord: Sendable {
    /// Whether a closure is called in the store's turn; otherwise a task takes elements from a sequence.
    package let isClosure: Bool
    package let subject: String
    package let source: CodeLocation?
    package let since: UInt64
    package let delivered: Int
    package let pending: Int
    package let dropped: Int
}
