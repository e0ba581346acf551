import ActorStore
import ActorStoreCommands
import ActorStoreTesting
import Testing

@Suite("Test stores: operations that wait for effects", .timeLimit(.minutes(10)))
struct TestStoreRunningTests {
    private struct Mishap: Error {}

    /// Loads a record after a second, and returns it.
    private struct Reload: SideEffect {
        let clock: TestClock

        func run(_ context: SideEffectContext<Timepiece.State, Timepiece.Action>) async throws -> Int {
            try await clock.sleep(for: .seconds(1))
            try await context.dispatch(.loadRecord).finish()
            return await context.state.record ?? 0
        }
    }

    private let clock = TestClock()

    private func makeStore() -> TestStore<Timepiece.State, Timepiece.Action> {
        TestStore(initialState: Timepiece.State(), reducer: Timepiece(clock: clock))
    }

    @Test("A side effect is awaited, and returns its value; its dispatched actions are received")
    func sideEffect() async throws {
        let store = makeStore()
        let record = try await store.running { [clock] store in
            try await store.dispatch(Reload(clock: clock))
        } meanwhile: {
            await clock.advance(by: .seconds(1))
        }
        #expect(record == 42)
        await store.receive(.loadRecord)
        await store.receive(.recordLoaded(42)) { $0.record = 42 }
        await store.finish()
    }

    @Test("Actions dispatched by an operation, and sent by its effects, must be received in an exhaustive test")
    func unreceived() async throws {
        let issues = try await failures {
            let store = makeStore()
            try await store.running { store in try await store.perform(.loadRecord) }
            await store.finish()
        }
        #expect(
            issues.map(\.message) == [
                "The test has ended, but 2 actions were not received:\n  .loadRecord\n  .recordLoaded(42)"
            ]
        )
    }

    @Test("A shutdown that cancels or finishes effects is awaited")
    func shutdowns() async {
        let store = makeStore()
        await store.dispatch(.start) { $0.isRunning = true }
        await store.running { store in await store.shutdown(drain: .cancelEffects) }
        await store.dispatch(.tick, throws: .shutDown)
        await store.finish()
        let other = makeStore()
        await other.dispatch(.start) { $0.isRunning = true }
        let report = await other.running { [clock] store in
            await store.shutdown(drain: .finishEffects, within: .seconds(2), clock: clock)
        } meanwhile: {
            await clock.advance(by: .seconds(1))
            await other.receive(.tick) { $0.seconds = 1 }
            await clock.advance(by: .seconds(1))
        }
        #expect(report?.unfinishedEffects.isEmpty == true)
        await other.finish()
    }

    @Test("An endless operation fails the test at the step, with the running effects, and is cancelled")
    func timeout() async throws {
        let store = makeStore()
        await store.dispatch(.start) { $0.isRunning = true }
        let line: UInt = #line + 2
        let issues = await failures {
            let end: Void? = await store.running(timeout: .milliseconds(1)) { store in
                await store.shutdown(drain: .finishEffects)
            }
            #expect(end == nil)
        }
        #expect(issues.map(\.location.line) == [line])
        let message = try #require(issues.first?.message)
        #expect(message.hasPrefix("The operation has not ended within 0.001 seconds. These effects run:\n"))
        #expect(message.contains("  the effect \"timer\" of .start, written at "))
        // Its cancellation has cancelled the effects, so that the store has ended.
        await store.finish()
        await store.dispatch(.tick, throws: .shutDown)
    }

    @Test("Errors of an operation, or of a step meanwhile, are thrown; the latter cancel the operation")
    func errors() async throws {
        let store = makeStore()
        await #expect(throws: Mishap.self) { try await store.running { _ in throw Mishap() } }
        await #expect(throws: Mishap.self) {
            try await store.running { [clock] store in
                try await store.dispatch(Reload(clock: clock))
            } meanwhile: {
                #expect(store.store.statistics.runningEffects == 1)
                throw Mishap()
            }
        }
        #expect(store.store.statistics.runningEffects == 0)
        await store.finish()
    }

    @Test("An unhandled error of an effect fails the test at the step")
    func unhandledErrors() async {
        let reducer = Timepiece { throw Mishap() }
        let store = TestStore(initialState: Timepiece.State(), reducer: reducer)
        let issues = await failures {
            await #expect(throws: Mishap.self) {
                try await store.running { store in try await store.dispatch(.loadRecord).finish() }
            }
            await store.receive(.loadRecord)
        }
        #expect(issues.count == 1 && issues.first?.message.contains("Mishap()") == true)
    }

    @MainActor
    @Test("Steps of a test on the main actor stay there, and an operation can call the main actor")
    func mainActor() async throws {
        let store = makeStore()
        let isThere = await store.running { _ in
            await MainActor.run { true }
        } meanwhile: {
            MainActor.assertIsolated()
        }
        #expect(isThere == true)
    }

    @Test("An operation that runs at the cancellation of the test fails the test with that reason")
    func cancelled() async {
        let issues = await failures {
            await Task {
                let store = makeStore()
                withUnsafeCurrentTask { $0?.cancel() }
                let latch = AsyncStream.makeStream(of: Void.self)
                await store.running { _ in for await _ in latch.stream {} }
            }.value
        }
        #expect(issues.map(\.message) == ["The operation has not ended when the test was cancelled. No effect runs."])
    }
}
