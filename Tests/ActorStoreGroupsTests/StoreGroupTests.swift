import ActorStore
import ActorStoreComposition
import ActorStoreGroups
import Synchronization
import Testing

@testable import TestFixtures

@Suite("Store groups", .timeLimit(.minutes(10)))
struct StoreGroupTests {
    typealias Counters = StoreGroup<String, Int, Int>

    private func makeCounters() -> Counters {
        StoreGroup(initialState: { id in id.count }) { (count: inout Int, step: Int) in count += step }
    }

    /// A key with a constant hash value.
    private struct Clash: Hashable, Sendable {
        let name: String
        func hash(into hasher: inout Hasher) {}
    }

    @Test(
        "A store is created at the first request of its key, from the key's initial state, and stays the same"
    )
    func onDemand() async throws {
        let group = makeCounters()
        #expect(group.existing("ada") == nil && group.count == 0)
        let ada = group["ada"]
        #expect(ada.snapshot == 3)
        #expect(group["ada"] === ada && group.existing("ada") === ada)
        #expect(group.send(1, to: "ada") == .accepted)
        #expect(group.send(contentsOf: [1, 1], to: "grace") == .accepted)
        try await group.dispatch(10, to: "emmy")
        #expect(ada.snapshot == 4)
        #expect(group["grace"].snapshot == 7 && group["emmy"].snapshot == 14)
        #expect(group.ids.sorted() == ["ada", "emmy", "grace"])
        #expect(group.count == 3)
        let statistics = group.statistics
        #expect([statistics.stores, statistics.created, statistics.evicted] == [3, 3, 0])
    }

    @Test("Each store is a root: a busy one does not block the others")
    func independence() async throws {
        let group = StoreGroup(reducer: Ledger()) { (_: Int) in Ledger.State() }
        let hold = await group[1].holdUp()
        try await group.dispatch(.add(5), to: 2)
        #expect(group.send(.add(1), to: 1) == .accepted)
        #expect(group[2].snapshot.total == 5)
        #expect(group[2].revision == 1)
        hold.release()
        #expect(await group[1].read(\.total) == 1)
    }

    @Test(
        "The stores have the dependencies of the group's creation, whatever requests them first",
        arguments: [nil, 3]
    )
    func dependencies(number: Int?) async throws {
        let reduce: @Sendable (inout [Int], Noting.Action) -> Void = { numbers, _ in
            @Dependency(\.number) var number
            numbers.append(number)
        }
        let groups = withDependencies {
            if let number { $0.number = number }
        } operation: {
            [
                StoreGroup(reducer: Noting()) { (_: Int) in [] },
                StoreGroup(initialState: { (_: Int) in [] }, reduce: reduce),
                StoreGroup { (_: Int) in Store(initialState: [], reducer: Noting()) },
                StoreGroup { (_: Int) in
                    withDependencies {
                        $0.number = 7
                    } operation: {
                        Store(initialState: [], reducer: Noting())
                    }
                },
            ]
        }
        for (group, expected) in zip(groups, [number ?? 1, number ?? 1, number ?? 1, 7]) {
            withDependencies {
                $0.number = 9
            } operation: {
                _ = group[1]
            }
            try await group.dispatch(.note, to: 1)
            try await group.dispatch(.note, to: 2)
            #expect(group[1].snapshot == [expected] && group[2].snapshot == [expected])
        }
    }

    @Test("Effects, interceptors and errors belong to the store of the key")
    func effects() async throws {
        let seen = Collector<Int>()
        let interceptor = Interceptor<Ledger.State, Ledger.Action>("look") { action, context, next in
            seen.append(context.state.total)
            try next(action)
        }
        let group = StoreGroup(reducer: Ledger(), interceptors: [interceptor]) { (id: Int) in Ledger.State(total: id) }
        let task = try await group.dispatch(.start(.run { send in send(.add(10)) }), to: 100)
        try await task.finish()
        #expect(await group[100].read(\.total) == 110)
        #expect(seen.elements == [100, 100])
        #expect(group.existing(1) == nil)
    }

    @Test("A closure can create the stores, with a reducer for each key")
    func ownStores() async throws {
        let group = StoreGroup<Int, Int, Int> { id in
            Store(initialState: 0) { (sum: inout Int, step: Int) in sum += step * id }
        }
        group.send(2, to: 3)
        group.send(2, to: 5)
        #expect(group[3].snapshot == 6 && group[5].snapshot == 10)
    }

    @Test("Keys with equal hash values are distinguished")
    func clashes() async {
        let group = StoreGroup(initialState: { (_: Clash) in 0 }) { (count: inout Int, step: Int) in count += step }
        for number in 0..<50 { group.send(number, to: Clash(name: "\(number)")) }
        for number in 0..<50 { #expect(group.existing(Clash(name: "\(number)"))?.snapshot == number) }
        #expect(group.existing(Clash(name: "none")) == nil)
        #expect(group.count == 50)
        for number in 0..<25 { #expect(await group.evict(Clash(name: "\(number)"))) }
        for number in 0..<50 {
            #expect(group.existing(Clash(name: "\(number)"))?.snapshot == (number < 25 ? nil : number))
        }
    }

    @Test("Concurrent requests of a new key get the same store, and all their actions are reduced")
    func atTheSameTime() async {
        let group = StoreGroup(initialState: { (_: Int) in 0 }) { (count: inout Int, step: Int) in count += step }
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    for key in 0..<500 {
                        let store = group[key]
                        store.send(1)
                        #expect(group[key] === store)
                    }
                }
            }
        }
        #expect(group.count == 500)
        #expect((0..<500).allSatisfy { group[$0].snapshot == 8 })
    }

    @Test("100,000 stores fit in one group, each with its own state")
    func manyStores() async throws {
        let group = StoreGroup(initialState: { (id: Int) in id }) { (number: inout Int, step: Int) in number += step }
        for id in 0..<100_000 { group.send(1, to: id) }
        #expect(group.count == 100_000)
        let versions = group.values(of: \.self)
        let first = try await versions.first(1)[0]
        #expect(first.count == 100_000)
        #expect(first.allSatisfy { $0.value == $0.key + 1 })
        #expect(Set(group.ids).count == 100_000)
    }

    // MARK: Ends

    @Test("A shutdown ends all stores, and later actions are refused, also for new keys")
    func shutdown() async throws {
        let group = makeCounters()
        let ada = group["ada"]
        group.send(1, to: "grace")
        await group.shutdown(drain: .finishEffects)
        #expect(ada.send(1) == .refused(.shutDown))
        #expect(group.send(1, to: "grace") == .refused(.shutDown))
        #expect(group.send(1, to: "emmy") == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await group.dispatch(1, to: "emmy") }
        #expect(group["emmy"].snapshot == 4)
        #expect(group.ids.sorted() == ["ada", "grace"])
        #expect(group["grace"].snapshot == 6)
    }

    @Test("A shutdown finishes the effects of all stores concurrently")
    func shutdownWithEffects() async {
        let group = StoreGroup(reducer: Ledger()) { (_: Int) in Ledger.State() }
        // Each effect ends when all of them see that their stores are being shut down: no store waits for another one.
        let waiting = Collector<Int>()
        for id in 0..<10 {
            group.send(
                .start(
                    .run { _ in
                        await until { group[id].send(.add(0)) != .accepted }
                        waiting.append(id)
                        await until { waiting.elements.count >= 10 }
                    }
                ),
                to: id
            )
        }
        await group.shutdown(drain: .finishEffects)
        #expect(waiting.elements.count == 10)
    }

    @Test("A shutdown with a deadline ends all stores in time, and reports those with running effects")
    func limitedShutdown() async throws {
        let group = StoreGroup(reducer: Ledger()) { (_: String) in Ledger.State() }
        let (clock, goOn) = (ManualClock(), Latch())
        let obeys = Latch()
        group.send(.start(.run { _ in await obeys.wait() }), to: "obedient")
        group.send(.start(.run(id: "import") { _ in await goOn.wait() }), to: "stubborn")
        let stubborn = group["stubborn"]
        let observation = group.values(of: \.total)
        let shutdown = Task { await group.shutdown(drain: .cancelEffects, within: .seconds(5), clock: clock) }
        await clock.waitForSleepers(2)
        obeys.open()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        let reports = await shutdown.value
        #expect(reports.keys.sorted() == ["stubborn"])
        #expect(reports["stubborn"]?.unfinishedEffects.first?.id == EffectID("import"))
        #expect(try await stubborn.errors.all().map { $0.error is EffectStillRunning } == [true])
        #expect(group.send(.add(1), to: "new") == .refused(.shutDown))
        for await _ in observation {}
        goOn.open()
    }

    @Test("One store can be ended by its key, also if it is retained; the key's next store is a new one")
    func ending() async {
        let group = makeCounters()
        let ada = group["ada"]
        ada.send(10)
        #expect(await group.end("ada", drain: .finishEffects) == 13)
        #expect(await group.end("ada", drain: .finishEffects) == nil)
        #expect(ada.send(1) == .refused(.shutDown))
        #expect(group["ada"].snapshot == 3)
    }

    /// Reaches its group, which is set before the first action.
    private final class Reference: @unchecked Sendable {
        // Sound: it is written before any other thread reads it.
        weak var group: StoreGroup<Int, Ledger.State, Ledger.Action>?
    }

    @Test(
        "An effect of a store that shuts its group down does not cancel the effects of the other stores",
        arguments: [false, true]
    )
    func shutdownByEffect(isLimited: Bool) async throws {
        let configuration = StoreConfiguration(executor: OneThreadExecutor())
        let group = StoreGroup { (_: Int) in Ledger.store(configuration: configuration) }
        let reference = Reference()
        reference.group = group
        let isShutDown = Signal()
        for id in 1...5 {
            let effect = Effect<Ledger.Action>.run { send in
                await until { reference.group?[0].phase.description == "ended" }
                await letOtherTasksRun()
                send(.add(Task.isCancelled ? -1 : 1))
            }
            try await group.dispatch(.start(effect), to: id)
        }
        let effect = Effect<Ledger.Action>.run { _ in
            if isLimited {
                await reference.group?.shutdown(drain: .finishEffects, within: .seconds(600))
            } else {
                await reference.group?.shutdown(drain: .finishEffects)
            }
            isShutDown.fire()
        }
        try await group.dispatch(.start(effect), to: 0)
        await isShutDown.wait()
        #expect((1...5).map { group[$0].snapshot.total } == [1, 1, 1, 1, 1])
    }

    @Test("Effects of several stores that shut their group down do not wait for each other", arguments: [false, true])
    func shutdownByEffects(isLimited: Bool) async throws {
        let group = StoreGroup { (_: Int) in Ledger.store() }
        let reference = Reference()
        reference.group = group
        let (areThere, ends) = (Latch(), [Signal(), Signal(), Signal()])
        let wereCancelled = Collector<Bool>()
        for id in 3..<6 {
            let effect = Effect<Ledger.Action>.run { send in
                try? await Task.sleep(for: .milliseconds(20))
                send(.add(Task.isCancelled ? -1 : 1))
            }
            try await group.dispatch(.start(effect), to: id)
        }
        for (id, end) in ends.enumerated() {
            let effect = Effect<Ledger.Action>.run { _ in
                await areThere.wait()
                if isLimited {
                    let unfinished = await reference.group?.shutdown(drain: .finishEffects, within: .seconds(600))
                    #expect(unfinished?.isEmpty == true)
                } else {
                    await reference.group?.shutdown(drain: .finishEffects)
                }
                wereCancelled.append(Task.isCancelled)
                end.fire()
            }
            try await group.dispatch(.start(effect), to: id)
        }
        areThere.open()
        for end in ends { await end.wait() }
        #expect(wereCancelled.elements == [false, false, false])
        #expect((0..<6).map { group[$0].phase.description } == Array(repeating: "ended", count: 6))
        #expect((3..<6).map { group[$0].snapshot.total } == [1, 1, 1])
    }

    @Test(
        "An effect that shuts a group down continues, also if another store's effect in run() of its store is cancelled",
        arguments: [false, true]
    )
    func shutdownBesideRun(isLimited: Bool) async throws {
        let group = StoreGroup { (_: Int) in Ledger.store() }
        let reference = Reference()
        reference.group = group
        let (isSupervised, hasEnded, wasCancelled) = (Signal(), Signal(), Collector<Bool>())
        let (supervised, ending) = (group[0], group[1])
        let supervising = Effect<Ledger.Action>.run { _ in
            isSupervised.fire()
            if isLimited {
                try await supervised.run(endingWithin: .seconds(5), clock: ManualClock())
            } else {
                try await supervised.run()
            }
        }
        let supervision = try await ending.dispatch(.start(supervising))
        let shuttingDown = Effect<Ledger.Action>.run { _ in
            await isSupervised.wait()
            await reference.group?.shutdown(drain: .cancelEffects)
            // A cancellation would happen in the background.
            try? await Task.sleep(for: .milliseconds(20))
            wasCancelled.append(Task.isCancelled)
            hasEnded.fire()
        }
        try await supervised.dispatch(.start(shuttingDown))
        await hasEnded.wait()
        #expect(wasCancelled.elements == [false])
        #expect(supervision.isFinished)
        #expect([0, 1].map { group[$0].phase.description } == ["ended", "ended"])
    }

    @Test("An effect that ends its own store in a group can keep the last state")
    func endingByEffect() async throws {
        let group = StoreGroup { (_: Int) in
            Ledger.store(configuration: StoreConfiguration(executor: OneThreadExecutor()))
        }
        let reference = Reference()
        reference.group = group
        let kept = Collector<Int>()
        try await group.dispatch(.add(5), to: 1)
        let effect = Effect<Ledger.Action>.run { _ in
            guard let state = await reference.group?.end(1, drain: .finishEffects) else { return }
            await letOtherTasksRun()
            try Task.checkCancellation()
            kept.append(state.total)
        }
        try await group.dispatch(.start(effect), to: 1).finish()
        #expect(kept.elements == [5])
    }

    @Test("The stores end with the group, unless they are retained")
    func lifetime() async throws {
        final class Witness: Sendable { let number = 1 }
        var group: StoreGroup<Int, Witness, Void>? = StoreGroup(initialState: { _ in Witness() }) { _, _ in }
        weak let observed = group
        let held = group![1]
        weak let other = group![2].snapshot
        let values = group![2].stream(of: \.number)
        group = nil
        #expect(observed == nil && other == nil)
        #expect(held.send(()) == .accepted)
        for await _ in values {}
    }

    @Test("After a shutdown only stores with a last state exist, also if others continue to load")
    func lastStates() async throws {
        let mayLoad = Latch()
        let rooms = StoreGroup<Int, Int, Int> { id in
            Store(
                initialState: 0,
                loading: {
                    if id == 2 { await mayLoad.wait() }
                    return 10
                },
                reducer: Reduce<Int, Int> { count, step in
                    count += step
                    return .none
                }
            )
        }
        let values = rooms.values(of: \.self)
        try await rooms.dispatch(1, to: 1)
        let loading = rooms[2]
        let reports = await rooms.shutdown(drain: .finishEffects, within: .milliseconds(1))
        #expect(reports[2]?.isLoading == true)
        #expect(rooms.ids == [1] && rooms.existing(1)?.snapshot == 11)
        #expect(rooms.existing(2) == nil && rooms.send(1, to: 2) == .refused(.shutDown))
        #expect(try await values.all().last == [1: 11])
        mayLoad.open()
        await loading.shutdown(drain: .cancelEffects)
    }

    @Test("Actions sent to a new key after a shutdown create no store")
    func nothingIsMadeAfterShutdown() async {
        let made = Atomic<Int>(0)
        let group = StoreGroup<String, Int, Int> { _ in
            made.add(1, ordering: .relaxed)
            return Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        }
        await group.shutdown(drain: .finishEffects)
        #expect(group.send(1, to: "ada") == .refused(.shutDown))
        #expect(group.send(contentsOf: [1, 2], to: "ada") == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await group.dispatch(1, to: "ada") }
        #expect(group.existing("ada") == nil && made.load(ordering: .relaxed) == 0)
        #expect(group["ada"].send(1) == .refused(.shutDown))
        #expect(group.count == 0)
    }

    @Test("The key of a store shut down by its user gets a new store, which observers of the group see")
    func shutDownByUser() async throws {
        let group = makeCounters()
        var counts = group.values(of: \.self).makeAsyncIterator()
        #expect(await counts.next() == [:])
        let ada = group["ada"]
        ada.send(10)
        #expect(await counts.next() == ["ada": 13])
        await ada.shutdown(drain: .finishEffects)
        #expect(group.send(1, to: "ada") == .accepted)
        #expect(group["ada"] !== ada && group["ada"].snapshot == 4)
        while let version = await counts.next(), version != ["ada": 4] {}
        await group["ada"].shutdown(drain: .finishEffects)
        #expect(group.existing("ada") == nil && group.count == 0)
        try await group.dispatch(1, to: "ada")
        #expect(group.send(contentsOf: [1], to: "ada") == .accepted)
        #expect(group["ada"].snapshot == 5)
    }

    @Test("The key of a store whose loading failed gets a new store, which loads again")
    func failedLoading() async throws {
        struct Failure: Error {}
        let attempts = Atomic<Int>(0)
        let group = StoreGroup<String, Int, Int> { _ in
            Store(
                initialState: -1,
                loading: {
                    guard attempts.add(1, ordering: .relaxed).oldValue > 0 else { throw Failure() }
                    return 5
                },
                reducer: Reduce { count, step in
                    count += step
                    return .none
                }
            )
        }
        let failing = group["ada"]
        await #expect(throws: Failure.self) { try await failing.ready() }
        try await group.dispatch(2, to: "ada")
        #expect(group["ada"].snapshot == 7)
        #expect(try await failing.errors.first(1).map(\.origin) == [.loading])
    }

    @Test("A store is not created repeatedly because stores of other keys go meanwhile")
    func othersGoMeanwhile() async {
        let holds = (0..<10).map { _ in Hold() }
        let entered = Atomic<Int>(0)
        let group = StoreGroup<Int, Int, Int> { id in
            if id < 0 { holds[min(entered.add(1, ordering: .relaxed).oldValue, 9)].enter() }
            return Store(initialState: id) { (count: inout Int, step: Int) in count += step }
        }
        let isMade = Atomic<Bool>(false)
        onThread {
            _ = group[-1]
            isMade.store(true, ordering: .releasing)
        }
        for round in 1...9 {
            await until { entered.load(ordering: .relaxed) == round || isMade.load(ordering: .acquiring) }
            if isMade.load(ordering: .acquiring) { break }
            // Enough of them that some are in the same part of the group as the one being created.
            for id in 0..<1_000 { _ = group[id] }
            for id in 0..<1_000 { await group.evict(id) }
            holds[round - 1].release()
        }
        holds[9].release()
        await until { isMade.load(ordering: .acquiring) }
        #expect(entered.load(ordering: .relaxed) <= 2)
    }
}
