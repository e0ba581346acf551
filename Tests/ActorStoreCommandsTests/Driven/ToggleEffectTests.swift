import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Effects of changes and flags", .timeLimit(.minutes(10)))
struct ToggleEffectTests {
    @Test("An effect of a change gets the values before and after, and is not requested for the first one")
    func onChange() async throws {
        var state = Workshop.State()
        state.sign = "first"
        let (store, asked) = (Workshop.store(state), Collector<String>())
        store.effect(onChange: \.sign) { old, new in
            asked.append("\(old) -> \(new)")
            return .none
        }
        #expect(asked.elements == [])
        try await store.change { $0.sign = "second" }
        try await store.change { $0.sign = "second" }
        try await store.dispatch(.log("other"))
        try await store.change { $0.sign = "third" }
        try await store.change { $0.sign = "second" }
        #expect(asked.elements == ["first -> second", "second -> third", "third -> second"])
    }

    @Test("The next change cancels the effect of the previous one")
    func newestChange() async throws {
        let (store, work) = (Workshop.store(), HeldWork())
        store.effect(onChange: \.sign) { _, new, _ in await work.run(new) }
        try await store.change { $0.sign = "one" }
        await work.waitUntilBegun()
        try await store.change { $0.sign = "two" }
        await work.waitUntilCancelled()
        await work.waitUntilBegun(2)
        #expect(work.begun.elements == ["one", "two"] && work.cancelled.elements == ["one"])
        work.finish("two")
        await until { store.statistics.runningEffects == 0 }
        #expect(work.finished.elements == ["two"])
    }

    @Test("A flag's effect begins when the flag becomes or initially is true, and is cancelled when it becomes false")
    func toggle() async throws {
        var state = Workshop.State()
        state.isOpen = true
        let (store, work, late) = (Workshop.store(state), HeldWork(), Collector<SendOutcome>())
        store.effect(toggle: \.isOpen) { state in
            let sign = state.sign
            return .run { context in
                await work.run(sign)
                late.append(context.send(.log("late")))
            }
        }
        await work.waitUntilBegun()
        try await store.change { $0.sign = "again" }
        #expect(work.begun.elements == [""])
        try await store.change { $0.isOpen = false }
        await work.waitUntilCancelled()
        try await store.change { $0.isOpen = true }
        await work.waitUntilBegun(2)
        #expect(work.begun.elements == ["", "again"])
        try await store.change { $0.isOpen = false }
        await until { late.elements.count == 2 }
        #expect(late.elements == [.dropped, .dropped] && store.snapshot.log == [])
    }

    @Test("A flag that goes back before its effect has begun prevents the beginning")
    func toggledBack() async throws {
        let (executor, begun) = (PatientExecutor(), Collector<Int>())
        let store = Workshop.store(configuration: StoreConfiguration(executor: executor))
        store.effect(toggle: \.isOpen) { _, _ in begun.append(1) }
        for _ in 0..<3 {
            try await store.change { $0.isOpen = true }
            try await store.change { $0.isOpen = false }
        }
        executor.runAll()
        #expect(begun.elements == [] && store.statistics.runningEffects == 0)
    }
}
