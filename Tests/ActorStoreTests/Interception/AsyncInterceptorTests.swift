import ActorStore
import ActorStoreSimulation
import Testing

@testable import TestFixtures

@Suite("Asynchronous interceptors", .timeLimit(.minutes(10)))
struct AsyncInterceptorTests {
    typealias Guardian = AsyncInterceptor<Ledger.State, Ledger.Action>

    @TaskLocal static var user = "nobody"

    /// Lets amounts pass when the test permits it.
    final class Permissions: Sendable {
        private let requests = AsyncStream.makeStream(of: Int.self)
        private let answers = AsyncStream.makeStream(of: Bool.self)

        func ask(_ amount: Int) async -> Bool {
            requests.continuation.yield(amount)
            for await answer in answers.stream { return answer }
            return false
        }

        /// The next request.
        func next() async -> Int? {
            for await request in requests.stream { return request }
            return nil
        }

        func answer(_ isAllowed: Bool) { answers.continuation.yield(isAllowed) }

        var guardian: Guardian {
            Guardian("permissions") { action, _ in
                guard case .add(let amount) = action else { return action }
                return await self.ask(amount) ? action : nil
            }
        }
    }

    @Test("A dispatch waits for an asynchronous interceptor before acceptance, and other callers do not")
    func waiting() async throws {
        let permissions = Permissions()
        let store = Ledger.store()
        store.use(permissions.guardian)
        async let slow: StoreTask = store.dispatch(.add(1))
        #expect(await permissions.next() == 1)
        try await store.dispatch(.write("meanwhile"))
        #expect(store.snapshot == Ledger.State(note: "meanwhile"))
        permissions.answer(true)
        _ = try await slow
        #expect(store.snapshot.total == 1)
    }

    @Test(
        "An asynchronous interceptor rejects by nil or an error; errors other than StoreError reach the errors"
    )
    func rejecting() async throws {
        struct Unreachable: Error {}
        let store = Ledger.store()
        store.use(
            Guardian("guardian") { action, _ in
                switch action {
                case .add(0): return nil
                case .add(1): throw Unreachable()
                case .add(2): throw StoreError.overloaded
                default: return action
                }
            }
        )
        await #expect(throws: StoreError.rejected(by: "guardian")) { try await store.dispatch(.add(0)) }
        await #expect(throws: StoreError.rejected(by: "guardian")) { try await store.dispatch(.add(1)) }
        await #expect(throws: StoreError.overloaded) { try await store.dispatch(.add(2)) }
        let failure = try await store.errors.first(1).first
        #expect(failure?.error is Unreachable && failure?.origin == .interceptor(named: "guardian"))
        #expect(store.revision == 0 && store.statistics.rejectedActions == 3)
    }

    @Test("Asynchronous interceptors run in order, each on the previous result, before all other interceptors")
    func chain() async throws {
        let events = Collector<String>()
        let store = Ledger.store(
            interceptors: [
                Interceptor("in the turn") { action, _, next in
                    events.append("\(action)")
                    try next(action)
                }
            ]
        )
        for number in 1...3 {
            store.use(
                Guardian("\(number)") { action, store in
                    guard case .add(let amount) = action else { return action }
                    events.append("\(number): \(amount) after \(store.snapshot?.total ?? -1)")
                    return .add(10 * amount + number)
                }
            )
        }
        try await store.dispatch(.add(0))
        #expect(events.elements == ["1: 0 after 0", "2: 1 after 0", "3: 12 after 0", "add(123)"])
        #expect(store.snapshot.total == 123)
    }

    @Test("Sends, effects' actions and children's actions do not wait for asynchronous interceptors, and keep order")
    func sending() async throws {
        let store = Ledger.store()
        store.use(Guardian("nothing") { _, _ in nil })
        #expect(store.send(.add(1)) == .accepted)
        store.send(contentsOf: [.add(10), .start(.send(.add(100)))])
        let child = store.child(initialState: 0, reducer: EmptyReducer())
        try await child.dispatch(.add(1_000))
        #expect(await store.state.total == 1_111)
        await #expect(throws: StoreError.rejected(by: "nothing")) { try await store.scope(\.total).dispatch(.add(1)) }
        await #expect(throws: StoreError.rejected(by: "nothing")) { try await store.weak.dispatch(.add(1)) }
        await #expect(throws: StoreError.rejected(by: "nothing")) {
            try await store.scope(\.total).dispatch(.add(1), tracksFeedback: true)
        }
        try await child.dispatch(.add(1), tracksFeedback: true).finish()
        #expect(store.snapshot.total == 1_112)
    }

    @Test("An asynchronous interceptor receives its own dispatches to its store")
    func ownDispatches() async throws {
        let asked = Collector<String>()
        let store = Ledger.store()
        store.use(
            Guardian("audit") { action, store in
                asked.append("\(action)")
                if case .add(let amount) = action, amount < 3 { try await store.dispatch(.add(amount + 1)) }
                return action
            }
        )
        try await store.dispatch(.add(1))
        #expect(asked.elements == ["add(1)", "add(2)", "add(3)"])
        #expect(store.snapshot.total == 6)
    }

    @Test("8 tasks that send and dispatch keep their order with an asynchronous interceptor")
    func orderPerSender() async throws {
        let store = Ledger.store()
        store.use(
            Guardian("yielding") { action, _ in
                await Task.yield()
                return action
            }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<8 {
                group.addTask {
                    for number in 0..<500 {
                        if (number + sender).isMultiple(of: 3) {
                            try await store.dispatch(.enter(sender, number))
                        } else {
                            store.send(.enter(sender, number))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let entries = await store.state.entries
        for sender in 0..<8 {
            #expect(entries.filter { $0.sender == sender }.map(\.number) == Array(0..<500))
        }
    }

    @Test("An asynchronous interceptor runs in the dispatcher's task, with its task-locals and its cancellation")
    func context() async throws {
        let permissions = Permissions()
        let users = Collector<String>()
        let store = Ledger.store()
        store.use(
            Guardian("users") { action, _ in
                users.append(Self.user)
                return action
            }
        )
        try await Self.$user.withValue("somebody") { _ = try await store.dispatch(.add(1)) }
        #expect(users.elements == ["somebody"])
        store.use(
            Guardian("waiting") { action, _ in
                _ = await permissions.ask(0)
                try Task.checkCancellation()
                return action
            }
        )
        let task = Task { try await store.dispatch(.add(1)) }
        #expect(await permissions.next() == 0)
        task.cancel()
        await #expect(throws: StoreError.cancelled) { try await task.value }
        #expect(store.snapshot.total == 1 && store.statistics.rejectedActions == 0)
    }

    @Test(
        "A dispatch begun after an interceptor's addition passes through it, on idle and busy stores, until its removal"
    )
    func addingAndRemoving() async throws {
        let store = Ledger.store()
        let events = Collector<String>()
        func noting(_ name: String) -> Guardian {
            Guardian(name) { action, _ in
                events.append(name)
                return action
            }
        }
        let hold = await store.holdUp()
        let first = store.use(noting("first"))
        let second = store.use(noting("second"))
        first.remove()
        let dispatch = Task { try await store.dispatch(.add(1)) }
        hold.release()
        _ = try await dispatch.value
        #expect(events.elements == ["second"])
        second.remove()
        second.remove()
        try await store.dispatch(.add(1))
        #expect(events.elements == ["second"])
        store.use(noting("third"))
        try await store.dispatch(.add(1))
        #expect(events.elements == ["second", "third"])
    }

    @Test("A store shut down during interception refuses the action, and an ended store skips the interceptor")
    func shutdown() async throws {
        let permissions = Permissions()
        let store = Ledger.store()
        let interception = store.use(permissions.guardian)
        let dispatch = Task { try await store.dispatch(.add(1)) }
        #expect(await permissions.next() == 1)
        await store.shutdown(drain: .finishEffects)
        permissions.answer(true)
        await #expect(throws: StoreError.shutDown) { try await dispatch.value }
        await #expect(throws: StoreError.shutDown) { try await store.dispatch(.add(1)) }
        interception.remove()
        store.use(permissions.guardian).remove()
        await #expect(throws: StoreError.shutDown) { try await store.dispatch(.add(1)) }
    }

    @Test("An asynchronous interceptor is not called for dispatches of a failed loading")
    func failedLoading() async throws {
        struct Failure: Error {}
        let mayFail = Signal()
        let store = Store(
            initialState: 0,
            loading: {
                await mayFail.wait()
                throw Failure()
            },
            reducer: Reduce<Int, Int> { _, _ in .none }
        )
        let asked = Collector<Int>()
        store.use(
            AsyncInterceptor("asking") { action, _ in
                asked.append(action)
                return nil
            }
        )
        let dispatches = (0..<4).map { number in Task { try await store.dispatch(number) } }
        await Task.yield()
        mayFail.fire()
        for dispatch in dispatches { await #expect(throws: StoreError.notReady) { try await dispatch.value } }
        #expect(asked.elements.isEmpty)
        var errors = store.errors.makeAsyncIterator()
        #expect(await errors.next()?.error is Failure)
    }

    @Test("A dispatch that waits for the first state passes the interceptors registered at its beginning")
    func dispatchedWhileLoading() async throws {
        let (asked, sum) = try await Simulation(seed: 0).run { simulation in
            let store = Store(
                initialState: 0,
                loading: {
                    try await simulation.clock.sleep(for: .seconds(1))
                    return 1
                },
                reducer: Reduce<Int, Int> { sum, amount in
                    sum += amount
                    return .none
                },
                configuration: StoreConfiguration(executor: simulation.executor)
            )
            let asked = Collector<String>()
            func interceptor(_ name: String) -> AsyncInterceptor<Int, Int> {
                AsyncInterceptor(name) { amount, _ in
                    asked.append("\(name): \(amount)")
                    return amount
                }
            }
            let former = store.use(interceptor("former"))
            let dispatch = simulation.start("a dispatch") { try await store.dispatch(10) }
            await simulation.quiet()
            former.remove()
            store.use(interceptor("later"))
            _ = try await dispatch.value
            return (asked.elements, store.snapshot)
        }
        #expect(asked == ["former: 10"] && sum == 11)
    }

    @Test("The effects of an accepted action belong to the dispatcher")
    func effects() async throws {
        let store = Ledger.store()
        store.use(Guardian("passing") { action, _ in action })
        let users = Collector<String>()
        try await Self.$user.withValue("somebody") {
            let effect = Effect<Ledger.Action>.run { send in
                users.append(Self.user)
                send(.add(1))
            }
            try await store.dispatch(.start(effect)).finish()
            try await store.dispatch(.start(.run { send in send(.start(effect)) }), tracksFeedback: true).finish()
        }
        #expect(users.elements == ["somebody", "nobody"])
        #expect(await store.state.total == 2)
    }
}
