import ActorStore
import Synchronization

/// Tells one presentation of a child from all others of this process.
///
/// It is compared only with what stood in the same place before an action, and is no part of what a state is equal by,
/// or encoded as; so a reducer stays a function of the state and the action.
@usableFromInline
struct Presentation: Equatable, Sendable {
    private let number: UInt64

    init() { number = Self.last.wrappingAddRelaxed(1).newValue }

    private static let last = AtomicValue<UInt64>(0)
}
