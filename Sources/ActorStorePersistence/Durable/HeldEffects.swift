import ActorStore

/// The effects that wait until their action is settled: a plain value.
struct HeldEffects<Action: Sendable>: Sendable {
    /// The effect of one action.
    struct Held: Sendable {
        let number: UInt64
        let action: Action
        let effect: Effect<Action>
        /// Counts the effect for the task of the dispatch.
        let hold: EffectHold?
        /// Settled when the effect has started, or will not start. Until then, a task of the store waits for it, so
        /// that a shutdown waits as well.
        let beginning: Promise<Void>
    }

    /// In the order of their numbers.
    private var held: [Held] = []

    var isEmpty: Bool { held.isEmpty }

    mutating func append(_ new: Held) { held.append(new) }

    /// Removes and returns the effects whose actions are settled.
    mutating func take(through number: UInt64) -> [Held] {
        let index = held.firstIndex { $0.number > number } ?? held.endIndex
        defer { held.removeFirst(index) }
        return Array(held[..<index])
    }

    /// Removes and returns the effect whose waiting task was cancelled.
    mutating func remove(_ number: UInt64) -> Held? {
        guard let index = held.firstIndex(where: { $0.number == number }) else { return nil }
        return held.remove(at: index)
    }
}
