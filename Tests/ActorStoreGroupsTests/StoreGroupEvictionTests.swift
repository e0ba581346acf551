import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import ActorStoreGroups
import ActorStoreTesting
import Synchronization
import Testing

@testable import TestFixtures

@Suite("Eviction of a group's stores", .timeLimit(.minutes(10)))
struct StoreGroupEvictionTests {
    /// The storage of states without stores.
    private final class Archive: Sendable {
        private let states = LockedValue<[String: Int]>([:])
        let kept = Collector<String>()

        func keep(_ state: Int, _ id: String) {
            states.withLock { $0[id] = state }
            kept.append("\(id) \(state)")
        }

        subscript(id: String) -> Int { states.withLock { $0[id] } ?? 0 }
    }

    private let clock = ManualClock()
    private let archive = Archive()

    private func makeGroup() -> StoreGroup<String, Int, Int> {
        StoreGroup(
            eviction: .afterIdle(
                .seconds(10),
                clock: clock,
                onEvict: { [archive] id, state in archive.keep(state, id) }
            ),
            initialState: { [archive] id in archive[id] },
            reduce: { count, step in count += step }
        )
    }

    /// A group whose stores load the state 5, where the first attempt, for the key `a`, has failed.
    private func makeGroupThatFailedToLoad(
        _ configuration: StoreConfiguration = StoreConfiguration()
    ) async throws -> StoreGroup<String, Int, Int> {
        struct Failure: Error {}
        let hasFailed = LockedValue(false)
        let group = StoreGroup<String, Int, Int>(
            configuration: configuration,
            eviction: .never { [archive] id, state in archive.keep(state, id) }
        ) { _ in
            Store(
                initialState: -1,
                loading: {
                    let isFirst = hasFailed.withLock { hasFailed in
                        defer { hasFailed = true }
                        return !hasFailed
                    }
                    if isFirst { throw Failure() }
                    return 5
                },
                reducer: Reduce { (count: inout Int, step: Int) in
                    count += step
                    return .none
                }
            )
        }
        // Retained no longer than here, so that it can be evicted.
        let failing = group["a"]
        await #expect(throws: Failure.self) { try await failing.ready() }
        #expect(try await failing.errors.first(1).map(\.origin) == [.loading])
        return group
    }

    /// A group of counters that reports the beginning of a hand-over, and waits for a release.
    private func makeGroup<Key: Hashable & Sendable>(begun: Signal, goOn: Latch) -> StoreGroup<Key, Int, Int> {
        StoreGroup(
            eviction: .never { _, _ in
                begun.fire()
                await goOn.wait()
            },
            initialState: { _ in 0 },
            reduce: { count, step in count += step }
        )
    }

    /// Lets a period pass, and returns after the group has checked all stores, and finished its hand-overs.
    private func passPeriod<Key, State, Action>(_ group: StoreGroup<Key, State, Action>) async {
        await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        await clock.waitForSleepers()
        await until { group.statistics.handOvers == 0 }
    }

    @Test(
        "A store unused for a period is evicted, its state handed over, and the key's next store begins with it"
    )
    func idleStoresGo() async {
        let group = makeGroup()
        group.send(5, to: "a")
        await passPeriod(group)
        #expect(group.count == 1)
        await passPeriod(group)
        #expect(group.count == 0 && group.existing("a") == nil)
        #expect(archive.kept.elements == ["a 5"])
        group.send(2, to: "a")
        #expect(group["a"].snapshot == 7)
        let statistics = group.statistics
        #expect([statistics.stores, statistics.created, statistics.evicted] == [1, 2, 1])
    }

    @Test(
        "A hand-over excludes a newer one of the same key, which it would overwrite"
    )
    func handingOverOnce() async throws {
        let (begun, goOn, kept) = (Signal(), Latch(), Collector<Int>())
        let group = StoreGroup<String, Int, Int>(
            eviction: .never { _, state in
                if kept.elements.isEmpty && state == 1 {
                    begun.fire()
                    await goOn.wait()
                }
                kept.append(state)
            },
            initialState: { _ in kept.elements.last ?? 0 },
            reduce: { count, step in count += step }
        )
        group.send(1, to: "a")
        async let isGone = group.evict("a")
        await begun.wait()
        group.send(1, to: "a")
        #expect(await group.evict("a") == false)
        goOn.open()
        #expect(await isGone == false)
        #expect(group["a"].snapshot == 2 && kept.elements == [1])
        #expect(await group.evict("a"))
        #expect(kept.elements == [1, 2] && group["a"].snapshot == 2)
    }

    @Test("An eviction removes the store although another one of the key is requested meanwhile")
    func evictedTwice() async {
        let (begun, goOn) = (Signal(), Latch())
        let group: StoreGroup<String, Int, Int> = makeGroup(begun: begun, goOn: goOn)
        group.send(1, to: "a")
        async let isGone = group.evict("a")
        await begun.wait()
        #expect(await group.evict("a") == false)
        goOn.open()
        #expect(await isGone)
        #expect(group.count == 0)
    }

    /// A key that calls a closure when it is compared.
    private struct Hooked: Hashable, Sendable {
        static let comparison = Mutex<(@Sendable () -> Void)?>(nil)
        let name: String

        static func == (left: Hooked, right: Hooked) -> Bool {
            comparison.withLock { $0.take() }?()
            return left.name == right.name
        }

        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    @Test("An eviction removes the store although another caller looks up the key at that moment")
    func evictedWhileLookedFor() async {
        let (begun, goOn, hold) = (Signal(), Latch(), Hold())
        let group: StoreGroup<Hooked, Int, Int> = makeGroup(begun: begun, goOn: goOn)
        let key = Hooked(name: "a")
        group.send(1, to: key)
        async let isGone = group.evict(key)
        await begun.wait()
        Hooked.comparison.withLock { $0 = { hold.enter() } }
        let second = Task.detached(executorPreference: ThreadExecutor()) { await group.evict(key) }
        await hold.waitUntilEntered()
        goOn.open()
        #expect(await isGone)
        hold.release()
        #expect(await second.value == false && group.count == 0)
    }

    /// A state with a part that calls a closure when it is read.
    private struct Gauge: Sendable {
        var count = 0
        let hook: @Sendable () -> Void
        var reading: Int {
            hook()
            return count
        }
    }

    @Test("A new observer of the group does not prevent evictions")
    func evictedWhileFollowed() async {
        let hold = Hold()
        let isFirst = Mutex(true)
        let group = StoreGroup<String, Gauge, Int>(
            initialState: { _ in
                Gauge {
                    let isFirst = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    if isFirst { hold.enter() }
                }
            },
            reduce: { gauge, step in gauge.count += step }
        )
        group.send(1, to: "a")
        let beginning = Task.detached(executorPreference: ThreadExecutor()) {
            var values = group.values(of: \.reading).makeAsyncIterator()
            return await values.next()
        }
        await hold.waitUntilEntered()
        #expect(await group.evict("a"))
        hold.release()
        #expect(await beginning.value?.isEmpty ?? true)
    }

    @Test("A state is handed over by an uncancelled task although the evicting task is cancelled")
    func evictInACancelledTask() async {
        let (kept, wasCancelled) = (Collector<Int>(), Collector<Bool>())
        let group = StoreGroup<String, Int, Int>(
            eviction: .never { _, state in
                wasCancelled.append(Task.isCancelled)
                kept.append(state)
            },
            initialState: { _ in 0 },
            reduce: { count, step in count += step }
        )
        group.send(1, to: "a")
        let isGone = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await group.evict("a")
        }.value
        #expect(isGone && kept.elements == [1] && wasCancelled.elements == [false])
    }

    @Test("A state is handed over with the dependencies of the group's creation, whatever evicts")
    func dependencies() async {
        let kept = Collector<Int>()
        let group = withDependencies {
            $0.number = 3
        } operation: {
            StoreGroup<Int, Int, Int>(
                eviction: .afterIdle(
                    .seconds(10),
                    clock: clock,
                    onEvict: { _, _ in kept.append(Dependency(\.number).wrappedValue) }
                ),
                initialState: { _ in 0 },
                reduce: { count, step in count += step }
            )
        }
        group.send(1, to: 1)
        await passPeriod(group)
        await passPeriod(group)
        group.send(1, to: 2)
        await group.evict(2)
        #expect(kept.elements == [3, 3])
    }

    @Test("A store used in each period stays: by an action, or by a look-up")
    func usedStoresStay() async {
        let group = makeGroup()
        let direct = group["direct"]
        for _ in 0..<3 {
            group.send(1, to: "sent")
            _ = group["asked"]
            direct.send(1)
            await passPeriod(group)
        }
        #expect(group.ids.sorted() == ["asked", "direct", "sent"])
        withExtendedLifetime(direct) {}
    }

    @Test("A retained store stays, and is evicted after it was unretained for a whole period")
    func heldStoresStay() async {
        let group = makeGroup()
        var store: Store<Int, Int>? = group["a"]
        for _ in 0..<3 { await passPeriod(group) }
        #expect(group.count == 1)
        #expect(await group.evict("a") == false)
        #expect(store?.snapshot == 0)
        store = nil
        await passPeriod(group)
        #expect(group.count == 1)
        await passPeriod(group)
        #expect(group.count == 0)
    }

    @Test("A store used during slow hand-overs of others stays until it was idle for a period")
    func usedBehindSlowHandOver() async {
        let (begun, goOn) = (Collector<Int>(), Latch())
        let group = StoreGroup<Int, Int, Int>(
            eviction: .afterIdle(
                .seconds(10),
                clock: clock,
                maxConcurrentHandOvers: 1,
                onEvict: { id, _ in
                    begun.append(id)
                    await goOn.wait()
                }
            ),
            initialState: { _ in 0 },
            reduce: { count, step in count += step }
        )
        let stores = (1...2).map { group[$0].weak }
        await clock.waitForSleepers()
        for _ in 1...2 {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(10))
        }
        await until { begun.elements.count == 1 }
        let used = begun.elements == [1] ? 2 : 1
        #expect(stores[used - 1].send(1).isAccepted)
        goOn.open()
        await clock.waitForSleepers()
        await until { group.statistics.handOvers == 0 }
        #expect(begun.elements.count == 1 && group.ids == [used])
        await passPeriod(group)
        #expect(group.ids == [used])
        await passPeriod(group)
        #expect(group.count == 0)
    }

    @Test("An observed store stays until its closure, sequence or mirror ends")
    func observedStoresStay() async {
        let group = makeGroup()
        var token: StoreObservation? = group["a"].observe(\.self) { _ in }
        var values: StoreSequence<Int>? = group["b"].values(of: \.self)
        var actions: StoreSequence<(action: Int, state: Int)>? = group["c"].actions
        for _ in 0..<3 { await passPeriod(group) }
        #expect(group.ids.sorted() == ["a", "b", "c"])
        #expect(token != nil && values != nil && actions != nil)
        (token, values, actions) = (nil, nil, nil)
        for _ in 0..<2 { await passPeriod(group) }
        #expect(group.count == 0)
    }

    @Test("A store with state-driven effects is evicted when none runs, and begins anew with its driven effects")
    func drivenEffects() async throws {
        let (work, asked) = (HeldWork(), Collector<Int>())
        let group = StoreGroup<String, Int, Int>(
            eviction: .afterIdle(
                .seconds(10),
                clock: clock,
                onEvict: { [archive] id, state in archive.keep(state, id) }
            )
        ) { [archive] id in
            let store = Store(initialState: archive[id]) { (count: inout Int, step: Int) in count += step }
            store.effect(toggle: \.isPositive) { count in
                asked.append(count)
                return count < 10 ? .postpone(untilChangeOf: \.self) : .run { _ in await work.run("job") }
            }
            return store
        }
        group.send(1, to: "a")
        group.send(10, to: "b")
        await work.waitUntilBegun()
        await passPeriod(group)
        await passPeriod(group)
        #expect(group.existing("a") == nil && group.existing("b") != nil)
        group.send(-10, to: "b")
        await work.waitUntilCancelled()
        await until { group.existing("b")?.statistics.runningEffects == 0 }
        await passPeriod(group)
        await passPeriod(group)
        #expect(group.count == 0)
        #expect(group["a"].snapshot == 1)
        #expect(asked.elements == [1, 10, 1])
    }

    @Test("A store with a running effect stays until its end, and so does a store with a child")
    func busyStoresStay() async throws {
        let group = StoreGroup(reducer: Ledger(), eviction: .afterIdle(.seconds(10), clock: clock)) { (_: Int) in
            Ledger.State()
        }
        let signal = Signal()
        group.send(.start(.run { _ in await signal.wait() }), to: 1)
        var child: Store<ParentAndChild<Ledger.State, Int>, Ledger.Action>? = group[2].child(
            initialState: 0,
            reducer: Reduce {
                (_: inout Int, _: Ledger.Action) in
            }
        )
        for _ in 0..<3 { await passPeriod(group) }
        #expect(group.ids.sorted() == [1, 2])
        #expect(await group.evict(1) == false)
        #expect(await group.evict(2) == false)
        signal.fire()
        child = nil
        await until { group[1].statistics.runningEffects == 0 }
        for _ in 0..<2 { await passPeriod(group) }
        #expect(group.count == 0 && child == nil)
    }

    @Test("A store used during its hand-over stays, and its newer state is handed over at the eviction")
    func usedWhileHandedOver() async {
        let (entered, exit) = (Signal(), Signal())
        let isFirst = Atomic<Bool>(true)
        let kept = Collector<Int>()
        let group = StoreGroup<Int, Int, Int>(
            eviction: .never { _, state in
                kept.append(state)
                guard isFirst.exchange(false, ordering: .relaxed) else { return }
                entered.fire()
                await exit.wait()
            },
            initialState: { _ in 0 },
            reduce: { count, step in count += step }
        )
        group.send(1, to: 7)
        async let isGone = group.evict(7)
        await entered.wait()
        group.send(1, to: 7)
        exit.fire()
        #expect(await isGone == false)
        #expect(group.existing(7)?.snapshot == 2)
        #expect(await group.evict(7))
        #expect(kept.elements == [1, 2])
        #expect(await group.evict(7) == false)
    }

    @Test("Stores of a group without a policy stay, and are evicted one by one on request")
    func never() async {
        let group = StoreGroup(initialState: { (_: Int) in 0 }) { (count: inout Int, step: Int) in count += step }
        for id in 0..<100 { group.send(id, to: id) }
        for id in 0..<50 { #expect(await group.evict(id)) }
        #expect(group.ids.sorted() == Array(50..<100))
        #expect(await group.evict(0) == false)
    }

    @Test("An evicted store is freed with its state, and its sequences have ended")
    func memory() async {
        final class Witness: Sendable {}
        let group = StoreGroup<Int, Witness, Void>(initialState: { _ in Witness() }) { _, _ in }
        weak let witness = group[1].snapshot
        weak let store = group[1]
        #expect(witness != nil && store != nil)
        #expect(await group.evict(1))
        #expect(witness == nil && store == nil)
    }

    @Test("Many stores are evicted in one period, and the memory of their places is freed")
    func many() async {
        let group = makeGroup()
        for id in 0..<5_000 { group.send(id, to: "\(id)") }
        await passPeriod(group)
        group.send(1, to: "0")
        await passPeriod(group)
        #expect(group.ids == ["0"])
        #expect(archive.kept.elements.count == 4_999)
    }

    @Test("A hanging hand-over blocks no other, up to the limit of concurrent hand-overs")
    func hangingHandOver() async {
        let (begun, goOn) = (Collector<Int>(), Latch())
        let group = StoreGroup<Int, Int, Int>(
            eviction: .afterIdle(
                .seconds(10),
                clock: clock,
                maxConcurrentHandOvers: 3,
                onEvict: { id, _ in
                    begun.append(id)
                    if id < 0 { await goOn.wait() }
                }
            ),
            initialState: { _ in 0 },
            reduce: { count, step in count += step }
        )
        func passPeriod() async {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(10))
        }
        func sendToAll(_ ids: [Int]) async {
            for id in ids { group.send(1, to: id) }
            await passPeriod()
            await passPeriod()
        }
        await sendToAll([-1, -2])
        await until { begun.elements.count == 2 }
        await sendToAll(Array(0..<100))
        await until { group.count == 2 }
        #expect(group.statistics.handOvers == 2)
        await sendToAll([-3])
        await until { group.statistics.handOvers == 3 }
        await sendToAll([100])
        #expect(group.count == 4 && group.statistics.handOvers == 3)
        goOn.open()
        await until { group.count == 0 }
        #expect(Set(begun.elements) == Set(-3...100))
    }

    @Test("A clock that throws ends the eviction, and is reported")
    func failingClock() async {
        let issues = Collector<String>()
        let group = StoreIssueReporter.$scoped.withValue(StoreIssueReporter { issues.append($0.message) }) {
            StoreGroup<Int, Int, Int>(
                eviction: .afterIdle(.seconds(1), clock: FailingClock()),
                initialState: { _ in 0 },
                reduce: { count, step in count += step }
            )
        }
        await until { !issues.elements.isEmpty }
        #expect(issues.elements.first?.contains("no longer evicts idle stores") == true)
        group.send(1, to: 1)
        #expect(await group.evict(1))
    }

    @Test("The evicting task does not retain the group, and ends with it or with its shutdown")
    func task() async {
        var group: StoreGroup? = makeGroup()
        weak let observed = group
        await clock.waitForSleepers()
        group = nil
        #expect(observed == nil)
        await clock.waitForSleepers(0)
        let other = makeGroup()
        await clock.waitForSleepers()
        await other.shutdown(drain: .finishEffects)
        await clock.waitForSleepers(0)
    }

    @Test("A group evicts nothing after its shutdown: the last states stay readable")
    func afterShutdown() async {
        let group = makeGroup()
        group.send(5, to: "a")
        await group.shutdown(drain: .finishEffects)
        #expect(await group.evict("a") == false)
        #expect(group.existing("a")?.snapshot == 5 && archive.kept.elements.isEmpty)
    }

    @Test("A store whose loading failed has no state to hand over, and the key's next store loads again")
    func failedLoading() async throws {
        let group = try await makeGroupThatFailedToLoad()
        while group.existing("a") != nil { await group.evict("a") }
        #expect(archive.kept.elements.isEmpty)
        try await group["a"].ready()
        try await group.dispatch(2, to: "a")
        #expect(await group.evict("a"))
        #expect(archive.kept.elements == ["a 7"])
    }

    @Test("The key of a store without a state gets a new store, also during the eviction of the old one")
    func failedWhileEvicted() async throws {
        let executor = ManualExecutor()
        let group = try await makeGroupThatFailedToLoad(StoreConfiguration(executor: executor))
        var eviction = Task { await group.evict("a") }
        while await wasVain(eviction, executor) { eviction = Task { await group.evict("a") } }
        try await group.dispatch(2, to: "a")
        executor.runUntilIdle()
        _ = await eviction.value
        #expect(group["a"].snapshot == 7 && archive.kept.elements.isEmpty)
    }

    /// Whether an eviction did not happen, because the store was still retained. Otherwise it waits for the executor.
    private func wasVain(_ eviction: Task<Bool, Never>, _ executor: ManualExecutor) async -> Bool {
        let isOver = Collector<Bool>()
        let observer = Task { isOver.append(await eviction.value) }
        await until { executor.waitingJobs > 0 || !isOver.elements.isEmpty }
        if executor.waitingJobs == 0 { await observer.value }
        return executor.waitingJobs == 0
    }

    @Test("A loading store is not evicted")
    func loading() async throws {
        let loaded = Signal()
        let group = StoreGroup<String, Int, Int>(
            eviction: .never { [archive] id, state in archive.keep(state, id) }
        ) { _ in
            Store(
                initialState: -1,
                loading: {
                    await loaded.wait()
                    return 5
                },
                reducer: Reduce { count, step in
                    count += step
                    return .none
                }
            )
        }
        group.send(1, to: "a")
        #expect(await group.evict("a") == false)
        loaded.fire()
        #expect(await group["a"].state == 6)
        #expect(archive.kept.elements.isEmpty)
    }

    @Test("Scopes and weak stores do not keep a store from eviction, and refuse actions after it")
    func scopesAndWeakHandles() async {
        let group = makeGroup()
        let (scope, weak) = (group["a"].scope(\.self), group["a"].weak)
        #expect(scope.send(1) == .accepted && weak.send(1) == .accepted)
        #expect(await group.evict("a"))
        #expect(archive.kept.elements == ["a 2"])
        #expect(scope.send(1) == .refused(.shutDown) && weak.send(1) == .refused(.shutDown))
        #expect(group["a"].snapshot == 2)
    }

    // MARK: Ends while states are handed over

    /// A group whose first call of `onEvict` is blocked, with the states of its calls.
    private func makeSlowGroup(
        _ begun: Signal,
        _ goOn: Latch,
        _ kept: Collector<Int>
    ) -> StoreGroup<String, Int, Int> {
        StoreGroup(
            eviction: .afterIdle(
                .seconds(10),
                clock: clock,
                maxConcurrentHandOvers: 1,
                onEvict: { _, state in
                    begun.fire()
                    await goOn.wait()
                    kept.append(Task.isCancelled ? -1 : state)
                }
            ),
            initialState: { _ in 0 },
            reduce: { count, step in count += step }
        )
    }

    /// Waits until a store has ended, and lets others run.
    private func waitForEnd(of store: Store<Int, Int>) async {
        await until { if case .ended = store.phase { true } else { false } }
        await letOtherTasksRun(yields: 1_000)
    }

    @Test(
        "Ending a store waits for its running hand-over, so that its last state is the newest"
    )
    func endingWhileHandedOver() async {
        let (begun, goOn, kept) = (Signal(), Latch(), Collector<Int>())
        let group = makeSlowGroup(begun, goOn, kept)
        group.send(1, to: "a")
        async let isGone = group.evict("a")
        await begun.wait()
        let store = group["a"]
        store.send(10)
        let end = Task { kept.append(await group.end("a", drain: .finishEffects) ?? -1) }
        await waitForEnd(of: store)
        #expect(group.existing("a") === store && group.send(1, to: "a") == .refused(.shutDown))
        goOn.open()
        await end.value
        #expect(await isGone == false)
        #expect(kept.elements == [1, 11])
        #expect(group.send(1, to: "a") == .accepted)
    }

    @Test("A shutdown waits for a running hand-over, and starts no further one")
    func shutdownWhileHandingOver() async {
        let (begun, goOn, kept) = (Signal(), Latch(), Collector<Int>())
        let group = makeSlowGroup(begun, goOn, kept)
        for id in 0..<20 { group.send(1, to: "\(id)") }
        await passPeriod(group)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        await begun.wait()
        let store = group["0"]
        let shutdown = Task {
            await group.shutdown(drain: .finishEffects)
            kept.append(2)
        }
        await waitForEnd(of: store)
        goOn.open()
        await shutdown.value
        await clock.waitForSleepers(0)
        #expect(kept.elements == [1, 2])
    }

    @Test("A shutdown with a deadline does not wait any longer for a running hand-over")
    func limitedShutdownWhileHandingOver() async {
        let (begun, goOn, kept) = (Signal(), Latch(), Collector<Int>())
        let group = StoreGroup<String, Int, Int>(
            eviction: .never { _, state in
                begun.fire()
                await goOn.wait()
                kept.append(state)
            },
            initialState: { _ in 0 },
            reduce: { count, step in count += step }
        )
        group.send(1, to: "a")
        let eviction = Task { await group.evict("a") }
        await begun.wait()
        let shutdown = Task { [clock] in
            await group.shutdown(drain: .finishEffects, within: .seconds(5), clock: clock)
        }
        await waitForEnd(of: group["a"])
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        #expect(await shutdown.value.isEmpty)
        #expect(kept.elements.isEmpty)
        goOn.open()
        #expect(await eviction.value == false)
    }

    @Test("A group released during a hand-over is freed after it, and hands over no other states")
    func releaseWhileHandingOver() async {
        let (begun, goOn, kept) = (Signal(), Latch(), Collector<Int>())
        var group: StoreGroup? = makeSlowGroup(begun, goOn, kept)
        weak let observed = group
        for id in 0..<20 { group?.send(1, to: "\(id)") }
        await passPeriod(group!)
        clock.advance(by: .seconds(10))
        await begun.wait()
        group = nil
        goOn.open()
        await until { observed == nil }
        await clock.waitForSleepers(0)
        #expect(kept.elements == [1])
    }

    @Test("The state of a store shut down by its user is handed over before the key gets a new store")
    func shutDownByUser() async {
        let group = makeGroup()
        group.send(5, to: "a")
        let store = group["a"]
        await store.shutdown(drain: .finishEffects)
        await until { group.send(1, to: "a") == .accepted }
        #expect(archive.kept.elements == ["a 5"])
        #expect(group["a"].snapshot == 6 && group["a"] !== store)
        #expect(group.statistics.evicted == 0)
    }

    @Test(
        "The state of a store shut down by its user is handed over on the group's executor, at its priority"
    )
    func shutDownByUserOnExecutor() async {
        let executor = OneThreadExecutor()
        let seen = Collector<(isPreferred: Bool, priority: TaskPriority)>()
        let group = StoreGroup<String, Int, Int>(
            configuration: StoreConfiguration(priority: .low, executor: executor),
            eviction: .never { _, _ in seen.append((executor.isPreferred, Task.currentPriority)) },
            initialState: { _ in 0 },
            reduce: { count, step in count += step }
        )
        await group["a"].shutdown(drain: .finishEffects)
        await until { group.send(1, to: "a") == .accepted }
        #expect(seen.elements.map(\.isPreferred) == [true])
        #expect(seen.elements.map(\.priority) == [.low])
    }

    @Test("The newer state of a store shut down by its user during a hand-over is handed over as well")
    func shutDownWhileHandedOver() async {
        let (begun, goOn, kept) = (Signal(), Latch(), Collector<Int>())
        let group = makeSlowGroup(begun, goOn, kept)
        group.send(1, to: "a")
        async let isGone = group.evict("a")
        await begun.wait()
        let store = group["a"]
        store.send(10)
        await store.shutdown(drain: .finishEffects)
        goOn.open()
        #expect(await isGone == false)
        await until { group.send(1, to: "a") == .accepted }
        #expect(kept.elements == [1, 11])
    }

    // MARK: At the same time

    @Test("Actions accepted by scopes and weak stores are never lost to concurrent evictions")
    func nothingIsLostByThoseWhoDoNotHold() async {
        let archive = archive
        let group = StoreGroup<String, Int, Int>(
            eviction: .never { id, state in archive.keep(state, id) },
            initialState: { id in archive[id] },
            reduce: { count, step in count += step }
        )
        let accepted = await withTaskGroup(of: Int.self) { tasks in
            for task in 0..<3 {
                tasks.addTask {
                    var accepted = 0
                    for number in 0..<1_000 {
                        let id = "\((number + task) % 3)"
                        let (scope, weak) = (group[id].scope(\.self), group[id].weak)
                        // Until it is evicted, but not forever.
                        for _ in 0..<50 {
                            let outcomes = [scope.send(1), weak.send(1), scope.send(contentsOf: [1])]
                            accepted += outcomes.count { $0 == .accepted }
                            if outcomes.contains(.refused(.shutDown)) { break }
                        }
                        if number.isMultiple(of: 16) { await Task.yield() }
                    }
                    return accepted
                }
            }
            for task in 0..<2 {
                tasks.addTask {
                    for number in 0..<8_000 {
                        await group.evict("\((number + task) % 3)")
                        if number.isMultiple(of: 64) { await Task.yield() }
                    }
                    return 0
                }
            }
            return await tasks.reduce(0, +)
        }
        while group.count > 0 {
            for id in group.ids { await group.evict(id) }
        }
        #expect((0..<3).reduce(0) { $0 + archive["\($1)"] } == accepted)
        #expect(group.statistics.evicted > 3)
    }

    @Test("Many senders and evictions lose no action, and each state is made from the last one")
    func nothingIsLost() async {
        let archive = archive
        let group = StoreGroup<String, Int, Int>(
            eviction: .never { id, state in archive.keep(state, id) },
            initialState: { id in archive[id] },
            reduce: { count, step in count += step }
        )
        await withTaskGroup(of: Void.self) { tasks in
            for task in 0..<6 {
                tasks.addTask {
                    for number in 0..<4_000 {
                        let id = "\((number * 7 + task) % 40)"
                        switch number % 3 {
                        case 0: #expect(group.send(1, to: id) == .accepted)
                        case 1: #expect(throws: Never.self) { try group[id].send(1).get() }
                        default: _ = try? await group.dispatch(1, to: id)
                        }
                        if number.isMultiple(of: 64) { await Task.yield() }
                    }
                }
            }
            for task in 0..<2 {
                tasks.addTask {
                    for number in 0..<8_000 {
                        await group.evict("\((number + task * 20) % 40)")
                        if number.isMultiple(of: 16) { await Task.yield() }
                    }
                }
            }
        }
        for id in group.ids { _ = await group.evict(id) }
        #expect(group.count == 0)
        #expect((0..<40).reduce(0) { $0 + archive["\($1)"] } == 24_000)
        #expect(group.statistics.evicted > 40)
    }

    @Test("A store without a first state is not handed over, however it ended", arguments: [false, true])
    func neverLoaded(isGivenUp: Bool) async throws {
        struct Broken: Error {}
        let handedOver = Collector<Int>()
        let group = StoreGroup<Int, Int, Int>(
            eviction: .afterIdle(.seconds(1_000)) { _, state in handedOver.append(state) }
        ) { _ in
            Store(
                initialState: -1,
                loading: {
                    if isGivenUp { try await Task.sleep(for: .seconds(1_000)) }
                    throw Broken()
                },
                reducer: Reduce<Int, Int> { _, _ in .none }
            )
        }
        do {
            let store = group[1]
            let errors = store.errors
            if isGivenUp {
                await store.shutdown(drain: .finishEffects)
            } else {
                try? await store.run()
            }
            #expect(try await store.values(of: \.self).all().isEmpty)
            withExtendedLifetime(errors) {}
        }
        await group.evict(1)
        #expect(handedOver.elements.isEmpty)
        #expect(await group.end(1, drain: .cancelEffects) == nil)
    }

    /// A group whose store `a` has the state 5, and is being evicted: `executor` has the rest of that.
    private func evicting(
        on executor: ManualExecutor,
        handingOverTo handedOver: Collector<Int>
    ) async -> (group: StoreGroup<String, Int, Int>, eviction: Task<Bool, Never>) {
        let group = StoreGroup(
            configuration: StoreConfiguration(executor: executor),
            eviction: .never(onEvict: { (_: String, state: Int) in handedOver.append(state) }),
            store: { (_: String) in Store(initialState: 0) { (sum: inout Int, amount: Int) in sum += amount } }
        )
        group.send(5, to: "a")
        let eviction = Task { await group.evict("a") }
        await until { executor.waitingJobs == 1 }
        return (group, eviction)
    }

    @Test("The state of a key that is ended before its hand-over is returned, and not handed over")
    func endBeforeHandOver() async {
        let (executor, handedOver) = (ManualExecutor(), Collector<Int>())
        let (group, eviction) = await evicting(on: executor, handingOverTo: handedOver)
        let store = group["a"]
        let end = Task { await group.end("a", drain: .finishEffects) }
        await waitForEnd(of: store)
        executor.runUntilIdle()
        #expect(await !eviction.value)
        #expect(await end.value == 5)
        #expect(handedOver.elements.isEmpty && group.count == 0)
    }

    @Test("No state is handed over after the call of a shutdown, although it was requested before")
    func shutdownBeforeHandOver() async throws {
        let (executor, handedOver) = (ManualExecutor(), Collector<Int>())
        let (group, eviction) = await evicting(on: executor, handingOverTo: handedOver)
        let isClosed = Signal()
        let shutdown = Task {
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask { await group.shutdown(drain: .finishEffects) }
                tasks.addTask {
                    await until { group.send(1, to: "b") == .refused(.shutDown) }
                    isClosed.fire()
                }
            }
        }
        await isClosed.wait()
        executor.runUntilIdle()
        #expect(await !eviction.value)
        await shutdown.value
        #expect(handedOver.elements.isEmpty)
        #expect(group["a"].snapshot == 5)
    }
}

extension SendOutcome {
    /// Throws if the action was not accepted.
    fileprivate func get() throws(StoreError) {
        if case .refused(let error) = self { throw error }
    }
}

extension Int {
    fileprivate var isPositive: Bool { self > 0 }
}
