import ActorStore
import ActorStoreTesting
import Foundation
import Testing

@testable import TestFixtures

@Suite("Refusals and responses in test stores", .timeLimit(.minutes(10)))
struct TestStoreOutcomeTests {
    /// A shelf with items for requests.
    struct Shelf: Reducer {
        struct State: Equatable, Sendable {
            var available = 2
            var thefts = 0
        }

        enum Action: Equatable, Sendable {
            case take(Take)
            case count(Count)
            case steal
            case refill
            case refilled
        }

        struct Take: Request, Equatable {
            static let casePath = CasePath(embed: Action.take) { if case .take(let take) = $0 { take } else { nil } }
            var quantity = 1

            func reduce(into state: inout State) -> Bool {
                guard state.available >= quantity else { return false }
                state.available -= quantity
                return true
            }
        }

        /// A request without a response.
        struct Count: Request, Equatable {
            static let casePath = CasePath(embed: Action.count) {
                if case .count(let count) = $0 { count } else { nil }
            }

            func reduce(into state: inout State) -> Int { state.available }
        }

        var body: some Reducer<State, Action> {
            RequestReducer(Take.self)
            Reduce<State, Action> { state, action in
                switch action {
                case .steal: state.thefts += 1
                case .refill: return .send(.refilled)
                case .refilled: state.available = 2
                case .take, .count: break
                }
                return .none
            }
        }
    }

    func makeStore() -> TestStore<Shelf.State, Shelf.Action> {
        let guardian = Interceptor<Shelf.State, Shelf.Action>("guardian") { action, _, next in
            if case .steal = action { return }
            try next(action)
        }
        return TestStore(initialState: Shelf.State(), reducer: Shelf(), interceptors: [guardian])
    }

    @Test("An action that the store refuses as expected passes, and changes nothing")
    func refusal() async {
        let store = makeStore()
        await store.dispatch(.steal, throws: .rejected(by: "guardian"))
        #expect(store.state == Shelf.State())
        await store.dispatch(.refill)
        await store.receive(.refilled)
        await store.finish()
        await store.store.shutdown(drain: .finishEffects)
        await store.dispatch(.refill, throws: .shutDown)
    }

    @Test("An action refused for another reason, or reduced, fails the test at the step")
    func otherOutcomes() async {
        let store = makeStore()
        let line: UInt = #line + 2
        let issues = await failures {
            await store.dispatch(.steal, throws: .overloaded)
            await store.dispatch(.take(Shelf.Take()), throws: .rejected(by: "guardian"))
        }
        #expect(issues.map(\.location.line) == [line, line + 1, line + 1])
        #expect(
            issues.map { $0.message.prefix { $0 != "\n" } } == [
                "The store has refused .steal with another error: The interceptor \"guardian\" did not let the action through.",
                "The state has changed by .take(Take(quantity: 1)), but no change was expected (- before, + after).",
                "The store has not refused .take(Take(quantity: 1)). It was expected to throw: "
                    + "The interceptor \"guardian\" did not let the action through.",
            ]
        )
    }

    @Test("The response and the changes of a request are asserted")
    func answers() async {
        let store = makeStore()
        await store.ask(Shelf.Take(), answers: true) { $0.available = 1 }
        await store.ask(Shelf.Take(quantity: 2), answers: false)
        await store.finish()
    }

    @Test("Another response, or none, fails the test at the step")
    func otherAnswers() async {
        let store = makeStore()
        let line: UInt = #line + 2
        let issues = await failures {
            await store.ask(Shelf.Take(), answers: false) { $0.available = 1 }
            await store.ask(Shelf.Count(), answers: 1)
        }
        #expect(issues.map(\.location.line) == [line, line + 1])
        #expect(
            issues.first?.message == """
                The answer to .take(Take(quantity: 1)) is not what was expected (- expected, + actual).

                - false
                + true
                """
        )
        #expect(issues.last?.message.hasPrefix("No reducer has answered .count(Count()).") == true)
    }

    @Test("A dispatch whose asynchronous interceptor never returns fails the test in time, with the running effects")
    func endlessInterceptor() async throws {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(clock: TestClock()))
        await store.dispatch(.start) { $0.isRunning = true }
        let asking = store.store.use(
            AsyncInterceptor("asking") { action, _ in
                try await TestClock().sleep(for: .seconds(1))
                return action
            }
        )
        store.timeout = .milliseconds(1)
        let issues = await failures { await store.dispatch(.write("one")) { $0.note = "one" } }
        let message = try #require(issues.first?.message)
        #expect(issues.count == 1)
        #expect(
            message.hasPrefix("The dispatch of .write(\"one\") has not ended within 0.001 seconds. These effects run:")
        )
        asking.remove()
        await store.dispatch(.stop) { $0.isRunning = false }
        await store.finish()
    }

    @Test("A dispatch to a store suspended by an observer fails the test in time")
    func suspended() async throws {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        let notes = store.store.values(of: \.note, buffering: .bounded(1, onOverflow: .suspendStore))
        var iterator = notes.makeAsyncIterator()
        #expect(await iterator.next() == "")
        store.timeout = .milliseconds(1)
        await store.dispatch(.write("one")) { $0.note = "one" }
        let issues = await failures { await store.dispatch(.write("two")) { $0.note = "two" } }
        #expect(
            issues.map(\.message) == [
                "The dispatch of .write(\"two\") has not ended within 0.001 seconds. 1 action waits in the store. "
                    + "No effect runs."
            ]
        )
        store.exhaustivity = .off
        withExtendedLifetime(iterator) {}
    }

    @Test("A dispatch reduced after its timeout fails the test once, and the test continues with its state")
    func late() async throws {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        let notes = store.store.values(of: \.note, buffering: .bounded(1, onOverflow: .suspendStore))
        var iterator = notes.makeAsyncIterator()
        store.timeout = .milliseconds(1)
        let issues = await failures { await store.dispatch(.write("one")) { $0.note = "one" } }
        #expect(issues.count == 1)
        #expect(await iterator.next() == "")
        store.runUntilIdle()
        #expect(await iterator.next() == "one")
        await store.dispatch(.write("two")) { $0.note = "two" }
        #expect(await iterator.next() == "two")
        await store.finish()
    }

    @Test(
        "The steps after a late dispatch continue from its state, exhaustive or not",
        arguments: [Exhaustivity.on, .off]
    )
    func lateWithOthers(_ exhaustivity: Exhaustivity) async {
        // 100 sends two others.
        let reducer = Reduce<Int, Int> { count, step in
            count += step
            return step == 100 ? .merge(.send(1), .send(2)) : .none
        }
        let store = TestStore(initialState: 0, reducer: reducer)
        store.exhaustivity = exhaustivity
        do {
            let counts = store.store.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
            var iterator = counts.makeAsyncIterator()
            #expect(await iterator.next() == 0)
            await store.dispatch(5) { $0 += 5 }
            store.store.send(1_000)
            store.store.send(2_000)
            store.timeout = .milliseconds(1)
            let issues = await failures { await store.dispatch(10) { $0 += 10 } }
            #expect(issues.count == 1)
            for count in [5, 1_005, 3_005] {
                #expect(await iterator.next() == count)
                store.runUntilIdle()
            }
        }
        store.timeout = .seconds(60)
        await store.receive(1_000) { $0 += 1_000 }
        await store.receive(2_000) { $0 += 2_000 }
        await until { store.store.snapshot >= 3_015 }
        await store.dispatch(100) { $0 += 100 }
        await store.receive(1) { $0 += 1 }
        await store.receive(2) { $0 += 2 }
        await store.finish()
        #expect(store.state == 3_118)
    }

    @Test("Skipping the effects of a store suspended by an observer fails the test in time")
    func suspendedWithEffects() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(clock: TestClock()))
        await store.dispatch(.start) { $0.isRunning = true }
        let notes = store.store.values(of: \.note, buffering: .bounded(1, onOverflow: .suspendStore))
        let iterator = notes.makeAsyncIterator()
        store.timeout = .milliseconds(1)
        let issues = await failures { await store.skipInFlightEffects() }
        #expect(issues.count == 1)
        let message = issues.first?.message
        #expect(message?.hasPrefix("The cancellation of the effects has not ended within 0.001 seconds.") == true)
        store.exhaustivity = .off
        withExtendedLifetime(iterator) {}
    }

    @Test("A dispatch behind more actions of others than a sender reduces is awaited")
    func backlog() async {
        let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let store = TestStore(
            initialState: 0,
            reducer: Reduce<Int, Int> { count, step in
                if step == 0 {
                    isHeld.signal()
                    mayGoOn.wait()
                }
                count += step
                return .none
            }
        )
        store.exhaustivity = .off
        let counter = store.store
        Thread.detachNewThread {
            counter.send(0)
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                isHeld.wait()
                for _ in 0..<200 { counter.send(1) }
                continuation.resume()
            }
        }
        Thread.detachNewThread {
            while counter.statistics.waitingActions < 201 { usleep(100) }
            mayGoOn.signal()
        }
        await store.dispatch(1_000) { $0 += 1_000 }
        #expect(counter.snapshot == 1_200)
        await store.finish()
    }

    @Test("A state changed by withIsolation fails an exhaustive test at its end, unless a step expects it")
    func isolation() async throws {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        try await store.store.withIsolation("correct") { $0.note = "corrected" }
        await store.dispatch(.write("one")) { $0.note = "one" }
        await store.finish()
        try await store.store.withIsolation("correct") { $0.note = "corrected" }
        let issues = await failures { await store.finish() }
        #expect(issues.count == 1)
        #expect(issues.first?.message.hasPrefix("Something other than an action") == true)
        #expect(store.state.note == "corrected")
    }

    @Test("An asynchronous interceptor that runs on the test store's executor is awaited")
    func asyncInterceptor() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        let executor = store.executor
        store.store.use(
            AsyncInterceptor("asking") { action, _ in
                await Task(executorPreference: executor) { await Task.yield() }.value
                return action
            }
        )
        await store.dispatch(.write("one")) { $0.note = "one" }
        await store.finish()
    }
}
