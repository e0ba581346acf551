import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Asynchronous actions", .timeLimit(.minutes(10)))
struct AsyncActionTests {
    typealias Journal = OpenStore<[String]>

    private struct Broken: Error {}

    private struct Step: AsyncAction, Dispatchable {
        let name: String
        var next: (any Dispatchable)?
        var began: @Sendable () async throws -> Void = {}

        func run(_ send: Send<any Dispatchable>) async throws {
            try await began()
            if let next { send(next) }
        }
    }

    private struct Note: Dispatchable { let text: String }

    /// Its operation sends an action that the store does not accept.
    private struct Stranger: AsyncAction, Dispatchable {
        func run(_ send: Send<Int>) async throws { send(1) }
    }

    private var reducer: some Reducer<[String], any Dispatchable> {
        Combine {
            On(Step.self) { state, step in state.append(step.name) }
            On(Note.self) { state, note in state.append(note.text) }
            AsyncActions()
        }
    }

    private func journal() -> Journal { Journal(initialState: [], reducer: reducer) }

    @Test("An asynchronous action is reduced first, then its operation begins, and the result is a further action")
    func order() async throws {
        let store = journal()
        let seen = Collector<[String]>()
        let step = Step(name: "one", next: Note(text: "result")) { [weak store] in seen.append(store?.snapshot ?? []) }
        try await store.dispatch(step).finish()
        #expect(seen.elements == [["one"]])
        #expect(await store.state == ["one", "result"])
    }

    @Test("The operation of an asynchronous result is run as well, and so on")
    func chains() async throws {
        let store = journal()
        store.send(Step(name: "1", next: Step(name: "2", next: Step(name: "3", next: Note(text: "end")))))
        await until { store.snapshot.count == 4 }
        #expect(store.snapshot == ["1", "2", "3", "end"])
    }

    @Test("An asynchronous action is cancelled by the store and by its task, and its later actions are dropped")
    func cancellation() async throws {
        let (store, work) = (journal(), HeldWork())
        let task = try await store.dispatch(Step(name: "one", next: Note(text: "late")) { await work.run("one") })
        #expect(store.statistics.runningEffects == 1)
        await work.waitUntilBegun()
        task.cancel()
        await work.waitUntilCancelled()
        store.send(Step(name: "two", next: Note(text: "late")) { await work.run("two") })
        await work.waitUntilBegun(2)
        await store.shutdown(drain: .cancelEffects)
        #expect(work.cancelled.elements == ["one", "two"] && store.snapshot == ["one", "two"])
        #expect(store.statistics.lateActions == 2)
    }

    @Test("An asynchronous action does not keep the store alive")
    func lifetime() async throws {
        let work = HeldWork()
        weak var released: Journal?
        do {
            let store = journal()
            released = store
            store.send(Step(name: "one") { await work.run("one") })
            await work.waitUntilBegun()
        }
        #expect(released == nil)
        await work.waitUntilCancelled()
    }

    @Test("An action that the store does not accept from an asynchronous action is reported")
    func mismatch() async throws {
        let store = journal()
        let errors = store.errors
        try await store.dispatch(Stranger())
        let failure = try #require(try await errors.first(1).first)
        #expect(failure.error is MismatchedAsyncAction && "\(failure)".contains("Stranger"))
    }

    @Test("Errors of an asynchronous action reach its awaiting caller, and store.errors")
    func errors() async throws {
        let store = journal()
        let errors = store.errors
        let task = try await store.dispatch(Step(name: "one") { throw Broken() })
        await #expect(throws: Broken.self) { try await task.finish() }
        #expect(try await errors.first(1).first?.error is Broken)
    }

    private enum Search: AsyncAction {
        case search(String, HeldWork)
        case found(String)

        func run(_ send: Send<Search>) async throws {
            guard case .search(let text, let work) = self else { return }
            await work.run(text)
            send(.found(text))
        }

        var effect: Effect<Search> {
            guard case .search = self else { return .none }
            return .run(id: "search", policy: .cancelInFlight) { try await run($0) }
        }
    }

    @Test("Cases of one type can each carry an operation, with an identity and a policy")
    func enumeration() async throws {
        let work = HeldWork()
        let found = Reduce<[String], Search> { state, action in
            if case .found(let text) = action { state.append(text) }
            return .none
        }
        let store = Store(
            initialState: [String](),
            reducer: Combine {
                found
                AsyncActions()
            }
        )
        store.send(.search("one", work))
        await work.waitUntilBegun()
        store.send(.search("two", work))
        await work.waitUntilBegun(2)
        await work.waitUntilCancelled()
        work.finish("two")
        await until { store.snapshot == ["two"] }
        #expect(store.statistics.runningEffects == 0 || store.snapshot == ["two"])
    }

    @Test("The results of a child's asynchronous action go to the child, and up")
    func children() async throws {
        let root = Journal(initialState: [], reducer: On(Note.self) { state, note in state.append(note.text) })
        let child = root.child(initialState: [String](), reducer: reducer)
        try await child.dispatch(Step(name: "one", next: Note(text: "result"))).finish()
        #expect(await child.state == ParentAndChild(parent: ["result"], local: ["one", "result"]))
    }
}
