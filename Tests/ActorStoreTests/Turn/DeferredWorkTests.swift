import ActorStoreCommands
import ActorStoreGroups
import ActorStoreInstruments
import Foundation
import Testing

@testable import ActorStore
@testable import TestFixtures

/// Work that does not affect the state is done after the turn has been passed on.
@Suite("Deferred work", .timeLimit(.minutes(10)))
struct DeferredWorkTests {
    private enum Action: Sendable { case hold(Hold), carry(Token) }

    /// Counts actions, and holds its turn during the first while requested.
    private struct HoldAndCount: Reducer {
        func reduce(into count: inout Int, action: Action) -> Effect<Action> {
            if case .hold(let hold) = action { hold.enter() }
            count += 1
            return .none
        }
    }

    private func makeStore(mailbox: MailboxCapacity = .unbounded) -> Store<Int, Action> {
        Store(initialState: 0, reducer: HoldAndCount(), configuration: StoreConfiguration(mailbox: mailbox))
    }

    @Test(
        "The deinitialiser of a payload can read the snapshot, whether the store is idle or busy",
        arguments: [false, true]
    )
    func payloads(isBusy: Bool) async throws {
        let store = makeStore()
        let hold = Hold()
        if isBusy {
            onThread { store.send(.hold(hold)) }
            await hold.waitUntilEntered()
        }
        let (seen, continuation) = AsyncStream.makeStream(of: Int?.self)
        store.send(.carry(Token { [weak store] in continuation.yield(store?.snapshot) }))
        hold.release()
        for await snapshot in seen {
            #expect(snapshot == (isBusy ? 2 : 1))
            break
        }
    }

    @Test("The deinitialiser of a payload can send to its store, and runs outside of turns")
    func sendingPayloads() async throws {
        let store = makeStore()
        let hold = Hold()
        onThread { store.send(.hold(hold)) }
        await hold.waitUntilEntered()
        let (seen, continuation) = AsyncStream.makeStream(of: Void.self)
        store.send(
            .carry(
                Token { [weak store] in
                    store?.send(.carry(Token {}))
                    continuation.yield()
                }
            )
        )
        hold.release()
        for await _ in seen { break }
        #expect(await store.state == 3)
    }

    @Test(
        "Actions can be made of a snapshot while they are sent, whether the store is idle or busy",
        arguments: [false, true]
    )
    func lazyActions(isBusy: Bool) async throws {
        let store = Store(initialState: 1) { (count: inout Int, step: Int) in count += step }
        let hold = Hold()
        store.send(isBusy ? -1 : 0)
        let token = store.observe(.part(\.self).replay(.none)) { _ in if isBusy { hold.enter() } }
        if isBusy {
            onThread { store.send(1) }
            await hold.waitUntilEntered()
        }
        #expect(store.send(contentsOf: (1...3).lazy.map { $0 * store.snapshot }) == .accepted)
        token.cancel()
        hold.release()
        #expect(await store.state == 7)
    }

    @Test("The deinitialiser of a payload that a reducer displaces from the mailbox can read the snapshot")
    func displacedPayload() async throws {
        let (seen, continuation) = AsyncStream.makeStream(of: Int?.self)
        let holder = WeakHolder<Store<Int, Action>>()
        let store = Store(
            initialState: 0,
            configuration: StoreConfiguration(mailbox: .bounded(1, whenFull: .dropOldest))
        ) { (count: inout Int, action: Action) in
            if case .hold(let hold) = action {
                hold.enter()
                holder.object?.send(.carry(Token {}))
            }
            count += 1
        }
        holder.object = store
        let hold = Hold()
        onThread { store.send(.hold(hold)) }
        await hold.waitUntilEntered()
        store.send(.carry(Token { continuation.yield(holder.object?.snapshot) }))
        hold.release()
        for await snapshot in seen {
            #expect(snapshot != nil)
            break
        }
        #expect(await store.state == 2)
    }

    @Test("A payload that a reducer displaces from another store's mailbox is not released by the reducer")
    func displacedElsewhere() async throws {
        for _ in 0..<100 {
            let other = makeStore(mailbox: .bounded(1, whenFull: .dropOldest))
            let store = Store(initialState: 0) { (count: inout Int, step: Int) in
                other.send(.carry(Token {}))
                count += step
            }
            let (seen, continuation) = AsyncStream.makeStream(of: Int.self)
            let hold = Hold()
            onThread { other.send(.hold(hold)) }
            await hold.waitUntilEntered()
            other.send(.carry(Token { continuation.yield(store.snapshot) }))
            store.send(1)
            // Not while the reducer runs, which the snapshot would wait for.
            for await count in seen {
                #expect(count == 1)
                break
            }
            hold.release()
        }
    }

    @Test(
        "The caller that ends the wait of dispatches for room releases nothing of them",
        arguments: EndOfWaiting.allCases
    )
    func dispatchesThatWait(end: EndOfWaiting) async throws {
        let mayLoad = Signal()
        let store = Store(
            initialState: 0,
            loading: {
                await mayLoad.wait()
                return 0
            },
            reducer: HoldAndCount(),
            configuration: StoreConfiguration(mailbox: .bounded(1, whenFull: .suspend))
        )
        let released = Collector<Bool>()
        // After their waits they end before anything else happens, so the caller that ends the waits holds the last
        // references to their captures.
        let tasks = (0...1).map { _ in
            Task(executorPreference: ImmediateExecutor()) {
                _ = try? await store.dispatch(.carry(Token { released.append(Thread.current.endsSomething) }))
            }
        }
        await until { store.statistics.suspendedDispatches == 1 }
        let ended = Signal()
        onThread {
            Thread.current.endsSomething = true
            switch end {
            case .shutdown: store.beginShutdown(drain: .cancelEffects)
            case .cancellation: for task in tasks { task.cancel() }
            }
            ended.fire()
        }
        await ended.wait()
        mayLoad.fire()
        for task in tasks { await task.value }
        await until { released.elements.count == tasks.count }
        #expect(!released.elements.contains(true))
    }

    @Test("Values retained by a child's postponed effects are not released on the thread that ends the child")
    func postponedEffects() async throws {
        struct Load: Equatable, Sendable {
            let number: Int
            var token: Token?
            static func == (left: Load, right: Load) -> Bool { left.number == right.number }
        }
        let released = Collector<Bool>()
        let root = Store(
            initialState: false,
            reducer: Reduce<Bool, Load> { _, _ in .none },
            configuration: StoreConfiguration(executor: AwaitedExecutor())
        )
        let reducer = Reduce<Load, Load> { load, new in
            load = new
            return .none
        }
        let child = root.child(initialState: Load(number: 0), reducer: reducer)
        child.effect(onChange: \.local) { _, _ in .postpone(until: \.parent) }
        child.send(Load(number: 1, token: Token { released.append(Thread.current.endsSomething) }))
        child.send(Load(number: 2))
        onThread {
            Thread.current.endsSomething = true
            child.beginShutdown(drain: .cancelEffects)
        }
        await until { released.elements.count == 1 }
        #expect(released.elements == [false])
    }

    /// Runs each job on its own thread, and makes the enqueuing thread wait for it: a background task thus releases
    /// before anything that the thread releases afterwards.
    private final class AwaitedExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let (job, executor) = (UnownedJob(job), asUnownedTaskExecutor())
            let hasRun = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                job.runSynchronously(on: executor)
                hasRun.signal()
            }
            hasRun.wait()
        }
    }

    /// Runs each job at once, on the enqueuing thread.
    private final class ImmediateExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    enum EndOfWaiting: CaseIterable { case shutdown, cancellation }

    @Test("The deinitialiser of an old value kept by a rule can read the snapshot")
    func valuesOfRules() async throws {
        struct Version: Equatable, Sendable {
            var number: Int
            var token: Token
            static func == (left: Version, right: Version) -> Bool { left.number == right.number }
        }
        let (seen, continuation) = AsyncStream.makeStream(of: Int?.self)
        let holder = WeakHolder<Store<Version, Int>>()
        @Sendable func version(_ number: Int) -> Version {
            Version(number: number, token: Token { continuation.yield(holder.object?.snapshot.number) })
        }
        let rules = Interceptor<Version, Int>.observing(
            .onChange(of: \.self) { _, _ in nil },
            .onAction { (_: Int, _: Version, _: Version) in nil }
        )
        let store = Store(initialState: version(0), interceptors: [rules]) { (state: inout Version, number: Int) in
            state = version(number)
        }
        holder.object = store
        // During the reduction of the second action, rules retain what the first one has replaced.
        store.send(contentsOf: [1, 2])
        for await number in seen {
            #expect(number == 2)
            break
        }
    }

    @Test(
        "The deinitialiser of a mapped child's action can read a snapshot",
        arguments: [false, true]
    )
    func embeddedActions(isBatch: Bool) async throws {
        let (seen, continuation) = AsyncStream.makeStream(of: Int.self)
        let other = Store(initialState: 7) { (count: inout Int, step: Int) in count += step }
        let parent = Store(initialState: 0) { (count: inout Int, _: Action) in count += 1 }
        let scope = parent.scope({ $0 }).scope(
            state: \.self,
            action: { (_: Int) in Action.carry(Token { continuation.yield(other.snapshot) }) }
        )
        let child = parent.child(initialState: 0, reducer: Reduce<Int, Int> { _, _ in .none }) { (_: Int) -> Action? in
            .carry(Token { continuation.yield(other.snapshot) })
        }
        let grandchild = scope.child(initialState: 0, reducer: Reduce<Int, Int> { _, _ in .none }) {
            (step: Int) -> Int? in step
        }
        if isBatch {
            child.send(contentsOf: [1, 2])
            grandchild.send(contentsOf: [1, 2])
        } else {
            child.send(1)
            grandchild.send(1)
        }
        var count = 0
        for await snapshot in seen {
            #expect(snapshot == 7)
            count += 1
            if count == (isBatch ? 4 : 2) { break }
        }
    }

    @Test("Values released in a batch by the engine's interceptors and the errors are released after it")
    func batches() async throws {
        struct Broken: Error {}
        let (seen, continuation) = AsyncStream.makeStream(of: Int.self)
        let other = Store(initialState: 7) { (count: inout Int, step: Int) in count += step }
        @Sendable func token() -> Token { Token { continuation.yield(other.snapshot) } }
        var count = 0
        var snapshots = seen.makeAsyncIterator()
        func expectRelease() async {
            #expect(await snapshots.next() == 7)
            count += 1
        }

        let printing = Store(initialState: Optional(token()), interceptors: [.printChanges(to: { _ in })]) {
            (token: inout Token?, _: Int) in token = nil
        }
        printing.send(contentsOf: [1, 2])
        await expectRelease()

        let following = Store(
            initialState: 0,
            interceptors: [.observing(.onAction { (_: Action, _: Int) in .carry(token()) })],
            configuration: StoreConfiguration(mailbox: .bounded(1, whenFull: .reject))
        ) { (count: inout Int, _: Action) in count += 1 }
        let errors = following.errors
        let refused = Token {}
        following.send(contentsOf: [.carry(refused), .carry(refused), .carry(refused)])
        await expectRelease()
        following.beginShutdown(drain: .cancelEffects)
        withExtendedLifetime(errors) {}

        let failing = Store(
            initialState: 0,
            reducer: Reduce<Int, Action> { _, _ in .run { _ in throw Broken() } }
        )
        await StoreIssueReporter.$scoped.withValue(StoreIssueReporter { _ in }) {
            _ = try? await failing.dispatch(.carry(token())).finish()
            failing.use(Interceptor("throwing") { _, _, _ in throw Broken() })
            failing.send(contentsOf: Array(repeating: .carry(refused), count: 70))
        }
        await expectRelease()
        #expect(count == 3)
        await failing.shutdown(drain: .finishEffects)
        _ = try await failing.errors.all()
    }

    @Test("A waiting effect of a queue begins after the turn has been passed on")
    func admissions() async throws {
        let holder = WeakHolder<Store<Int, Int>>()
        let executor = WatchingExecutor { holder.object?.root.gate.isOwnedByThisThread ?? false }
        let mayEnd = Latch()
        let ended = Collector<Void>()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in
                .run(id: "queue", policy: .serial) { _ in
                    await mayEnd.wait()
                    ended.append(())
                }
            },
            configuration: StoreConfiguration(executor: executor)
        )
        holder.object = store
        store.send(1)
        store.send(1)
        store.send(1)
        mayEnd.open()
        await until { ended.elements.count == 3 }
        #expect(!executor.jobs.elements.contains(true))
    }

    @Test("Waits for an action, for loading or for a condition resume after the turn has been passed on")
    func continuations() async throws {
        let (loaded, wanted) = (Latch(), Latch())
        let store = Store(
            initialState: 0,
            loading: {
                await loaded.wait()
                return 1
            },
            reducer: Reduce<Int, Int> { count, step in
                count += step
                return .none
            }
        )
        let executor = WatchingExecutor { store.root.gate.isOwnedByThisThread }
        let waiting = Task(executorPreference: executor) {
            try await store.ready()
            async let action = store.take(.where { $0 == 1 })
            async let condition: Void = { _ = try await store.condition { $0 == 2 } }()
            wanted.open()
            return try await (action, condition).0
        }
        await until { executor.jobs.elements.count > 0 }
        loaded.open()
        await wanted.wait()
        await until { store.statistics.observers == 2 }
        store.send(1)
        #expect(try await waiting.value == 1)
        #expect(!executor.jobs.elements.contains(true))
    }

    @Test("An observer of a group is called after the turn of the store has been passed on")
    func groups() async throws {
        let group = StoreGroup(initialState: { (_: Int) in 0 }) { (count: inout Int, step: Int) in count += step }
        let store = group[1]
        let executor = WatchingExecutor { store.root.gate.isOwnedByThisThread }
        let told = Collector<Int>()
        let observer = Task(executorPreference: executor) {
            for await values in group.values(of: \.self) {
                told.append(values[1] ?? -1)
                if values[1] == 3 { break }
            }
        }
        for step in 0..<3 {
            await until { told.elements.last == step }
            store.send(1)
        }
        await observer.value
        #expect(!executor.jobs.elements.contains(true))
    }

    @Test("The closure of an effect that never begins is released while the store can be read")
    func captures() async throws {
        struct Feature: Reducer {
            let token: @Sendable () -> Token
            func reduce(into state: inout Int, action: Bool) -> Effect<Bool> {
                state += 1
                guard action else { return .cancel(id: "work") }
                let token = token()
                return .concatenate(
                    .run(id: "work") { _ in try? await Task.sleep(for: .seconds(1_000)) },
                    .run(id: "work") { _ in withExtendedLifetime(token) {} }
                )
            }
        }
        let (seen, continuation) = AsyncStream.makeStream(of: Int?.self)
        let holder = WeakHolder<Store<Int, Bool>>()
        let store = Store(
            initialState: 0,
            reducer: Feature { Token { continuation.yield(holder.object?.snapshot) } }
        )
        holder.object = store
        try await store.dispatch(true)
        store.send(false)
        for await snapshot in seen {
            #expect(snapshot == 2)
            break
        }
    }
}

/// Runs jobs on threads, and records where they are enqueued.
private final class WatchingExecutor: TaskExecutor {
    let jobs = Collector<Bool>()
    private let watch: @Sendable () -> Bool

    init(_ watch: @escaping @Sendable () -> Bool) { self.watch = watch }

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(watch())
        let job = UnownedJob(job)
        onThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A weak reference that is set once, before it is used.
private final class WeakHolder<Object: AnyObject & Sendable>: @unchecked Sendable {
    // Sound: it is written before any other thread reads it.
    weak var object: Object?
}

extension Thread {
    /// Whether it is the ending thread. Not its name, which its threads inherit.
    fileprivate var endsSomething: Bool {
        get { threadDictionary["ends something"] as? Bool ?? false }
        set { threadDictionary["ends something"] = newValue }
    }
}
