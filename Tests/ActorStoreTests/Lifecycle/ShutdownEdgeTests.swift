import Foundation
import Testing

@testable import ActorStore

/// Shutdowns that effects ask for, or that come while much is under way.
@Suite("The edges of a shutdown", .timeLimit(.minutes(10)))
struct ShutdownEdgeTests {
    /// Reaches its store, which is set before the first action.
    private final class Holder: @unchecked Sendable {
        // Sound: it is written before any other thread reads it.
        weak var store: Store<Int, Int>?
        var end: (@Sendable () async -> Void)?
    }

    /// What surrounds an effect that shuts its own store down.
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
        await wait { started.elements.count == 2 }
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

    @Test("A store that has ended reduces nothing more, and its observers have seen the newest value")
    func sendingReducer() async throws {
        let store = endlessStore()
        let values = store.values(of: \.self)
        let last = Task { await values.reduce(into: 0) { $0 = $1 } }
        let token = store.observe(\.self) { [weak store] count in
            if count == 3 { store?.beginShutdown(drain: .cancelEffects) }
        }
        store.send(1)
        await store.shutdown(drain: .cancelEffects)
        let count = store.snapshot
        #expect(await last.value == count)
        #expect(await store.state == count)
        #expect(store.statistics.lateActions == 1)
        withExtendedLifetime(token) {}
    }

    @Test("A deadline ends a store whose reducer sends without end")
    func sendingReducerWithDeadline() async throws {
        let store = endlessStore()
        onThread { store.send(1) }
        await wait { store.snapshot > 0 }
        _ = await store.shutdown(drain: .finishEffects, within: .milliseconds(50))
        let count = await store.state
        #expect(await store.state == count)
    }

    @Test("Actions that a child had accepted when a deadline ended it in a suspended tree are counted as late")
    func lateActions() async throws {
        let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let child = root.child(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let values = root.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
        #expect(child.send(1) == .accepted)
        #expect(child.send(contentsOf: [1, 1]) == .accepted)
        await child.shutdown(drain: .finishEffects, within: .milliseconds(20))
        let reader = Task { for await _ in values {} }
        await wait { root.statistics.lateActions == 3 }
        #expect(await root.state == 0)
        reader.cancel()
    }

    @Test("A shutdown of a child with a deadline leaves nothing behind in the tree")
    func nothingBehind() async throws {
        let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        for _ in 0..<10 {
            let child = root.child(initialState: 0) { (count: inout Int, step: Int) in count += step }
            await child.shutdown(drain: .cancelEffects, within: .seconds(10))
        }
        let suspension = root.root.sharedSuspension.load()
        #expect(suspension.map { $0.takeUrgent().isEmpty } ?? true)
    }

    @Test("The shutdown of a branch waits for the effects of that branch alone, whatever stores come and go")
    func branch() async throws {
        let mayEnd = Latch()
        let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let working = Reduce<Int, Int> { _, action in
            action == 0 ? .none : .run { _ in await Task.detached { await mayEnd.wait() }.value }
        }
        let short = Reduce<Int, Int> { _, action in action == 0 ? .none : .run { _ in } }
        let branch = root.child(initialState: 0, reducer: Reduce<Int, Int> { _, _ in .none }) { (_: Int) -> Int? in nil
        }
        var leaves = (0..<40).map { _ in branch.child(initialState: 0, reducer: short) { (_: Int) -> Int? in nil } }
        for leaf in leaves { leaf.send(1) }
        branch.beginShutdown(drain: .finishEffects)
        leaves = []
        let strangers = (0..<200).map { _ in root.child(initialState: 0, reducer: working) { (_: Int) -> Int? in nil } }
        for stranger in strangers { stranger.send(1) }
        await branch.shutdown(drain: .finishEffects)
        #expect(root.statistics.runningEffects == 200)
        mayEnd.open()
        await root.shutdown(drain: .finishEffects)
    }

    @Test(
        "A shutdown after one whose deadline has passed waits for what is left, of a root and of a child",
        arguments: [false, true]
    )
    func leftovers(isChild: Bool) async throws {
        let mayEnd = Latch()
        let working = Reduce<Int, Int> { _, _ in .run { _ in await Task.detached { await mayEnd.wait() }.value } }
        let root = Store(initialState: 0, reducer: isChild ? Reduce<Int, Int> { _, _ in .none } : working)
        let child = root.child(initialState: 0, reducer: working) { (_: Int) -> Int? in nil }
        if isChild { child.send(1) } else { root.send(1) }
        await root.shutdown(drain: .cancelEffects, within: .milliseconds(10))
        let second = Task {
            await root.shutdown(drain: .finishEffects)
            return root.statistics.runningEffects
        }
        await Task.yield()
        mayEnd.open()
        #expect(await second.value == 0)
    }

    @Test(
        "run() throws what the loading threw, whatever that is",
        arguments: [CancellationError(), StoreError.shutDown, StoreError.overloaded] as [any Error & Sendable]
    )
    func failedLoading(error: any Error & Sendable) async throws {
        let store = Store(
            initialState: 0,
            loading: { throw error },
            reducer: Reduce<Int, Int> { _, _ in .none }
        )
        let errors = store.errors
        await #expect(throws: (any Error).self) { try await store.run() }
        #expect(try await errors.all().count == 1)
        #expect(store.phase.description.contains("failed") || store.phase.description == "ended")
    }

    @Test("Shutting a store down releases the closures of others on another thread")
    func closuresOfOthers() async throws {
        let lock = NSLock()
        let released = Collector<Void>()
        let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let owner = Token {}
        func token() -> Token { Token { lock.withLock { released.append(()) } } }
        do {
            let (first, second, third) = (token(), token(), token())
            store.observe(\.self, owner: owner) { _, _ in withExtendedLifetime(first) {} }
            store.use(
                Interceptor("holding") { action, _, next in
                    withExtendedLifetime(second) {}
                    try next(action)
                }
            )
            store.use(
                AsyncInterceptor("holding") { action, _ in
                    withExtendedLifetime(third) {}
                    return action
                }
            )
        }
        let done = Signal()
        onThread {
            lock.withLock { store.beginShutdown(drain: .cancelEffects) }
            done.fire()
        }
        await done.wait()
        await wait { released.elements.count == 3 }
        withExtendedLifetime(owner) {}
    }

    @Test("A shutdown by an effect does not wait for effects that come to wait for it later, by way of another store")
    func awaitingElsewhere() async throws {
        let holder = Holder()
        let (isShutDown, isAwaited) = (Signal(), Latch())
        let tasks = Collector<StoreTask>()
        let other = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in
                .run { _ in
                    isAwaited.open()
                    while holder.store?.phase.description == "ready" { await Task.yield() }
                    // So that the shutdown has looked at what runs.
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
        "A shutdown by an effect does not wait for effects that wait for work in a queue behind that effect",
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
                // There would be room for this one, were it not behind one for which there is none.
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

    @Test("A shutdown of a child by an effect does not wait for what comes into a queue of the root behind that effect")
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
        // Until then nothing that the child's effect waits for is in the queue.
        await wait { child.phase.description == "shutting down" }
        mayGoOn.open()
        await isShutDown.wait()
        await store.shutdown(drain: .finishEffects)
        holder.end = nil
    }

    @Test("An effect cannot wait for the end of its own store, nor one of a child for that of its root")
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

    @Test("What a group consists of is reported with the identity of the group, and the group is not")
    func unfinishedGroup() async throws {
        let (started, mayEnd) = (Collector<Void>(), Latch())
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in
                let stubborn = Effect<Int>.run { _ in
                    started.append(())
                    await Task.detached { await mayEnd.wait() }.value
                }
                return .merge(stubborn, .concatenate(stubborn, stubborn)).cancellable(id: "group")
            }
        )
        let errors = store.errors
        store.send(1)
        await wait { started.elements.count == 2 }
        let report = await store.shutdown(drain: .cancelEffects, within: .milliseconds(1))
        #expect(report.unfinishedEffects.map(\.id) == [EffectID("group"), EffectID("group")])
        #expect(try await errors.all().count == 2)
        mayEnd.open()
    }

    @Test("Shutdowns by effects do not wait for each other by way of effects that wait for these effects")
    func crossing() async throws {
        typealias Branch = Store<Joined<Int, Int>, Int>
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
        await wait { ready.elements.count == 2 }
        both.open()
        await branches.c?.shutdown(drain: .finishEffects)
        await branches.d?.shutdown(drain: .finishEffects)
        await root.shutdown(drain: .finishEffects)
        #expect(root.statistics.runningEffects == 0)
        (branches.a, branches.b, branches.c, branches.d) = (nil, nil, nil, nil)
    }

    @Test("A shutdown by an effect waits for effects that shut down something else")
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
        for _ in 0..<100 { await Task.yield() }
        mayEnd.open()
        await shutdown.value
        #expect(store.snapshot.local == 3)
    }

    @Test("A shutdown of a child that finishes effects reduces what its reducers have asked to be sent")
    func sentActions() async throws {
        let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += 1 }
        let child = root.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { count, step in
                count += 1
                return step > 1 ? .send(step - 1) : .none
            }
        )
        let hold = Hold()
        let token = root.observe(\.self) { count in if count == 1 { hold.enter() } }
        onThread { child.send(100) }
        await hold.waitUntilEntered()
        async let end: Void = child.shutdown(drain: .finishEffects)
        await wait { child.phase.description != "ready" }
        hold.release()
        await end
        #expect(child.snapshot.local == 100 && root.statistics.lateActions == 0)
        withExtendedLifetime(token) {}
    }

    @Test("A further shutdown of a branch waits for what is left of it, also below a store that has ended")
    func leftoversBelow() async throws {
        let mayEnd = Latch()
        let working = Reduce<Int, Int> { _, action in
            action == 0 ? .none : .run { _ in await Task.detached { await mayEnd.wait() }.value }
        }
        let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let branch = root.child(initialState: 0, reducer: working) { (_: Int) -> Int? in nil }
        let middle = branch.child(initialState: 0, reducer: working) { (_: Int) -> Int? in nil }
        let leaf = middle.child(initialState: 0, reducer: working) { (_: Int) -> Int? in nil }
        leaf.send(1)
        await middle.shutdown(drain: .cancelEffects, within: .milliseconds(1))
        let second = Task {
            await branch.shutdown(drain: .cancelEffects)
            return root.statistics.runningEffects
        }
        for _ in 0..<100 { await Task.yield() }
        mayEnd.open()
        #expect(await second.value == 0)
        #expect(root.root.nodes.isEmpty)
    }

    @Test("A child that a deadline ends before it has joined a suspended tree leaves nothing in it")
    func endedBeforeItBegan() async throws {
        weak var weakRoot: Store<Int, Int>?
        weak var core: TreeRoot?
        do {
            let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
            weakRoot = root
            core = root.root
            let values = root.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
            root.send(1)
            let child = root.child(initialState: 0) { (count: inout Int, step: Int) in count += step }
            await child.shutdown(drain: .cancelEffects, within: .milliseconds(1))
            let reader = Task { for await _ in values {} }
            _ = await root.state
            #expect(root.root.nodes.isEmpty)
            reader.cancel()
            await reader.value
        }
        await wait { weakRoot == nil && core == nil }
    }

    @Test("Every caller of run() gets the error of the loading")
    func everyCaller() async throws {
        struct Broken: Error {}
        let store = Store(
            initialState: 0,
            loading: { throw Broken() },
            reducer: Reduce<Int, Int> { _, _ in .none }
        )
        let errors = store.errors
        await #expect(throws: Broken.self) { try await store.run() }
        await #expect(throws: Broken.self) { try await store.run() }
        withExtendedLifetime(errors) {}
    }

    @Test(
        "Ending a store or a child under a lock runs no deinitialiser of what others have handed in",
        arguments: 0..<6
    )
    func deinitialisers(kind: Int) async throws {
        let lock = NSLock()
        let released = Collector<Void>()
        for round in 1...200 {
            let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
            let started = Signal()
            let owner = Token {}
            var child: Store<Joined<Int, Int>, Int>?
            var token: Observation?
            do {
                let probe = Token { lock.withLock { released.append(()) } }
                child = root.child(
                    initialState: 0,
                    reducer: Reduce<Int, Int> { [probe = kind == 3 ? probe : nil] _, _ in
                        .concatenate(
                            .run { _ in
                                started.fire()
                                try await Task.sleep(for: .seconds(1_000))
                            },
                            .run { [probe] _ in withExtendedLifetime(probe) {} }
                        )
                    }
                ) { (_: Int) -> Int? in nil }
                switch kind {
                case 0: child?.observe(\.local, owner: owner) { _, _ in withExtendedLifetime(probe) {} }
                case 1, 2: child?.observe(\.parent, owner: owner) { _, _ in withExtendedLifetime(probe) {} }
                case 3:
                    child?.send(1)
                    await started.wait()
                case 4:
                    token = root.scope(
                        state: { count in
                            withExtendedLifetime(probe) {}
                            return count + 1
                        },
                        action: { $0 }
                    ).observe(\.self) { _ in }
                default:
                    child?.use(
                        Interceptor("probe") { action, _, next in
                            withExtendedLifetime(probe) {}
                            try next(action)
                        }
                    )
                }
            }
            let ended = Signal()
            let ending = Guarded<Store<Joined<Int, Int>, Int>?>(child)
            child = nil
            onThread {
                lock.withLock {
                    switch kind {
                    case 2: ending.withLock { $0 = nil }
                    case 4: root.beginShutdown(drain: .cancelEffects)
                    default: ending.withLock { $0 }?.beginShutdown(drain: .cancelEffects)
                    }
                }
                ended.fire()
            }
            await ended.wait()
            ending.withLock { $0 = nil }
            if kind == 3 { root.beginShutdown(drain: .cancelEffects) }
            await wait { released.elements.count == round }
            withExtendedLifetime((owner, token)) {}
        }
    }
}
