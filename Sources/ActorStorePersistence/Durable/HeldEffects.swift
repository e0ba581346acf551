import ActorStore

/// The effects that wait until their action is settled: a plain value.
struct HeldEffects<Action: Sendable>: Sendable {
    /// The effect of one action.
    struct Held: Sendable {
        let number: UInt64
        let start: DeferredEffect<Action>
        /// Settled when the effect has started, or will not start. Until then, a task of the store waits for it, so
        /// that a shutdown waits as well. Nil for cancellations, for which nothing waits.
        let beginning: Promise<Void>?
    }

    private var held = OrderedWaiters<Held>()
    /// The numbers of the last effect that was held, and of the last one that has started.
    private var (last, begun): (UInt64, UInt64) = (0, 0)

    /// Whether an earlier effect has not started yet.
    var isPending: Bool { last > begun }

    /// Adds an effect. Of one action, the cancellations are first.
    mutating func append(_ new: Held) {
        held.add(new, for: new.number, Self.identity(new.number, isWork: new.beginning != nil))
        last = new.number
    }

    /// Removes and returns the effects whose actions are settled.
    mutating func take(through number: UInt64) -> [Held] { held.take(through: number) }

    /// Records that the effects up to a number have started.
    mutating func noteBegun(through number: UInt64) { begun = max(begun, number) }

    /// Removes and returns the effect whose waiting task was cancelled.
    ///
    /// - Complexity: O(log *n*) on average, where *n* is the number of effects: all of them can be cancelled at once.
    mutating func remove(_ number: UInt64) -> Held? {
        held.remove(Self.identity(number, isWork: true), for: number)
    }

    private static func identity(_ number: UInt64, isWork: Bool) -> UInt64 { 2 * number + (isWork ? 1 : 0) }
}

/// Calls a closure when it is released without having been used.
///
/// A task that is cancelled before it begins releases its body, and runs no cancellation handler.
final class UnusedNote: Sendable {
    private let whenUnused: @Sendable () -> Void
    private let isUsed = LockedValue(false)

    init(_ whenUnused: @escaping @Sendable () -> Void) { self.whenUnused = whenUnused }

    deinit { if !isUsed.withLock({ $0 }) { whenUnused() } }

    func use() { isUsed.withLock { $0 = true } }
}
