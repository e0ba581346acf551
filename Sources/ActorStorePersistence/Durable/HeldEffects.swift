import ActorStore

/// The effects that wait until their action is settled: a plain value.
struct HeldEffects<Action: Sendable>: Sendable {
    /// The effect of one action.
    struct Held: Sendable {
        let number: UInt64
        var start: DeferredEffect<Action>
        /// Settled when the effect has started, will not start, or was cancelled. Until then, a task of the store waits
        /// for it, so that a shutdown waits as well.
        let beginning: Promise<Void>
    }

    private var held = OrderedWaiters<Held>()
    /// What effects that have not started yet cancel as they start. Running work was cancelled with the reduction of
    /// their actions; these cancel work of earlier actions that has started since.
    private var cancellations: [(number: UInt64, effect: Effect<Action>)] = []

    mutating func append(_ new: Held) {
        held.add(new, for: new.number, new.number)
        let cancellations = new.start.effect.immediateCancellations
        if !cancellations.isNone { self.cancellations.append((new.number, cancellations)) }
    }

    /// Removes and returns the effects whose actions are settled.
    mutating func take(through number: UInt64) -> [Held] { held.take(through: number) }

    /// Returns what the effects after a number cancel, in their order. Those up to the number have started.
    mutating func cancellations(after number: UInt64) -> [Effect<Action>] {
        let end = cancellations.firstIndex { $0.number > number } ?? cancellations.endIndex
        cancellations.removeFirst(end)
        return cancellations.map(\.effect)
    }

    /// Records that the waiting task of an effect was cancelled. The effect keeps its place, because it may cancel work
    /// and send actions.
    ///
    /// - Returns: The effect before, whose waiters no longer wait; nil if it does not wait.
    /// - Complexity: O(log *n*), where *n* is the number of effects: all of them can be cancelled at once.
    mutating func cancel(_ number: UInt64) -> Held? {
        held.update(number, for: number) { held in
            defer { (held.start.isCancelled, held.start.hold) = (true, nil) }
            return held
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
