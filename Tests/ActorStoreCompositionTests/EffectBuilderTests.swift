import ActorStore
import ActorStoreComposition
import Testing

@testable import TestFixtures

@Suite("Effect builders", .timeLimit(.minutes(10)))
struct EffectBuilderTests {
    typealias Action = Ledger.Action

    private func numbers(_ effect: Effect<Action>) async throws -> [Int] {
        let store = Ledger.store()
        try await store.dispatch(.start(effect)).finish()
        return await store.state.entries.map(\.number)
    }

    private func work(_ number: Int) -> Effect<Action> { .task { .enter(0, number) } }

    @Test("A builder accepts conditions, choices and loops, drops nil, and runs the rest in order")
    func builder() async throws {
        func effect(_ isUrgent: Bool, _ kind: Int, _ last: Effect<Action>?) -> Effect<Action> {
            Effect {
                work(0)
                if isUrgent { work(1) }
                if kind == 1 {
                    work(2)
                } else {
                    work(3)
                }
                switch kind {
                case 1: work(4)
                default: Effect.none
                }
                for number in 5..<8 {
                    work(number)
                    if number == 7 { Effect.send(.enter(0, 8)) }
                }
                [work(9), work(10)]
                Effect {
                    work(11)
                    last
                }
                last
            }
        }
        #expect(try await numbers(effect(true, 1, work(12))) == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12])
        #expect(try await numbers(effect(false, 2, nil)) == [0, 3, 5, 6, 7, 8, 9, 10, 11])
    }

    @Test("An empty builder creates no effect")
    func nothing() {
        let isWanted = false
        let missing: Effect<Action>? = nil
        #expect(Effect<Action> {}.isNone)
        #expect(Effect<Action>.merge { if isWanted { .send(.add(1)) } }.isNone)
        #expect(
            Effect<Action>.concatenate {
                missing
                Effect.none
                for _ in 0..<0 { work(1) }
                [missing, nil]
            }.isNone
        )
    }

    @Test("merge with a builder runs its parts concurrently, concatenate in sequence")
    func merge() async throws {
        let store = Ledger.store()
        let first = Signal()
        let second = Signal()
        // Each waits for the other, so in sequence they would never end.
        let effect = Effect<Action>.merge {
            Effect.fireAndForget {
                first.fire()
                await second.wait()
            }
            Effect.fireAndForget {
                second.fire()
                await first.wait()
            }
        }
        try await store.dispatch(.start(effect)).finish()
        let inOrder = Effect<Action>.concatenate { for number in 0..<20 { work(number) } }
        #expect(try await numbers(inOrder) == Array(0..<20))
    }
}
