import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import Testing

@testable import TestFixtures

/// The reach of a cancellation, and of an action's task.
@Suite("The reach of effects", .timeLimit(.minutes(10)))
struct EffectReachTests {
    @Test("Cancelling a tracked task ends a chain of actions sent by reducers")
    func trackedChain() async throws {
        let store = endlessStore()
        let begun = Signal()
        let token = store.observe(\.self) { count in if count == 100 { begun.fire() } }
        let task = try await store.dispatch(1, tracksFeedback: true)
        await begun.wait()
        task.cancel()
        try await task.finish()
        let count = await store.state
        #expect(await store.state == count)
        withExtendedLifetime(token) {}
    }

    /// The cancellations of a concatenation.
    enum Canceller: CaseIterable, Sendable {
        case task, store, group
    }

    @Test(
        "Later steps of a cancelled concatenation, or of a cancelled group, cancel nothing and report nothing",
        arguments: Canceller.allCases
    )
    func trailingSteps(canceller: Canceller) async throws {
        let (mayEnd, isCancelled) = (Latch(), Collector<Void>())
        let started = Collector<Int>()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, action in
                switch action {
                case 1:
                    let steps = Effect<Int>.concatenate(
                        .run { _ in
                            started.append(1)
                            await Task.detached { await mayEnd.wait() }.value
                        },
                        .cancel(id: "feed"),
                        .dismiss()
                    )
                    return canceller == .group ? steps.cancellable(id: "group") : steps
                case 2: return .cancel(id: "group")
                default:
                    return .run(id: "feed") { _ in
                        started.append(2)
                        await withTaskCancellationHandler {
                            try? await Task.sleep(for: .seconds(1_000))
                        } onCancel: {
                            isCancelled.append(())
                        }
                    }
                }
            }
        )
        let task = try await store.dispatch(1)
        await until { started.elements == [1] }
        switch canceller {
        case .task: task.cancel()
        case .store: await store.cancelAllEffects()
        case .group: store.send(2)
        }
        let feed = try await store.dispatch(3)
        await until { started.elements == [1, 2] }
        mayEnd.open()
        try await task.finish()
        _ = await store.state
        #expect(!feed.isFinished && isCancelled.elements.isEmpty)
        #expect(store.statistics.failures == 0)
        await store.shutdown(drain: .cancelEffects)
    }

    @Test(
        "A side effect of a tracked action can await and cancel what it dispatches, and excludes itself",
        arguments: [false, true]
    )
    func dispatchInTrackedEffect(cancels: Bool) async throws {
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { count, action in
                if action == 10 { return .run { _ in if cancels { try? await Task.sleep(for: .seconds(1_000)) } } }
                count += action
                return .none
            }
        )
        let driving = store.effect(onChange: \.self) { _, new, context in
            guard new == 1 else { return }
            let task = try await context.dispatch(10)
            if cancels { task.cancel() }
            try await task.finish()
            context.send(100)
        }
        try await store.dispatch(1, tracksFeedback: true).finish()
        #expect(store.snapshot == 101)
        driving.cancel()
    }

    @Test("A step that cancels an identity does so with and without feedback tracking", arguments: [false, true])
    func sameTracker(tracksFeedback: Bool) async throws {
        let hasBegun = Latch()
        let outcomes = Collector<Bool>()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, action in
                switch action {
                case 1:
                    .concatenate(
                        .run { send in
                            send(2)
                            await hasBegun.wait()
                        },
                        .cancel(id: "work")
                    )
                default:
                    .run(id: "work") { _ in
                        hasBegun.open()
                        try? await Task.sleep(for: .seconds(1_000))
                        outcomes.append(Task.isCancelled)
                    }
                }
            }
        )
        let task = try await store.dispatch(1, tracksFeedback: tracksFeedback)
        await until { outcomes.elements == [true] }
        try await task.finish()
        await store.shutdown(drain: .finishEffects)
    }

    @Test("A tracked task waits for the results of actions of state-driven effects")
    func drivenEffects() async throws {
        let mayEnd = Latch()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { count, action in
                count = action
                return action == 2 ? .run { _ in await mayEnd.wait() } : .none
            }
        )
        let isDriven = Signal()
        let driving = store.effect(onChange: \.self) { _, new, context in
            guard new == 1 else { return }
            context.send(2)
            isDriven.fire()
        }
        let task = try await store.dispatch(1, tracksFeedback: true)
        await isDriven.wait()
        await until { store.snapshot == 2 }
        #expect(!task.isFinished)
        mayEnd.open()
        try await task.finish()
        driving.cancel()
    }

    @Test("A store whose first state failed to load runs no state-driven effects")
    func failedLoading() async throws {
        struct Broken: Error {}
        let store = Store(
            initialState: 0,
            loading: { throw Broken() },
            reducer: Reduce<Int, Int> { count, step in
                count += step
                return .none
            }
        )
        let errors = store.errors
        await #expect(throws: Broken.self) { try await store.ready() }
        let asked = Collector<Int>()
        let driving = store.effect(onChange: \.self) { _, new, context in
            asked.append(new)
            context.send(1)
        }
        await store.shutdown(drain: .finishEffects)
        #expect(asked.elements.isEmpty && store.snapshot == 0)
        driving.cancel()
        withExtendedLifetime(errors) {}
    }

    @Test("A task that outlives its effect can wait for the action that started the effect")
    func outlived() async throws {
        let (mayEnd, hasEnded) = (Latch(), Latch())
        let tasks = Collector<StoreTask>()
        let results = Collector<Bool>()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in
                .merge(
                    .run { _ in
                        Task {
                            await hasEnded.wait()
                            do {
                                try await tasks.elements[0].finish()
                                results.append(true)
                            } catch {
                                results.append(false)
                            }
                        }
                    },
                    .run { _ in await mayEnd.wait() }
                )
            }
        )
        tasks.append(try await store.dispatch(1))
        await until { store.statistics.runningEffects == 1 }
        hasEnded.open()
        mayEnd.open()
        await until { !results.elements.isEmpty }
        #expect(results.elements == [true])
    }
}
