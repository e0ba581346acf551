import ActorStore
import Testing

@testable import TestFixtures

@Suite("Effects of many parts", .timeLimit(.minutes(10)))
struct LongEffectTests {
    typealias Action = Ledger.Action

    private let store = Ledger.store()

    @Test("A concatenation of 100,000 effects neither grows the stack nor hangs, with an operation at its end")
    func concatenation() async throws {
        let count = 100_000
        let effect = Effect<Action>.concatenate((0..<count).map { _ in .send(.add(1)) } + [.task { .write("end") }])
        try await store.dispatch(.start(effect)).finish()
        #expect(await store.state == Ledger.State(total: count, note: "end"))
    }

    @Test("A concatenation of 100,000 operations runs each of them, also under operators")
    func work() async throws {
        let count = 100_000
        let step = Effect<Action>.run { send in send(.add(1)) }
        let steps = Effect.concatenate(Array(repeating: step, count: count))
        let effect = steps.map(\.self).priority(.high).catch { _ in nil }
        try await store.dispatch(.start(effect)).finish()
        #expect(await store.state.total == count)
    }

    @Test("100,000 effects appended or prepended one by one do not grow the stack")
    func nested() async throws {
        let count = 100_000
        var appended = Effect<Action>.send(.add(1))
        var prepended = appended
        var merged = appended
        for _ in 1..<count {
            appended = .concatenate(appended, .send(.add(1)))
            prepended = .concatenate(.send(.add(1)), prepended)
            merged = .merge(merged, .send(.add(1)))
        }
        for effect in [appended, prepended, merged] {
            try await store.dispatch(.start(effect.map(\.self).catch { _ in nil })).finish()
        }
        #expect(await store.state.total == 3 * count)
    }

    @Test("A concatenation with appended effects keeps its order")
    func order() async throws {
        let count = 5_000
        var effect = Effect<Action>.none
        for number in 0..<count { effect = .concatenate(effect, .send(.enter(0, number))) }
        try await store.dispatch(.start(effect)).finish()
        #expect(await store.state.entries.map(\.number) == Array(0..<count))
    }

    @Test("A merge of 10,000 effects runs all of them, and can be cancelled as a whole")
    func merge() async throws {
        let count = 10_000
        let effect = Effect<Action>.merge((0..<count).map { number in .task { .add(1) } })
        try await store.dispatch(.start(effect)).finish()
        #expect(await store.state.total == count)
        let waiting = Effect<Action>.merge((0..<count).map { _ in .run { _ in await untilCancelled() } })
        let task = try await store.dispatch(.start(waiting))
        #expect(store.statistics.runningEffects == count)
        task.cancel()
        try await task.finish()
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("A cancelled concatenation of 100,000 ends at once")
    func cancelled() async throws {
        let step = Effect<Action>.run { _ in await untilCancelled() }
        let task = try await store.dispatch(.start(.concatenate(Array(repeating: step, count: 100_000))))
        task.cancel()
        try await task.finish()
        #expect(store.statistics.runningEffects == 0)
    }
}
