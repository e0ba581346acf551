import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import ActorStoreTesting
import Testing

@testable import TestFixtures

@Suite("Dependencies of test stores", .timeLimit(.minutes(10)))
struct TestStoreDependencyTests {
    /// Records the name in its dependency.
    struct Naming: Reducer {
        struct State: Equatable, Sendable {
            var names: [String] = []
            var isOpen = false
        }

        enum Action: Equatable, Sendable { case name, nameLater, open, found(String) }

        var door: AsyncStream<Void>?
        @Dependency(\.rates) var rates

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .name: state.names.append(rates.name())
            case .nameLater:
                return .run { [door] send in
                    if let door { for await _ in door {} }
                    send(.found(rates.name()))
                }
            case .open: state.isOpen = true
            case .found(let name): state.names.append(name)
            }
            return .none
        }
    }

    struct Asking: SideEffect {
        func run(_ context: SideEffectContext<Naming.State, Naming.Action>) async -> String {
            StoreIssueReporter.report("asking", fileID: "here", line: 3)
            return context.dependencies.rates.name()
        }
    }

    /// Dispatches a side effect, and runs it on the executor of the test store.
    private nonisolated(nonsending) func ask(_ test: TestStore<Naming.State, Naming.Action>) async -> String? {
        let (store, answers) = (test.store, Recorder<String>())
        let task = Task { answers.record(try await store.dispatch(Asking())) }
        await until {
            test.runUntilIdle()
            return !answers.elements.isEmpty
        }
        _ = await task.result
        return answers.elements.first
    }

    private func makeStore(_ naming: Naming = Naming()) -> TestStore<Naming.State, Naming.Action> {
        TestStore(initialState: Naming.State(), reducer: naming) {
            $0.rates = Rates(load: { 1 }, name: { "created" })
        }
    }

    @Test("A test's dependency applies from the next action on, and not to running effects")
    func runningEffects() async {
        let (door, opening) = AsyncStream.makeStream(of: Void.self)
        let store = makeStore(Naming(door: door))
        await store.dispatch(.nameLater)
        store.dependencies.rates.name = { "set" }
        await store.dispatch(.name) { $0.names = ["set"] }
        opening.finish()
        await store.receive(.found("created")) { $0.names = ["set", "created"] }
        await store.dispatch(.nameLater)
        await store.receive(.found("set")) { $0.names = ["set", "created", "set"] }
        await store.finish()
    }

    @Test("Attached reducers, children, side effects and driven effects have the dependencies of the creation")
    func creation() async throws {
        let test = makeStore()
        let store = test.store
        test.exhaustivity = .off
        store.effect(toggle: \.isOpen) { _, context in
            context.send(.found("driven, " + context.dependencies.rates.name()))
        }
        let child = store.child(initialState: Naming.State(), reducer: Naming(), action: { _ in nil })
        test.dependencies.rates.name = { "set" }
        store.attach(reducer: Naming(), forKey: "attached")
        await test.dispatch(.name) { $0.names = ["set", "created"] }
        await test.dispatch(.open)
        // Both reducers record it.
        #expect(store.snapshot.names == ["set", "created", "driven, created", "driven, created"])
        try await child.dispatch(.name)
        #expect(child.snapshot.local.names == ["created"])
        await StoreIssueReporter.$scoped.withValue(StoreIssueReporter { _ in }) {
            #expect(await ask(test) == "created")
        }
    }

    @Test("Attached reducers, children and side effects report issues to the reporter of their task")
    func issues() async throws {
        let test = makeStore()
        test.exhaustivity = .off
        func reporter(_ name: String, line: UInt) -> Reduce<Naming.State, Naming.Action> {
            Reduce { _, _ in
                StoreIssueReporter.report(name, fileID: "here", line: line)
                return .none
            }
        }
        let child = test.store.child(initialState: Naming.State(), reducer: reporter("child", line: 2)) { _ in nil }
        test.store.attach(reducer: reporter("attached", line: 1), forKey: "attached")
        let issues = try await failures {
            await test.dispatch(.name)
            try await child.dispatch(.name)
            _ = await ask(test)
        }
        #expect(issues.map(\.message) == ["attached", "child", "asking"])
        // As they were reported, and not as failures of a step.
        #expect(issues.map(\.location.fileID) == ["here", "here", "here"])
        #expect(issues.map(\.location.line) == [1, 2, 3])
    }
}
