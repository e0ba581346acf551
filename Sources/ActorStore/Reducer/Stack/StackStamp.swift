import Synchronization

/// Tells whether children have gone from a stack, at once, without looking at them.
///
/// Like the identity of a presentation it is compared only with what stood in the same place before an action, and is no
/// part of what a stack is equal by, or encoded as.
@usableFromInline
struct StackLineage: Equatable, Sendable {
    /// Which stack it is, and which are its copies.
    private let origin: UInt64
    private var stamp: UInt64

    @usableFromInline
    init() {
        origin = Self.next()
        stamp = origin
    }

    /// Takes note that children have gone.
    @usableFromInline
    mutating func elementsWent() { stamp = Self.next() }

    func isOfSameStack(as other: StackLineage) -> Bool { origin == other.origin }

    private static let last = AtomicValue<UInt64>(0)

    private static func next() -> UInt64 { last.wrappingAddRelaxed(1).newValue }
}
