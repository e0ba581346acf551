import Testing

@testable import ActorStore
@testable import TestFixtures

/// Effects awaited by a shutdown by another one, which later wait for that one.
@Suite("Effects that start to wait for a shutdown by an effect", .timeLimit(.minutes(10)))
struct LaterHeldUpEffectTests {
    private typealias Work = @Sendable () async -> Void

    /// Runs the operations that its actions are, in effects.
    private struct Working: Reducer {
        func reduce(into state: inout Int, action: @escaping Work) -> Effect<Work> { .run { _ in await action() } }
    }

    private let store: Store<Int, Work> = Store(initialState: 0, reducer: Working())
    private let other: Store<Int, Work> = Store(initialState: 0, reducer: Working())
    private let mayWait = Latch()
    private let isShutDown = Latch()

    /// Has an effect shut the store down, which waits for another effect.
    ///
    /// - Returns: The task of the action that has started it.
    private func shutDown() async throws -> StoreTask {
        let task = try await store.dispatch { [store, isShutDown] in
            await store.shutdown(drain: .finishEffects)
            isShutDown.open()
        }
        await until { await store.root.perform { store.root.shutdownsByEffects.count } == 1 }
        return task
    }

    @Test("An effect that requests the same shutdown and then awaits the first does not block it")
    func sameShutdown() async throws {
        try await store.dispatch { [store, mayWait, isShutDown] in
            await mayWait.wait()
            await store.shutdown(drain: .finishEffects)
            await isShutDown.wait()
        }
        _ = try await shutDown()
        mayWait.open()
        await isShutDown.wait()
    }

    @Test("An effect that starts to await the task of the effect that shuts its store down does not block the shutdown")
    func task() async throws {
        let caller = Collector<StoreTask>()
        try await store.dispatch { [mayWait] in
            await mayWait.wait()
            try? await caller.elements[0].finish()
        }
        caller.append(try await shutDown())
        mayWait.open()
        await isShutDown.wait()
    }

    @Test("An effect that starts to wait inside an operation of another store does not block the shutdown")
    func workOfEffect() async throws {
        let caller = Collector<StoreTask>()
        try await store.dispatch { [other, mayWait] in
            await mayWait.wait()
            try? await other.perform { try? await caller.elements[0].finish() }
        }
        caller.append(try await shutDown())
        mayWait.open()
        await isShutDown.wait()
    }

    @Test("Two effects that shut their store down and continue do not block each other's shutdown")
    func goingOn() async throws {
        let bothAsk = Latch()
        let ended = (0..<2).map { _ in Latch() }
        for own in 0..<2 {
            try await store.dispatch { [store] in
                await bothAsk.wait()
                await store.shutdown(drain: .finishEffects)
                ended[own].open()
                // Each continues until the other's shutdown has returned.
                await ended[1 - own].wait()
            }
        }
        bothAsk.open()
        for latch in ended { await latch.wait() }
    }

    @Test("An effect that queries other effects does not count itself")
    func others() async throws {
        let answers = Collector<Bool>()
        try await store.dispatch { [store] in answers.append(await store.hasOtherEffects()) }.finish()
        try await store.dispatch { [mayWait] in await mayWait.wait() }
        try await store.dispatch { [store] in answers.append(await store.hasOtherEffects()) }.finish()
        mayWait.open()
        #expect(answers.elements == [false, true])
    }
}
