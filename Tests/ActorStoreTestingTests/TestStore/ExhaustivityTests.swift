import ActorStore
import ActorStoreTesting
import Testing

@Suite("Test stores: how much they expect", .timeLimit(.minutes(10)))
struct ExhaustivityTests {
    @Test("Without exhaustivity only what the test says must be so, and what it does not receive is passed over")
    func off() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(clock: TestClock()))
        store.exhaustivity = .off
        await store.dispatch(.start)
        await store.dispatch(.tick)
        await store.dispatch(.echo("one"))
        await store.dispatch(.loadRecord)
        await store.receive(.recordLoaded(42)) { $0.record = 42 }
        #expect(store.state == Timepiece.State(seconds: 1, isRunning: true, record: 42, note: "one"))
        // What is said of the state before counts as well as what is said of the state after.
        await store.dispatch(.tick) { $0.seconds += 1 }
    }

    @Test("What a test says is checked all the same")
    func offButWrong() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        store.exhaustivity = .off
        let issues = await failures {
            await store.dispatch(.tick) { $0.seconds = 7 }
            await store.dispatch(.echo("one"))
            await store.receive(.recordLoaded(1))
        }
        #expect(issues.count == 2)
        #expect(issues.first?.message.contains("-   seconds: 7") == true)
        #expect(issues.last?.message.contains("What has come:\n  .write(\"one\")") == true)
    }

    @Test("In a section another exhaustivity counts, and afterwards the one before")
    func sections() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        await store.withExhaustivity(.off) {
            await store.dispatch(.echo("one"))
            await store.receive(.write("one"))
        }
        #expect(store.exhaustivity == .on)
        let changed = store.withExhaustivity(.off) { store.exhaustivity }
        #expect(changed == .off)
        let issues = await failures { await store.dispatch(.tick) }
        #expect(issues.count == 1)
    }

    @Test("What is passed over is noted if that is asked for, and fails nothing")
    func notes() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(clock: TestClock()))
        store.exhaustivity = .off(showSkippedAssertions: true)
        await withKnownIssue("Caused on purpose: what is passed over is a warning of Swift Testing") {
            let issues = await failures {
                await store.dispatch(.start)
                await store.dispatch(.echo("one")) { $0.note = "?" }
                await store.finish(timeout: .zero)
            }
            #expect(issues.isEmpty)
        } matching: { issue in
            issue.severity == .warning
        }
    }
}
