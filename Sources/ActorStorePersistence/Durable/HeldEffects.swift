import ActorStore

/// Effects that wait for their action to be settled: a plain value.
struct HeldEffects<Action: Sendable>: Sendable {
    /// The effect of one action.
    struct Held: Sendable {
        let number: UInt64
        let action: Action
        let effect: Effect<Action>
        /// What counts the effect for the dispatcher of the action.
        let hold: EffectHold?
        /// Settled when the effect has begun, or never will. Until then a task of the store waits for it, so that a
        /// shutdown of the store does.
        let beginning: Promise<Void>
    }

    /// In the order of their numbers.
    private var held: [Held] = []

    var isEmpty: Bool { held.isEmpty }

    mutating func append(_ new: Held) { held.append(new) }

    /// Takes those out whose actions are settled.
    mutating func take(through number: UInt64) -> [Held] {
        let index = held.firstIndex { $0.number > number } ?? held.endIndex
        defer { held.removeFirst(index) }
        return Array(held[..<index])
    }

    /// Takes one out, because whoever waited for it was cancelled.
    mutating func remove(_ number: UInt64) -> Held? {
        guard let index = held.firstIndex(where: { $0.number == number }) else { return nil }
        return held.remove(at: index)
    }
}
