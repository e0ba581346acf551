import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Computed scopes", .timeLimit(.minutes(10)))
struct DerivedScopeTests {
    struct Step: Sendable { var size = 1 }

    @Test("Cancelling the observers of 4,000 computed scopes takes at most 16 times as long as of 500")
    func cancellingIsLinear() async throws {
        try await expectLinear { count in
            let store = Store(initialState: 0) { (state: inout Int, step: Step) in state += step.size }
            let observations = (0..<count / 2).map { index in
                store.scope { $0 + index }.observe(\.self) { _ in }
            }
            await store.settle()
            return {
                for observation in observations { observation.cancel() }
                await store.settle()
                #expect(store.statistics.observers == 0)
            }
        }
    }

    @Test("Ending 4,000 children, each observing one of them, takes at most 16 times as long as 500")
    func endingIsLinear() async throws {
        try await expectLinear { count in
            let root = Store(initialState: 0) { (state: inout Int, step: Step) in state += step.size }
            let children = (0..<count / 2).map { _ in
                root.child(initialState: 0, reducer: Reduce { (state: inout Int, step: Step) in state += step.size })
            }
            let observations = children.map { child in child.scope { $0.parent + $0.local }.observe(\.self) { _ in } }
            await root.settle()
            return {
                for child in children { await child.shutdown(drain: .cancelEffects) }
                #expect(root.statistics.observers == 0)
                withExtendedLifetime(observations) {}
            }
        }
    }

    @Test("8,000 turns and ends of observers of a deduplicated scope take at most 16 times as long as 1,000")
    func deduplicatedIsLinear() async throws {
        try await expectLinear { count in
            let store = Store(initialState: 0) { (state: inout Int, step: Step) in state += step.size }
            let scope = store.scope(\.self) { $1 - $0 < 2 }
            let told = Collector<Int>()
            let observations = (0..<count / 4).map { _ in scope.observe(\.self) { told.append($0) } }
            return {
                for _ in 0..<4 { try await store.dispatch(Step()) }
                #expect(told.elements.count == count / 4 * 3)
                for observation in observations { observation.cancel() }
                await store.settle()
                #expect(store.statistics.observers == 0)
            }
        }
    }

    @Test("Computed scopes are notified in the order of their creation, also after some have ended")
    func order() async throws {
        let store = Store(initialState: 0) { (state: inout Int, step: Step) in state += step.size }
        let told = Collector<Int>()
        var observations = (0..<100).map { index in
            store.scope { $0 * 100 + index }.observe(\.self) { value in if value >= 100 { told.append(value - 100) } }
        }
        for index in stride(from: 99, through: 0, by: -1) where index % 3 > 0 {
            observations.remove(at: index).cancel()
        }
        observations.append(
            store.scope { $0 * 100 + 99 }.observe(\.self) { value in if value >= 100 { told.append(value) } }
        )
        try await store.dispatch(Step())
        #expect(told.elements == stride(from: 0, to: 100, by: 3) + [199])
    }

    @Test("Computed scopes of a child end with it, in order of creation, and those of others continue")
    func endOfAChild() async throws {
        let root = Store(initialState: 0) { (state: inout Int, step: Step) in state += step.size }
        let ended = Collector<String>()
        let first = root.child(
            initialState: 0,
            reducer: Reduce { (state: inout Int, step: Step) in state += step.size }
        )
        let second = root.child(
            initialState: 0,
            reducer: Reduce { (state: inout Int, step: Step) in state += step.size }
        )
        func follow(_ store: Store<ParentAndChild<Int, Int>, Step>, _ name: String) -> Task<Void, Never> {
            let values = store.scope { $0.local }.values(of: \.self)
            return Task {
                for await _ in values {}
                ended.append(name)
            }
        }
        let tasks = [follow(first, "first"), follow(second, "second")]
        await first.shutdown(drain: .cancelEffects)
        await tasks[0].value
        #expect(ended.elements == ["first"])
        try await second.dispatch(Step())
        await root.shutdown(drain: .cancelEffects)
        await tasks[1].value
        #expect(ended.elements == ["first", "second"])
    }
}
