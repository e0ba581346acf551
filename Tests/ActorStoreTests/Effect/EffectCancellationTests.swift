import ActorStore
import Foundation
import Testing

/// Cancelling the tasks of effects runs code of users: their cancellation handlers.
@Suite("The cancellation of effects", .timeLimit(.minutes(10)))
struct EffectCancellationTests {
    private struct Working: Reducer {
        enum Action: Sendable { case start(Int), stop, count }
        var onCancel: @Sendable () -> Void = {}
        var started: Collector<Int> = Collector()

        func reduce(into count: inout Int, action: Action) -> Effect<Action> {
            switch action {
            case .start(let number):
                let work = Effect<Action>.run(id: "work") { _ in
                    await withTaskCancellationHandler {
                        started.append(1)
                        try? await Task.sleep(for: .seconds(1_000))
                    } onCancel: {
                        onCancel()
                    }
                }
                return .merge(Array(repeating: work, count: number))
            case .stop: return .cancel(id: "work")
            case .count:
                count += 1
                return .none
            }
        }
    }

    private func instructions(cancelling count: Int) async throws -> Duration {
        let store = Store(initialState: 0, reducer: Working())
        try await store.dispatch(.start(count))
        let start = ContinuousClock.now
        await store.shutdown(drain: .cancelEffects)
        return start.duration(to: .now)
    }

    @Test("Cancelling 8,000 effects of one action takes no more than 16 times as long as 1,000")
    func isLinear() async throws {
        _ = try await instructions(cancelling: 1_000)
        // The machine has other work, too: the best of some.
        var (few, many) = (Duration.seconds(1_000), Duration.seconds(1_000))
        for _ in 0..<3 {
            few = min(few, try await instructions(cancelling: 1_000))
            many = min(many, try await instructions(cancelling: 8_000))
        }
        #expect(many < few * 16)
    }

    @Test("A store and its senders go on while a cancellation handler is slow")
    func slowHandler() async throws {
        let hold = Hold()
        let working = Working(onCancel: { hold.enter() })
        let store = Store(
            initialState: 0,
            reducer: working,
            configuration: StoreConfiguration(executor: ThreadExecutor())
        )
        try await store.dispatch(.start(1))
        await wait { !working.started.elements.isEmpty }
        store.send(.stop)
        await hold.waitUntilEntered()
        #expect(store.send(.count) == .accepted)
        #expect(store.snapshot == 1)
        hold.release()
        await store.shutdown(drain: .finishEffects)
    }

    @Test("A cancellation handler can take a lock that the sender holds which cancels the effect")
    func lockOfTheSender() async throws {
        let lock = NSLock()
        let cancelled = Signal()
        let working = Working(onCancel: {
            lock.withLock {}
            cancelled.fire()
        })
        let store = Store(
            initialState: 0,
            reducer: working,
            configuration: StoreConfiguration(executor: ThreadExecutor())
        )
        let task = try await store.dispatch(.start(1))
        await wait { !working.started.elements.isEmpty }
        let sent = Signal()
        onThread {
            lock.withLock { _ = store.send(.stop) }
            sent.fire()
        }
        await sent.wait()
        await cancelled.wait()
        try await task.finish()
    }

    @Test("A cancellation handler can take a lock that is held where the task of an action is cancelled")
    func lockAroundStoreTask() async throws {
        let lock = NSLock()
        let cancelled = Signal()
        let working = Working(onCancel: {
            lock.withLock {}
            cancelled.fire()
        })
        let store = Store(
            initialState: 0,
            reducer: working,
            configuration: StoreConfiguration(executor: ThreadExecutor())
        )
        let task = try await store.dispatch(.start(1))
        await wait { !working.started.elements.isEmpty }
        let done = Signal()
        onThread {
            lock.withLock { task.cancel() }
            done.fire()
        }
        await done.wait()
        await cancelled.wait()
        try await task.finish()
    }
}
