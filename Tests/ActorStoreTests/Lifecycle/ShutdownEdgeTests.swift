import Foundation
import Testing

@testable import ActorStore
@testable import TestFixtures

/// Shutdowns during much other activity.
@Suite("Edge cases of shutdowns", .timeLimit(.minutes(10)))
struct ShutdownEdgeTests {
    @Test("An ended store reduces nothing more, and its observers have received the newest value")
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
        await until { store.snapshot > 0 }
        _ = await store.shutdown(drain: .finishEffects, within: .milliseconds(50))
        let count = await store.state
        #expect(await store.state == count)
    }

    @Test("Accepted actions of a child that a deadline ends in a suspended tree are counted as late")
    func lateActions() async throws {
        let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
        let values = root.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
        #expect(child.send(1) == .accepted)
        #expect(child.send(contentsOf: [1, 1]) == .accepted)
        await child.shutdown(drain: .finishEffects, within: .milliseconds(20))
        let reader = Task { for await _ in values {} }
        await until { root.statistics.lateActions == 3 }
        #expect(await root.state == 0)
        reader.cancel()
    }

    @Test("A shutdown of a child with a deadline leaves nothing behind in the tree")
    func nothingBehind() async throws {
        let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        for _ in 0..<10 {
            let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            await child.shutdown(drain: .cancelEffects, within: .seconds(10))
        }
        let suspension = root.root.sharedSuspension.load()
        #expect(suspension.map { $0.takeUrgent().isEmpty } ?? true)
    }

    @Test("A shutdown of a branch waits for the effects of that branch alone, whatever stores come and go")
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
        "A shutdown after a missed deadline waits for the remaining effects, of a root and of a child",
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
        "run() throws any error of the loading",
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

    @Test("Shutting a store down releases user closures on another thread")
    func closuresOfOthers() async throws {
        let lock = NSLock()
        let released = Collector<Void>()
        let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let owner = Token {}
        func token() -> Token { Token { lock.withLock { released.append(()) } } }
        do {
            let (first, second, third) = (token(), token(), token())
            store.observe(\.self) { _ in withExtendedLifetime(first) {} }.bound(to: owner)
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
        await until { released.elements.count == 3 }
        withExtendedLifetime(owner) {}
    }

    @Test("Unfinished members of a group are reported with the identity of the group, and the group is not")
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
        await until { started.elements.count == 2 }
        let report = await store.shutdown(drain: .cancelEffects, within: .milliseconds(1))
        #expect(report.unfinishedEffects.map(\.id) == [EffectID("group"), EffectID("group")])
        #expect(try await errors.all().count == 2)
        mayEnd.open()
    }

    @Test("A shutdown of a child that finishes effects reduces the actions its reducers send")
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
        async let end = child.shutdown(drain: .finishEffects)
        await until { child.phase.description != "ready" }
        hold.release()
        _ = await end
        #expect(child.snapshot.local == 100 && root.statistics.lateActions == 0)
        withExtendedLifetime(token) {}
    }

    @Test("A further shutdown of a branch waits for its remaining effects, also below an ended store")
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
        await letOtherTasksRun()
        mayEnd.open()
        #expect(await second.value == 0)
        #expect(root.root.children.isEmpty)
    }

    @Test("A child that a deadline ends before it joins a suspended tree leaves nothing in it")
    func endedBeforeItBegan() async throws {
        weak var weakRoot: Store<Int, Int>?
        weak var core: TreeRoot?
        do {
            let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
            weakRoot = root
            core = root.root
            let values = root.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
            root.send(1)
            let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            await child.shutdown(drain: .cancelEffects, within: .milliseconds(1))
            let reader = Task { for await _ in values {} }
            _ = await root.state
            #expect(root.root.children.isEmpty)
            reader.cancel()
            await reader.value
        }
        await until { weakRoot == nil && core == nil }
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
        "Ending a store or a child under a lock runs no deinitialiser of user values",
        arguments: 0..<6
    )
    func deinitialisers(kind: Int) async throws {
        let lock = NSLock()
        let released = Collector<Void>()
        for round in 1...200 {
            let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
            let started = Signal()
            let owner = Token {}
            var child: Store<ParentAndChild<Int, Int>, Int>?
            var token: StoreObservation?
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
                case 0: child?.observe(\.local) { _ in withExtendedLifetime(probe) {} }.bound(to: owner)
                case 1, 2: child?.observe(\.parent) { _ in withExtendedLifetime(probe) {} }.bound(to: owner)
                case 3:
                    child?.send(1)
                    await started.wait()
                case 4:
                    let scope: Store<Int, Int> = root.scope({ count in
                        withExtendedLifetime(probe) {}
                        return count + 1
                    })
                    token = scope.observe(\.self) { _ in }
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
            let ending = LockedValue<Store<ParentAndChild<Int, Int>, Int>?>(child)
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
            await until { released.elements.count == round }
            withExtendedLifetime((owner, token)) {}
        }
    }
}
