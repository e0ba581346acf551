import Synchronization

/// Tells one child that was pushed, or one removal of children, from all others of this process.
///
/// A stack's identities cannot do that: they are counted by the stack, so that an action means the same child in each
/// replay, and two copies of a stack give the same ones. Stamps are compared within one run of the process only, and are
/// no part of what a stack is equal by, or encoded as; so a reducer stays a function of the state and the action.
@usableFromInline
struct StackStamp: Hashable, Comparable, Sendable {
    private let number: UInt64

    /// A stamp that is greater than all before it.
    @usableFromInline
    init() { number = Self.last.wrappingAddRelaxed(1).newValue }

    private static let last = AtomicValue<UInt64>(0)

    @usableFromInline
    static func < (left: StackStamp, right: StackStamp) -> Bool { left.number < right.number }
}
