import ActorStore

/// The effects that wait until their action is settled: a plain value.
struct HeldEffects<Action: Sendable>: Sendable {
    /// The effect of one action.
    struct Held: Sendable {
        let number: UInt64
        let action: Action
        let effect: Effect<Action>
        /// Counts the effect for the task of the dispatch; nil if nothing waits for it, or it was cancelled.
        var hold: EffectHold?
        /// Settled when the effect has started, or will not start. Until then, a task of the store waits for it, so
        /// that a shutdown waits as well.
        let beginning: Promise<Void>
        var cancellation: HeldCancellation
    }

    private var held = OrderedWaiters<Held>()

    mutating func append(_ new: Held) { held.add(new, for: new.number, new.number) }

    /// Removes and returns the effects whose actions are settled.
    mutating func take(through number: UInt64) -> [Held] { held.take(through: number) }

    /// Records that the waiting task of an effect was cancelled. The effect keeps its place, because it may cancel work
    /// and send actions.
    ///
    /// - Returns: The effect before, for which nothing waits any more; nil if it does not wait.
    /// - Complexity: O(log *n*), where *n* is the number of effects: all of them can be cancelled at once.
    mutating func cancel(_ number: UInt64) -> Held? {
        held.update(number, for: number) { held in
            let before = held
            held.cancellation.cancel(held.hold)
            held.hold = nil
            return before
        }
    }
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
