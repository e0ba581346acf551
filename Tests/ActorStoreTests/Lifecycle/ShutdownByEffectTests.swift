import Foundation
import Testing

@testable import ActorStore
@testable import TestFixtures

/// Shutdowns by effects: what they wait for, and what not.
@Suite("Shutdowns by effects", .timeLimit(.minutes(10)))
struct ShutdownByEffectTests {
    /// Reaches its store, which is set before the first action.
    private final class Holder: @unchecked Sendable {
        // Sound: it is written before any other thread reads it.
        weak var store: Store<Int, Int>?
        var end: (@Sendable () async -> Void)?
    }

    /// The surroundings of an effect that shuts its own store down.
    enum Surroundings: CaseIterable, Sendable {
        case none, laterStep, laterSend, twoGroups, groupWithOther, debouncedGroup, queue
    }

    @Test(
        "An effect that shuts its own store down does not wait for itself, whatever it is a part of",
        arguments: Surroundings.allCases,
        [ShutdownDrain.finishEffects, .cancelEffects]
    )
    func ownStore(surroundings: Surroundings, drain: ShutdownDrain) async throws {
        let holder = Holder()
        let returned = Signal()
        let ending = Effect<Int>.run { _ in
            await holder.store?.shutdown(drain: drain)
            returned.fire()
        }
        let effect: Effect<Int> =
            switch surroundings {
            case .none: ending
            case .laterStep: .concatenate(ending, .fireAndForget {})
            case .laterSend: .concatenate(ending, .send(0))
            case .twoGroups: ending.cancellable(id: "inner").cancellable(id: "outer")
            case .groupWithOther: .merge(ending, .fireAndForget {}).cancellable(id: "group")
            case .debouncedGroup: .merge(ending, .fireAndForget {}).debounce(id: "group", for: .milliseconds(1))
            case .queue:
                .merge(
                    .run(id: "queue", policy: .serial) { _ in
                        await holder.store?.shutdown(drain: drain)
                        returned.fire()
                    },
                    .run(id: "queue", policy: .serial) { _ in }
                )
            }
        let store = Store(initialState: 0, reducer: Reduce<Int, Int> { _, action in action == 1 ? effect : .none })
        holder.store = store
        try await store.dispatch(1)
        await returned.wait()
        await store.shutdown(drain: .finishEffects)
        #expect(store.phase.description == "ended" && store.statistics.runningEffects == 0)
    }

    @Test(
        "Two effects that shut their store down do not wait for each other",
        arguments: [ShutdownDrain.finishEffects, .cancelEffects]
    )
    func twoEffects(drain: ShutdownDrain) async throws {
        let holder = Holder()
        let both = Latch()
        let started = Collector<Void>()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in
                .run { _ in
                    started.append(())
                    await both.wait()
                    await holder.store?.shutdown(drain: drain)
                }
            }
        )
        holder.store = store
        store.send(contentsOf: [1, 2])
        await until { started.elements.count == 2 }
        both.open()
        await store.shutdown(drain: .finishEffects)
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("A shutdown by an effect does not wait for effects that wait for that effect")
    func awaitingEffect() async throws {
        let holder = Holder()
        let (isShutDown, isAwaited) = (Signal(), Latch())
        let tasks = Collector<StoreTask>()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, action in
                action == 1
                    ? .run { _ in
                        await isAwaited.wait()
                        await holder.store?.shutdown(drain: .finishEffects)
                        isShutDown.fire()
                    }
                    : .run { _ in
                        isAwaited.open()
                        try await tasks.elements[0].finish()
                    }
            }
        )
        holder.store = store
        tasks.append(try await store.dispatch(1))
        store.send(2)
        await isShutDown.wait()
        await store.shutdown(drain: .finishEffects)
    }

    @Test("A shutdown by an effect does not wait for effects that later wait for it through another store")
    func awaitingElsewhere() async throws {
        let holder = Holder()
        let (isShutDown, isAwaited) = (Signal(), Latch())
        let tasks = Collector<StoreTask>()
        let other = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in
                .run { _ in
                    isAwaited.open()
                    await until { holder.store?.phase.description != "ready" }
                    // So that the shutdown has checked what runs.
                    _ = await holder.store?.state
                    try await tasks.elements[0].finish()
                }
            }
        )
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, action in
                action == 1
                    ? .run { _ in
                        await isAwaited.wait()
                        await holder.store?.shutdown(drain: .finishEffects)
                        isShutDown.fire()
                    }
                    : .run { _ in try await other.dispatch(1).finish() }
            }
        )
        holder.store = store
        tasks.append(try await store.dispatch(1))
        store.send(2)
        await isShutDown.wait()
        await store.shutdown(drain: .finishEffects)
    }

    @Test(
        "A shutdown by an effect does not wait for effects that wait for an operation in a queue behind that effect",
        arguments: [false, true],
        [1, 3]
    )
    func awaitingQueue(isGroup: Bool, lastLimit: Int) async throws {
        let holder = Holder()
        let (isShutDown, isAwaited) = (Signal(), Latch())
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, action in
                switch action {
                case 1:
                    let work = Effect<Int>.run { _ in
                        await isAwaited.wait()
                        await holder.store?.shutdown(drain: .finishEffects)
                        isShutDown.fire()
                    }
                    return (isGroup ? .concatenate(work, .fireAndForget {}) : work)
                        .cancellable(id: "disk", policy: .serial)
                case 2: return .run(id: "disk", policy: .serial) { _ in }
                // This one would have room if it were not behind one without room.
                case 3: return .run(id: "disk", policy: .oldest(lastLimit, overflow: .suspend)) { _ in }
                default:
                    return .run { _ in
                        let task = try await holder.store?.dispatch(3)
                        isAwaited.open()
                        try await task?.finish()
                    }
                }
            }
        )
        holder.store = store
        store.send(1)
        store.send(2)
        store.send(4)
        await isShutDown.wait()
        await store.shutdown(drain: .finishEffects)
        #expect(store.statistics.runningEffects == 0)
    }

    @Test(
        "A shutdown by an effect waits for operations behind cancelled ones in a queue with room beside that effect"
    )
    func behindCancelledWork() async throws {
        let holder = Holder()
        let cancelled = Collector<StoreTask>()
        let (isQueued, done) = (Latch(), Collector<Int>())
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, action in
                switch action {
                case 1:
                    .run(id: "disk", policy: .serial) { _ in
                        await isQueued.wait()
                        // The cancelled operation is still in the queue when the shutdown begins, because no thread is
                        // free.
                        for task in cancelled.elements { task.cancel() }
                        await holder.store?.shutdown(drain: .finishEffects)
                    }
                case 2: .run(id: "disk", policy: .serial) { _ in }
                default:
                    .run(id: "disk", policy: .oldest(2, overflow: .suspend)) { _ in
                        if !Task.isCancelled { done.append(action) }
                    }
                }
            },
            configuration: StoreConfiguration(executor: OneThreadExecutor())
        )
        holder.store = store
        try await store.dispatch(1)
        cancelled.append(try await store.dispatch(2))
        try await store.dispatch(3)
        isQueued.open()
        try await store.run()
        #expect(done.elements == [3])
    }

    @Test("A shutdown of a child by an effect does not wait for operations in a root's queue behind that effect")
    func laterQueue() async throws {
        let holder = Holder()
        let (isShutDown, isAsked, mayGoOn) = (Signal(), Latch(), Latch())
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, action in
                action == 1
                    ? .run(id: "disk", policy: .serial) { _ in
                        await isAsked.wait()
                        await holder.end?()
                        isShutDown.fire()
                    } : .concatenate(.run { _ in await mayGoOn.wait() }, .run(id: "disk", policy: .serial) { _ in })
            }
        )
        let child = store.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in
                .run { [weak store] _ in
                    let task = try await store?.dispatch(2)
                    isAsked.open()
                    try await task?.finish()
                }
            },
            action: { _ in nil }
        )
        holder.end = { await child.shutdown(drain: .finishEffects) }
        store.send(1)
        try await child.dispatch(0)
        await isAsked.wait()
        // Until then the queue has no operation that the child's effect waits for.
        await until { child.phase.description == "shutting down" }
        mayGoOn.open()
        await isShutDown.wait()
        await store.shutdown(drain: .finishEffects)
        holder.end = nil
    }

    @Test("An effect cannot wait for the end of its own store, nor a child's effect for the end of its root")
    func awaitingOwnEnd() async throws {
        let holder = Holder()
        let failures = Collector<StoreError>()
        let reducer = Reduce<Int, Int> { _, _ in
            .run { _ in
                do throws(any Error) { try await holder.store?.run() } catch let error as StoreError {
                    failures.append(error)
                }
            }
        }
        let store = Store(initialState: 0, reducer: reducer)
        holder.store = store
        let child = store.child(initialState: 0, reducer: reducer)
        try await child.dispatch(1).finish()
        #expect(failures.elements == [.awaitsItself, .awaitsItself])
        await store.shutdown(drain: .cancelEffects)
        try await store.run()
    }

    @Test("Shutdowns by effects do not wait for each other through effects that wait for these effects")
    func crossing() async throws {
        typealias Branch = Store<ParentAndChild<Int, Int>, Int>
        final class Branches: @unchecked Sendable {
            // Sound: it is filled before the first action.
            var a: Branch?, b: Branch?, c: Branch?, d: Branch?
        }
        let branches = Branches()
        let both = Latch()
        let ready = Collector<Void>()
        let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        func branch(_ work: @escaping @Sendable () async throws -> Void) -> Branch {
            root.child(initialState: 0, reducer: Reduce<Int, Int> { _, _ in .run { _ in try await work() } }) { _ in nil
            }
        }
        @Sendable func meet() async {
            ready.append(())
            await both.wait()
        }
        branches.a = branch {
            await meet()
            await branches.d?.shutdown(drain: .finishEffects)
        }
        branches.b = branch {
            await meet()
            await branches.c?.shutdown(drain: .finishEffects)
        }
        branches.c = branch { try await branches.a?.dispatch(1).finish() }
        branches.d = branch { try await branches.b?.dispatch(1).finish() }
        branches.c?.send(1)
        branches.d?.send(1)
        await until { ready.elements.count == 2 }
        both.open()
        await branches.c?.shutdown(drain: .finishEffects)
        await branches.d?.shutdown(drain: .finishEffects)
        await root.shutdown(drain: .finishEffects)
        #expect(root.statistics.runningEffects == 0)
        (branches.a, branches.b, branches.c, branches.d) = (nil, nil, nil, nil)
    }

    @Test("A shutdown by an effect waits for effects that shut down other stores")
    func otherShutdown() async throws {
        let holder = Holder()
        let (sibling, mayEnd) = (Latch(), Latch())
        let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let other = root.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in .run { _ in await Task.detached { await mayEnd.wait() }.value } }
        ) { (_: Int) -> Int? in nil }
        other.send(1)
        let store = root.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { count, action in
                switch action {
                case 1:
                    return .run { send in
                        sibling.open()
                        await other.shutdown(drain: .finishEffects)
                        send(3)
                    }
                case 2:
                    return .run { _ in
                        await sibling.wait()
                        await holder.end?()
                    }
                default:
                    count += action
                    return .none
                }
            }
        )
        holder.end = { [weak store] in await store?.shutdown(drain: .finishEffects) }
        store.send(1)
        store.send(2)
        await sibling.wait()
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        await letOtherTasksRun()
        mayEnd.open()
        _ = await shutdown.value
        #expect(store.snapshot.local == 3)
    }
}
