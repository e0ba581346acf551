import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Performed actions", .timeLimit(.minutes(10)))
struct PerformTests {
    typealias Action = Ledger.Action

    @Test("perform returns after all feedback of the action has been reduced and has ended")
    func waitsForAll() async throws {
        let store = Ledger.store()
        try await store.perform(.start(FeedbackTrackingTests.chain(20)))
        #expect(store.snapshot.total == 20)
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("perform cancels the effects with its task, waits for their end, and throws")
    func isCancelled() async throws {
        let store = Ledger.store()
        let (begun, goOn, hasEnded) = (Signal(), Signal(), Collector<Bool>())
        let effect = Effect<Action>.run { _ in
            await withTaskCancellationHandler {
                begun.fire()
                await untilCancelled()
            } onCancel: {
                goOn.fire()
            }
            // Its clean-up takes time.
            await letOtherTasksRun(yields: 1_000)
            hasEnded.append(Task.isCancelled)
        }
        let task = Task { try await store.perform(.start(effect)) }
        await begun.wait()
        task.cancel()
        await goOn.wait()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(hasEnded.elements == [true])
        #expect(store.statistics.runningEffects == 0)
        try await store.dispatch(.add(1))
        #expect(store.snapshot.total == 1)
    }

    @Test("A perform cancelled while its action waits has the action reduced and its effects cancelled")
    func isCancelledBeforeItsTurn() async throws {
        let store = Ledger.store()
        let hold = await store.holdUp()
        let task = Task { try await store.perform(.start(.run { _ in await untilCancelled() })) }
        await until { store.statistics.waitingActions == 1 }
        task.cancel()
        hold.release()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(store.revision == 2 && store.statistics.runningEffects == 0)
    }

    @Test("Cancelling perform reaches effects begun by feedback, and effects begun later")
    func cancelsAllThatComes() async throws {
        let store = Ledger.store()
        let (begun, ended) = (Signal(), Collector<Int>())
        let inner = Effect<Action>.run { _ in
            begun.fire()
            await untilCancelled()
            ended.append(1)
        }
        let task = Task { try await store.perform(.start(.run { send in send(.start(inner)) })) }
        await begun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ended.elements == [1])
    }

    @Test("A perform in a cancelled task reduces nothing")
    func isCancelledBefore() async throws {
        let store = Ledger.store()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.perform(.add(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(store.snapshot.total == 0)
    }

    @Test("perform throws the error of an effect after all effects have ended")
    func throwsErrors() async throws {
        struct Broken: Error {}
        let store = Ledger.store()
        let (errors, ended) = (store.errors, Collector<Int>())
        let effect = Effect<Action>.merge(
            .run { _ in throw Broken() },
            .run { _ in
                await letOtherTasksRun()
                ended.append(1)
            }
        )
        await #expect(throws: Broken.self) { try await store.perform(.start(effect)) }
        #expect(ended.elements == [1])
        #expect(try await errors.first(1).count == 1)
    }

    @Test("perform throws the errors of dispatch")
    func throwsRefusals() async throws {
        let store = Ledger.store()
        await store.shutdown(drain: .finishEffects)
        await #expect(throws: StoreError.shutDown) { try await store.perform(.add(1)) }
    }

    @Test("A shutdown that cancels the effects ends perform")
    func shutdown() async throws {
        let store = Ledger.store()
        let begun = Signal()
        let effect = Effect<Action>.run { _ in
            begun.fire()
            await untilCancelled()
        }
        let task = Task { try await store.perform(.start(effect)) }
        await begun.wait()
        await store.shutdown(drain: .cancelEffects)
        try await task.value
    }

    @Test("A perform that would wait for itself throws, and its effects are cancelled")
    func awaitsItself() async throws {
        let store = Ledger.store()
        let (outer, inner) = (Collector<String>(), Collector<String>())
        let tasks = Collector<StoreTask>()
        let effect = Effect<Action>.run { _ in
            await until { !tasks.elements.isEmpty }
            // A performed action waits for the performing effect. The second of the two gets the error.
            let waiting = Effect<Action>.run { _ in
                do {
                    try await tasks.elements[0].finish()
                } catch {
                    inner.append(error is CancellationError ? "cancelled" : "\(error as? StoreError == .awaitsItself)")
                }
            }
            do {
                try await store.perform(.start(waiting))
            } catch {
                outer.append("\(error as? StoreError == .awaitsItself)")
            }
        }
        tasks.append(try await store.dispatch(.start(effect)))
        try await tasks.elements[0].finish()
        await store.shutdown(drain: .finishEffects)
        #expect(outer.elements == ["true"] && inner.elements == ["cancelled"] || inner.elements == ["true"])
    }

    @Test("An effect can perform another action, and gets an error if it would wait for itself")
    func fromAnEffect() async throws {
        let store = Ledger.store()
        let results = Collector<String>()
        let effect = Effect<Action>.run { _ in
            do {
                try await store.perform(.start(FeedbackTrackingTests.chain(3)))
                results.append("performed")
            } catch {
                results.append("\(error)")
            }
        }
        try await store.perform(.start(effect))
        #expect(results.elements == ["performed"])
        #expect(store.snapshot.total == 3)
    }
}
