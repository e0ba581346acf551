import ActorStoreCommands
import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Feedback tracking", .timeLimit(.minutes(10)))
struct FeedbackTrackingTests {
    typealias Action = Ledger.Action

    /// An effect whose action starts the next one, and so on.
    static func chain(_ count: Int, _ goOn: Signal? = nil) -> Effect<Action> {
        .run { send in
            await goOn?.wait()
            send(.add(1))
            if count > 1 { send(.start(chain(count - 1))) }
        }
    }

    @Test("finish with tracksFeedback waits for the effects of the actions that effects send")
    func chain() async throws {
        let store = Ledger.store()
        try await store.dispatch(.start(Self.chain(50)), tracksFeedback: true).finish()
        #expect(store.snapshot.total == 50)
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("An error carries the dispatched action, also if only a later action has effects")
    func errorOfLaterAction() async throws {
        struct Broken: Error {}
        let store = Ledger.store()
        let later = Effect<Action>.send(.start(.run { _ in throw Broken() }))
        store.effect(onChange: \.total) { _, _ in .effect(later) }
        let errors = store.errors
        let task = try await store.dispatch(.add(7), tracksFeedback: true)
        await #expect(throws: Broken.self) { try await task.finish() }
        let failure = try #require(try await errors.first(1).first)
        guard case .add(7)? = failure.action as? Action else {
            Issue.record("\(failure)")
            return
        }
    }

    @Test("Actions sent after the end of an effect do not make its task unfinished again")
    func lateSend() async throws {
        let tracker = EffectTracker(tracksFeedback: true)
        #expect(tracker.beginIfUnfinished() && !tracker.end())
        _ = tracker.end()
        #expect(!tracker.beginIfUnfinished() && tracker.isFinished)

        let store = Ledger.store()
        let kept = Collector<Send<Action>>()
        let task = try await store.dispatch(.start(.run { send in kept.append(send) }), tracksFeedback: true)
        try await task.finish()
        #expect(kept.elements[0](.add(1)) == .dropped)
        #expect(task.isFinished && store.statistics.lateActions == 1)
    }

    @Test("finish without tracksFeedback waits for the effects of the action only")
    func withoutTracking() async throws {
        let store = Ledger.store()
        let goOn = Signal()
        let effect = Effect<Action>.run { send in send(.start(.run { _ in await goOn.wait() })) }
        try await store.dispatch(.start(effect)).finish()
        goOn.fire()
        try await store.dispatch(.start(effect), tracksFeedback: false).finish()
        await store.shutdown(drain: .finishEffects)
    }

    @Test("Actions sent by effects without tasks are tracked, and so are actions of children")
    func replies() async throws {
        let store = Ledger.store()
        let effect = Effect<Action>.send(.start(.concatenate(.send(.start(Self.chain(3))), .run { _ in })))
        try await store.dispatch(.start(effect), tracksFeedback: true).finish()
        #expect(store.snapshot.total == 3)
    }

    @Test("Cancelling a tracked task cancels the effects of feedback, and prevents later ones")
    func cancel() async throws {
        let store = Ledger.store()
        let began = Signal()
        let never = Signal()
        let inner = Effect<Action>.run { send in
            began.fire()
            await never.wait()
            send(.add(1))
        }
        let task = try await store.dispatch(
            .start(.run { send in send(.start(inner)) }),
            tracksFeedback: true
        )
        await began.wait()
        task.cancel()
        try await task.finish()
        #expect(await store.state.total == 0)
    }

    @Test("finish with tracksFeedback throws errors of feedback")
    func errors() async throws {
        struct Broken: Error {}
        let store = Ledger.store()
        let effect = Effect<Action>.run { send in send(.start(.run { _ in throw Broken() })) }
        let task = try await store.dispatch(.start(effect), tracksFeedback: true)
        await #expect(throws: Broken.self) { try await task.finish() }
        #expect(try await store.errors.first(1).first?.error is Broken)
    }

    @Test("An effect that would wait for itself gets an error")
    func cycle() async throws {
        let store = Ledger.store()
        let outcome = Collector<StoreError>()
        let handOver = AsyncStream.makeStream(of: StoreTask.self)
        let effect = Effect<Action>.run { _ in
            for await task in handOver.stream {
                do { try await task.finish() } catch let error as StoreError { outcome.append(error) }
                break
            }
        }
        let task = try await store.dispatch(.start(effect))
        handOver.continuation.yield(task)
        try await task.finish()
        #expect(outcome.elements == [.awaitsItself])
    }

    @Test("Two effects that would wait for each other get errors, and nothing hangs")
    func mutualWait() async throws {
        let store = Ledger.store()
        let outcomes = Collector<StoreError>()
        let mailboxes = (0..<2).map { _ in AsyncStream.makeStream(of: StoreTask.self) }
        func waiting(_ index: Int) -> Effect<Action> {
            .run { _ in
                for await task in mailboxes[index].stream {
                    do { try await task.finish() } catch let error as StoreError { outcomes.append(error) }
                    break
                }
            }
        }
        let first = try await store.dispatch(.start(waiting(0)), tracksFeedback: true)
        let second = try await store.dispatch(.start(waiting(1)), tracksFeedback: true)
        mailboxes[0].continuation.yield(second)
        mailboxes[1].continuation.yield(first)
        try await first.finish()
        try await second.finish()
        #expect(!outcomes.elements.isEmpty && outcomes.elements.allSatisfy { $0 == .awaitsItself })
    }

    @Test("Actions lost to a full mailbox are not awaited")
    func lostActions() async throws {
        let store = Ledger.store(configuration: StoreConfiguration(mailbox: .bounded(1, whenFull: .dropOldest)))
        let sent = Signal()
        let goOn = Signal()
        let effect = Effect<Action>.run { send in
            await goOn.wait()
            for _ in 0..<10 { send(.start(.none)) }
            sent.fire()
        }
        let task = try await store.dispatch(.start(effect), tracksFeedback: true)
        let hold = await store.holdUp()
        goOn.fire()
        await sent.wait()
        hold.release()
        try await task.finish()
        #expect(store.statistics.droppedActions == 9)
        // Each is an error of the effect.
        let errors = try await store.errors.first(9)
        #expect(errors.allSatisfy { $0.error as? StoreError == .overloaded })
    }

    @Test("Feedback in a tree is awaited in all of its stores")
    func trees() async throws {
        let store = Ledger.store()
        let child = store.child(initialState: Ledger.State(), reducer: Ledger())
        try await child.dispatch(.start(Self.chain(5)), tracksFeedback: true).finish()
        #expect(store.snapshot.total >= 5)
        #expect(store.statistics.runningEffects == 0)
    }
}
