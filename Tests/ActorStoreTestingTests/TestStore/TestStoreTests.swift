import ActorStore
import ActorStoreComposition
import ActorStoreTesting
import Testing

@Suite("Test stores", .timeLimit(.minutes(10)))
struct TestStoreTests {
    @Test("A step asserts the changes of its action, and further steps those of received actions")
    func steps() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        await store.dispatch(.write("go")) { $0.note = "go" }
        await store.dispatch(.loadRecord)
        await store.receive(.recordLoaded(42)) { $0.record = 42 }
        await store.dispatch(.echo("hello")) { $0.note = "?" }
        #expect(store.state.note == "?")
        #expect(store.store.snapshot.note == "hello")
        await store.receive(.write("hello")) { $0.note = "hello" }
        await store.finish()
    }

    @Test("The ticks of a timer on a test clock are received without waiting in real time")
    func timer() async {
        let clock = TestClock()
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(clock: clock))
        await store.dispatch(.start) { $0.isRunning = true }
        await clock.advance(by: .seconds(2))
        await store.receive(.tick) { $0.seconds = 1 }
        await store.receive(.tick) { $0.seconds = 2 }
        await store.dispatch(.stop) { $0.isRunning = false }
        await clock.advance(by: .seconds(5))
        await store.finish()
    }

    @Test("An unexpected state fails the test at the step, with the difference")
    func wrongState() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        let line: UInt = #line + 2
        let issues = await failures {
            await store.dispatch(.write("on")) { $0.note = "off" }
        }
        #expect(issues.map(\.location.line) == [line])
        #expect(issues.first?.location.fileID == #fileID)
        #expect(
            issues.map(\.message) == [
                """
                The state after .write("on") is not what was expected (- expected, + actual).

                  State(
                    … (3 unchanged)
                -   note: "off"
                +   note: "on"
                  )
                """
            ]
        )
        // The next step begins with the current state.
        await store.dispatch(.tick) { $0.seconds = 1 }
    }

    @Test("An unmentioned change fails the test, and so does a closure that changes nothing")
    func changes() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        let unexpected = await failures { await store.dispatch(.tick) }
        #expect(unexpected.count == 1)
        #expect(unexpected.first?.message.contains("no change was expected") == true)
        #expect(unexpected.first?.message.contains("+   seconds: 1") == true)
        let idle = await failures { await store.dispatch(.stop) { $0.isRunning = false } }
        #expect(idle.map(\.message).first?.contains("nothing has changed") == true)
        struct Refusal: Error {}
        let thrown = await failures { await store.dispatch(.tick) { _ in throw Refusal() } }
        #expect(thrown.map(\.message).first?.contains("has thrown Refusal()") == true)
    }

    @Test("Actions have to be received in order, and another one is shown with the difference")
    func order() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        await store.dispatch(.echo("one")) { $0.note = "?" }
        let issues = await failures { await store.receive(.write("two")) { $0.note = "two" } }
        #expect(issues.count == 1)
        #expect(issues.first?.message.contains("received .write(\"one\")") == true)
        #expect(issues.first?.message.contains("-   \"two\"") == true)
        #expect(store.state.note == "one")
    }

    @Test("Pending actions have to be received before the next dispatch")
    func unreceivedBeforeDispatch() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        await store.dispatch(.echo("one")) { $0.note = "?" }
        let line: UInt = #line + 1
        let issues = await failures { await store.dispatch(.tick) { $0.seconds = 1 } }
        #expect(
            issues.map(\.message) == [
                "1 action must be received before .tick is dispatched:\n  .write(\"one\")"
            ]
        )
        #expect(issues.first?.location.line == line)
        #expect(store.state == Timepiece.State(seconds: 1, note: "one"))
    }

    @Test("An action is received by equality, by its case, by its case and value, or by a condition")
    func waysToReceive() async throws {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        await store.dispatch(.loadRecord)
        #expect(await store.receive(.recordLoaded) { $0.record = 42 } == 42)
        await store.dispatch(.loadRecord)
        await store.receive(.recordLoaded, 42)
        await store.dispatch(.loadRecord)
        await store.receive(where: { $0 == .recordLoaded(42) })
        await store.dispatch(.loadRecord)
        await store.receive(CasePath(Timepiece.Action.recordLoaded))
        await store.dispatch(.echo("x")) { $0.note = "?" }
        let otherCase = await failures { await store.receive(.recordLoaded) }
        let received = "an action of a case with a value of type Int, but received .write(\"x\")"
        #expect(otherCase.first?.message.contains(received) == true)
        await store.dispatch(.loadRecord)
        let otherValue = await failures { await store.receive(.recordLoaded, 7) }
        #expect(otherValue.first?.message.contains("-   7") == true)
    }

    @Test("A missing action fails the test at once when no effect runs, and otherwise with the running effects")
    func nothingComes() async {
        let clock = TestClock()
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(clock: clock))
        let idle = await failures { await store.receive(.tick, timeout: nil) }
        #expect(
            idle.map(\.message) == [
                "Expected to receive .tick, but it did not come. No effect runs that could send it."
            ]
        )
        await store.dispatch(.start) { $0.isRunning = true }
        let running = await failures { await store.receive(.tick, timeout: .zero) }
        #expect(running.first?.message.contains("These effects run:\n  the effect \"timer\" of .start") == true)
        #expect(running.first?.message.contains("Timepiece.swift") == true)
        await store.dispatch(.stop) { $0.isRunning = false }
    }

    @Test("Actions sent by others are received, and not taken for dispatched ones")
    func othersSend() async {
        let greeter = Interceptor<Timepiece.State, Timepiece.Action>("greeter") { action, context, next in
            if action == .loadRecord { context.send(.write("loading")) }
            try next(action)
        }
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(), interceptors: [greeter])
        store.store.send(.tick)
        await store.receive(.tick) { $0.seconds = 1 }
        await store.dispatch(.loadRecord)
        await store.receive(.write("loading")) { $0.note = "loading" }
        await store.receive(.recordLoaded(42)) { $0.record = 42 }
    }

    @Test("Dispatches are distinguished from actions of 4 concurrent senders")
    func concurrentSenders() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        store.exhaustivity = .off
        let shared = store.store
        let senders = Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { for _ in 0..<500 { shared.send(.tick) } }
                }
            }
        }
        for number in 0..<500 {
            // Each sender's tick does not change the note, so the note right after the dispatch identifies the turn.
            await store.dispatch(.write("\(number)")) { $0.note = "\(number)" }
        }
        await senders.value
        await store.finish()
        #expect(store.state.seconds == 2_000)
    }

    @Test("An action refused by the store fails the test")
    func refusal() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        await store.store.shutdown(drain: .cancelEffects)
        let issues = await failures { await store.dispatch(.tick) { $0.seconds = 1 } }
        #expect(issues.count == 1)
        #expect(issues.first?.message.contains("The store has refused .tick. The store has been shut down") == true)
    }

    @Test("A state is asserted without an action; effects on other executors are awaited")
    func assertAndForeignWork() async {
        actor Archive {
            func record() -> Int { 7 }
        }
        let archive = Archive()
        let load: @Sendable () async -> Int = { await Task.detached { await archive.record() }.value }
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(loadRecord: load))
        store.timeout = .seconds(60)
        await store.dispatch(.loadRecord)
        await store.receive(.recordLoaded(7)) { $0.record = 7 }
        store.assert { $0.record = 7 }
        let issues = await failures { store.assert { $0.record = 8 } }
        #expect(issues.first?.message.contains("-   record: 8") == true)
    }

    @Test("An action is recorded as reduced, also with an interceptor added later")
    func laterInterceptors() async {
        let store = TestStore(
            initialState: 0,
            reducer: Reduce<Int, Int> { sum, number in
                sum += number
                return .none
            }
        )
        store.store.use(
            Interceptor("doubled") { number, _, next in
                try next(number)
                try next(number * 10)
            }
        )
        store.store.send(1)
        await store.receive(where: { $0 == 1 }) { $0 = 1 }
        await store.receive(where: { $0 == 10 }) { $0 = 11 }
        await store.finish()
    }

    @Test("A feature that requests its dismissal is dismissed")
    func dismissal() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        #expect(!store.isDismissed)
        await store.dispatch(.leave)
        #expect(store.isDismissed)
        let other = TestStore(
            initialState: 0,
            reducer: Reduce<Int, Bool> { _, _ in .run { send in _ = send.dismiss() } }
        )
        await other.dispatch(true)
        #expect(other.isDismissed)
    }

    @Test("The error mapping of an effect can dismiss the feature, as the effect can")
    func dismissalAfterError() async {
        struct Fragile: Reducer {
            @Dependency(\.dismiss) var dismiss

            func reduce(into state: inout Int, action: Bool) -> Effect<Bool> {
                .fail(CancellationError()).catch { _ in
                    dismiss()
                    return nil
                }
            }
        }
        let store = TestStore(initialState: 0, reducer: Fragile())
        await store.dispatch(true)
        await store.finish()
        #expect(store.isDismissed)
    }
}
