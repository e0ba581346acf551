import Foundation
import Testing

@testable import ActorStore
@testable import TestFixtures

/// Cancelling the tasks of effects runs user code: their cancellation handlers.
@Suite("The cost of cancelling effects", .timeLimit(.minutes(10)))
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

    @Test("Cancelling 8,000 effects of one action takes at most 16 times as long as 1,000")
    func isLinear() async throws {
        try await expectLinear { count in
            let store = Store(initialState: 0, reducer: Working())
            try await store.dispatch(.start(count))
            return { await store.shutdown(drain: .cancelEffects) }
        }
    }

    @Test(
        "8,000 effects of one identity, each cancelling its predecessor, take at most 16 times as long as 1,000",
        arguments: [EffectPolicy.cancelInFlight, .newest(1), .newest(2)]
    )
    func policyIsLinear(policy: EffectPolicy) async throws {
        try await expectLinear { count in
            {
                var machine = EffectMachine()
                for _ in 0..<count {
                    _ = machine.begin(Effect<Int>.run(id: "work", policy: policy) { _ in }.operation!)
                }
            }
        }
    }

    static let members: [(String, Effect<Int>)] = [
        ("cancelInFlight", .run(id: "work", policy: .cancelInFlight) { _ in }),
        ("newest", .run(id: "work", policy: .newest(2)) { _ in }),
        ("oldest", .run(id: "work", policy: .oldest(2, overflow: .drop)) { _ in }),
        ("ignoreIfRunning", .run(id: "work", policy: .ignoreIfRunning) { _ in }),
        ("serial", .run(id: "work", policy: .serial) { _ in }),
        ("concurrent", .run(id: "work") { _ in }),
        ("debounced", .run { _ in }.debounce(id: "work", for: .seconds(1))),
        ("throttled", .run { _ in }.throttle(id: "work", for: .seconds(1), latest: true)),
        ("cancelling", .concatenate(.cancel(id: "work"), .run(id: "work") { _ in })),
    ]

    @Test(
        "8,000 members of one effect with one identity take at most 16 times as long to begin as 1,000",
        arguments: members
    )
    func membersAreLinear(name: String, member: Effect<Int>) async throws {
        let operation = try #require(member.operation)
        try await expectLinear { count in
            {
                var machine = EffectMachine()
                _ = machine.begin(.merge(Array(repeating: operation, count: count)))
            }
        }
    }

    @Test("8,000 debounced effects of one identity take at most 16 times as long as 1,000")
    func debounceIsLinear() async throws {
        try await expectLinear { count in
            {
                var machine = EffectMachine()
                for _ in 0..<count {
                    _ = machine.begin(Effect<Int>.run { _ in }.debounce(id: "work", for: .seconds(1)).operation!)
                }
            }
        }
    }

    @Test("Shutting down 4,000 children with an effect each takes at most 16 times as long as 500")
    func childrenAreLinear() async throws {
        try await expectLinear { count in
            let count = count / 2
            let root = Store(initialState: 0, reducer: Working())
            let children = (0..<count).map { _ in root.child(initialState: 0, reducer: Working()) }
            for child in children {
                child.send(.start(1))
            }
            return {
                await root.shutdown(drain: .cancelEffects)
                withExtendedLifetime(children) {}
            }
        }
    }

    @Test("A shutdown that waits for effects of 4,000 children takes at most 16 times as long as for 500")
    func waitsForChildrenAreLinear() async throws {
        try await expectLinear { count in
            let mayEnd = Latch()
            let root = Store(initialState: 0, reducer: Reduce<Int, Int> { _, _ in .none })
            let waiting = Reduce<Int, Int> { _, _ in .run { _ in await mayEnd.wait() } }
            let children = (0..<count / 2).map { _ in root.child(initialState: 0, reducer: waiting) }
            for child in children { child.send(1) }
            return {
                async let end = root.shutdown(drain: .finishEffects)
                // So that each end is one of an effect that the shutdown awaits.
                await until { !root.phase.isReady }
                mayEnd.open()
                _ = await end
                withExtendedLifetime(children) {}
            }
        }
    }

    @Test(
        "A shutdown that waits for 8,000 effects in a row takes at most 16 times as long as for 1,000",
        arguments: [false, true]
    )
    func rowsAreLinear(areQueued: Bool) async throws {
        try await expectLinear { count in
            let mayBegin = Latch()
            let store = Store(
                initialState: 0,
                reducer: Reduce<Int, Int> { _, count in
                    let works = (0..<count).map { number in
                        Effect<Int>.run(id: "row", policy: areQueued ? .serial : .concurrent) { _ in
                            if number == 0 { await mayBegin.wait() }
                        }
                    }
                    return areQueued ? .merge(works) : .concatenate(works)
                }
            )
            store.send(count)
            return {
                async let end = store.shutdown(drain: .finishEffects)
                mayBegin.open()
                _ = await end
            }
        }
    }

    @Test(
        "8,000 effects that a side effect cancels by ending its store take at most 16 times as long as 1,000"
    )
    func beginningIsLinear() async throws {
        try await expectLinear { count in
            let store = Ledger.store()
            let effect = Effect<Ledger.Action>.run { _ in try await Task.sleep(for: .seconds(1_000)) }
            try await store.dispatch(.start(.merge(Array(repeating: effect, count: count))))
            return {
                try await store.dispatch(
                    .start(
                        .run { _ in
                            try await store.dispatch(
                                Work { _ in
                                    store.beginShutdown(drain: .cancelEffects)
                                    // It is spared while the side effect runs.
                                    await until { store.statistics.runningEffects <= 2 }
                                }
                            )
                        }
                    )
                )
                try await store.run()
            }
        }
    }

    @Test("Shutting down 4,000 children concurrently takes at most 16 times as long as 500")
    func manyShutdownsAreLinear() async throws {
        try await expectLinear { count in
            let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
            let children = (0..<count / 2).map { _ in
                root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            }
            return {
                await withTaskGroup(of: Void.self) { group in
                    for child in children { group.addTask { await child.shutdown(drain: .finishEffects) } }
                }
            }
        }
    }

    @Test("A store and its senders are not blocked by a slow cancellation handler")
    func slowHandler() async throws {
        let hold = Hold()
        let working = Working(onCancel: { hold.enter() })
        let store = Store(
            initialState: 0,
            reducer: working,
            configuration: StoreConfiguration(executor: ThreadExecutor())
        )
        try await store.dispatch(.start(1))
        await until { !working.started.elements.isEmpty }
        store.send(.stop)
        await hold.waitUntilEntered()
        #expect(store.send(.count) == .accepted)
        #expect(store.snapshot == 1)
        hold.release()
        await store.shutdown(drain: .finishEffects)
    }

    @Test("A cancellation handler can take a lock held by the sender that cancels the effect")
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
        await until { !working.started.elements.isEmpty }
        let sent = Signal()
        onThread {
            lock.withLock { _ = store.send(.stop) }
            sent.fire()
        }
        await sent.wait()
        await cancelled.wait()
        try await task.finish()
    }

    @Test("A cancellation handler can take a lock held where the task of an action is cancelled")
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
        await until { !working.started.elements.isEmpty }
        let done = Signal()
        onThread {
            lock.withLock { task.cancel() }
            done.fire()
        }
        await done.wait()
        await cancelled.wait()
        try await task.finish()
    }

    @Test("Effects that block all threads until their cancellation are cancelled")
    func busyThreads() async {
        let count = ProcessInfo.processInfo.activeProcessorCount
        let (begun, ends) = (Collector<Void>(), Collector<Bool>())
        let work = Effect<Ledger.Action>.run(id: "work") { _ in
            begun.append(())
            // So that nothing hangs if they are not.
            let limit = Date(timeIntervalSinceNow: 60)
            while !Task.isCancelled && Date() < limit { usleep(1_000) }
            ends.append(Task.isCancelled)
        }
        let store = Ledger.store()
        onThread {
            for _ in 0..<count { store.send(.start(work)) }
            while begun.elements.count < count { usleep(1_000) }
            store.send(.start(.cancel(id: "work")))
        }
        await until { ends.elements.count == count }
        #expect(ends.elements.allSatisfy { $0 })
    }
}
