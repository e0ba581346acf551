import ActorStoreGroups
import Testing
import TreeCollections

@testable import ActorStore
@testable import TestFixtures

@Suite("Observation of all stores of a group", .timeLimit(.minutes(10)))
struct StoreGroupObservationTests {
    private let group = StoreGroup(reducer: Ledger()) { (_: Int) in Ledger.State() }

    /// Takes versions until a condition holds.
    private func version(
        _ iterator: inout StoreGroupValues<Int, Int>.Iterator,
        where condition: (TreeDictionary<Int, Int>) -> Bool
    ) async -> TreeDictionary<Int, Int>? {
        while let version = await iterator.next() {
            if condition(version) { return version }
        }
        return nil
    }

    @Test("The first version has the values of all stores, and each further one the changes")
    func versions() async {
        group.send(.add(1), to: 1)
        group.send(.add(2), to: 2)
        var totals = group.values(of: \.total).makeAsyncIterator()
        #expect(await totals.next() == [1: 1, 2: 2])
        group.send(.write("no change of a total"), to: 1)
        group.send(.add(10), to: 2)
        #expect(await totals.next() == [1: 1, 2: 12])
        group.send(.add(3), to: 3)
        #expect(await version(&totals) { $0[3] == 3 } == [1: 1, 2: 12, 3: 3])
    }

    @Test("The first version of an empty group is empty, and a computed part is observed like a stored one")
    func emptyAndComputed() async {
        var even = group.values(of: \.isEven).makeAsyncIterator()
        #expect(await even.next() == [:])
        group.send(.add(1), to: 1)
        while let version = await even.next(), version[1] != false {}
        group.send(.add(2), to: 1)
        group.send(.add(1), to: 1)
        #expect(await even.next() == [1: true])
    }

    @Test("The first version includes actions dispatched before the observation, also of a busy store")
    func readYourWrites() async throws {
        let hold = Hold()
        let token = group[1].observe(\.total) { total in
            if total == 1 { hold.enter() }
        }
        onThread { [group] in group.send(.add(1), to: 1) }
        await hold.waitUntilEntered()
        try await group.dispatch(.add(2), to: 2)
        var totals = group.values(of: \.total).makeAsyncIterator()
        #expect(await totals.next() == [1: 1, 2: 2])
        hold.release()
        group.send(.add(1), to: 1)
        #expect(await version(&totals) { $0[1] == 2 } == [1: 2, 2: 2])
        token.cancel()
    }

    @Test("A slow observer gets all missed changes as one version")
    func fallingBehind() async {
        var totals = group.values(of: \.total).makeAsyncIterator()
        _ = await totals.next()
        for number in 1...1_000 { group.send(.add(1), to: number % 10) }
        #expect(await totals.next() == TreeDictionary(uniqueKeysWithValues: (0..<10).map { ($0, 100) }))
    }

    @Test("Changes are differences of versions: first all values as inserted, then insertions, changes and removals")
    func changes() async {
        group.send(.add(1), to: 1)
        group.send(.add(2), to: 2)
        var changes = group.changes(of: \.total).makeAsyncIterator()
        let first = await changes.next()
        #expect(Set(first?.inserted.map(\.key) ?? []) == [1, 2])
        group.send(.add(5), to: 1)
        let second = await changes.next()
        #expect(second?.updated.map(\.oldValue) == [1] && second?.updated.map(\.newValue) == [6])
        #expect(second?.inserted.isEmpty == true && second?.removed.isEmpty == true)
        #expect(await group.evict(2))
        let third = await changes.next()
        #expect(third?.removed.map(\.key) == [2] && third?.removed.map(\.value) == [2])
    }

    @Test("Observers of a group do not prevent evictions, and see stores go and return")
    func eviction() async {
        var totals = group.values(of: \.total).makeAsyncIterator()
        var others = group.values(of: \.total).makeAsyncIterator()
        group.send(.add(4), to: 1)
        #expect(await version(&totals) { $0[1] == 4 } == [1: 4])
        #expect(await version(&others) { $0[1] == 4 } == [1: 4])
        #expect(await group.evict(1))
        #expect(await totals.next() == [:])
        group.send(.add(7), to: 1)
        #expect(await version(&totals) { $0[1] == 7 } == [1: 7])
        #expect(await version(&others) { $0[1] == 7 } == [1: 7])
        #expect(await group.end(1, drain: .finishEffects)?.total == 7)
        #expect(await totals.next() == [:])
    }

    @Test("An observation ends after the newest version at the group's shutdown; a later one has that version as well")
    func ends() async throws {
        for id in 0..<3 { group.send(.add(id), to: id) }
        let values = group.values(of: \.total)
        await group.shutdown(drain: .finishEffects)
        #expect(try await values.all() == [[0: 0, 1: 1, 2: 2]])
        #expect(try await group.values(of: \.total).all() == [[0: 0, 1: 1, 2: 2]])
    }

    @Test("An observation begun after the group's shutdown has the newest value of a store that is refusing an action")
    func beginsWhileRefusing() async throws {
        for id in 0..<3 { group.send(.add(id), to: id) }
        let store = group[1]
        await group.shutdown(drain: .finishEffects)
        let core = try #require(store.root as? StoreCore<Ledger.State, Ledger.Action>)
        // Like a sender that arrives after the end of the store.
        let hasTurn = core.gate.beginIfIdle()
        #expect(hasTurn)
        let values = group.values(of: \.total)
        var iterator = values.makeAsyncIterator()
        core.gate.endWriting()
        core.leave()
        #expect(await iterator.next() == [0: 0, 1: 1, 2: 2])
        #expect(await iterator.next() == nil)
    }

    @Test("An observation retains neither the group nor its stores, and its observations of stores end with it")
    func lifetimes() async throws {
        var group: StoreGroup? = StoreGroup(reducer: Ledger()) { (_: Int) in Ledger.State() }
        weak let observed = group
        group?.send(.add(5), to: 1)
        let values = group!.values(of: \.total)
        let more = values.makeAsyncIterator()
        let store = group![1]
        #expect(await store.observerRecords.map(\.subject) == ["\\State.total"])
        var second: StoreGroupValues<Int, Int>.Iterator? = values.makeAsyncIterator()
        #expect(await store.observerRecords.count == 2 && second != nil)
        second = nil
        #expect(await store.observerRecords.count == 1)
        group = nil
        #expect(observed == nil)
        var iterator = more
        #expect(await iterator.next() == [1: 5])
        #expect(await iterator.next() == nil)
        #expect(try await values.all() == [[:]])
    }

    @Test("A store that outlives its group is no longer observed for the group")
    func heldStores() async {
        var group: StoreGroup? = StoreGroup(reducer: Ledger()) { (_: Int) in Ledger.State() }
        let values = group!.values(of: \.total)
        let store = group![1]
        #expect(await store.observerRecords.count == 1)
        group = nil
        #expect(await store.observerRecords.isEmpty)
        withExtendedLifetime(values) {}
    }

    @Test("An observer of a group is listed by each of its stores with the observer's source location")
    func places() async {
        let line = UInt(#line) + 1
        let values = group.values(of: \.total)
        let changes = group.changes(of: \.note)
        let observers = await group[1].observerRecords.sorted { $0.subject > $1.subject }
        #expect(observers.map(\.subject) == ["\\State.total", "\\State.note"])
        #expect(observers.map(\.source?.line) == [line, line + 1])
        #expect(observers.allSatisfy { $0.source?.fileID == #fileID && $0.isClosure == false })
        group.send(.add(1), to: 1)
        #expect(await group[1].observerRecords.map(\.delivered).sorted() == [1, 2])
        withExtendedLifetime((values, changes)) {}
    }

    @Test("Cancelling the iterating task ends the iteration and its observation")
    func cancellation() async {
        group.send(.add(1), to: 1)
        let seen = Collector<Int>()
        let task = Task { [group] in
            for await version in group.values(of: \.total) { seen.append(version.count) }
        }
        await until { !seen.elements.isEmpty }
        #expect(await group[1].observerRecords.count == 1)
        task.cancel()
        await task.value
        #expect(await group[1].observerRecords.isEmpty)
    }

    @Test("Each observer ends with the final state while stores come, change and go in many tasks")
    func concurrently() async {
        let group = StoreGroup(initialState: { (_: Int) in 0 }) { (count: inout Int, step: Int) in count += step }
        let final = Collector<TreeDictionary<Int, Int>>()
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<3 {
                tasks.addTask {
                    // Observers come and go, and the last one stays.
                    for _ in 0..<50 {
                        var versions = group.values(of: \.self).makeAsyncIterator()
                        _ = await versions.next()
                    }
                    var last: TreeDictionary<Int, Int> = [:]
                    for await version in group.values(of: \.self) {
                        #expect(version.allSatisfy { (0..<2_000).contains($0.value) })
                        last = version
                    }
                    final.append(last)
                }
            }
            tasks.addTask {
                await withTaskGroup(of: Void.self) { senders in
                    for task in 0..<4 {
                        senders.addTask {
                            for number in 0..<2_000 {
                                group.send(1, to: (number + task) % 20)
                                if number.isMultiple(of: 5) { await group.evict((number + 3) % 20) }
                                if number.isMultiple(of: 50) { await Task.yield() }
                            }
                        }
                    }
                }
                await group.shutdown(drain: .finishEffects)
            }
        }
        let expected = TreeDictionary(uniqueKeysWithValues: group.ids.map { ($0, group[$0].snapshot) })
        #expect(final.elements == [expected, expected, expected])
    }

    @Test("A reducer of another store can send to a new key of an observed group")
    func newKeyFromReducer() async {
        let group = group
        var totals = group.values(of: \.total).makeAsyncIterator()
        let router = Store(initialState: 0) { (count: inout Int, key: Int) in
            group.send(.add(key), to: key)
            count += 1
        }
        #expect(await totals.next() == [:])
        router.send(7)
        #expect(await version(&totals) { $0[7] == 7 } == [7: 7])
    }

    /// Stores whose first state is 42, as soon as it may be loaded.
    private func loadingGroup(until mayEnd: Latch) -> StoreGroup<Int, Int, Int> {
        StoreGroup<Int, Int, Int> { _ in
            Store(
                initialState: -1,
                loading: {
                    await mayEnd.wait()
                    return 42
                },
                reducer: Reduce<Int, Int> { _, _ in .none }
            )
        }
    }

    @Test("The first value of a loading store is that of the loaded state")
    func loading() async {
        let mayEnd = Latch()
        let group = loadingGroup(until: mayEnd)
        _ = group[1]
        let seen = Collector<TreeDictionary<Int, Int>>()
        let observer = Task {
            for await values in group.values(of: \.self) {
                seen.append(values)
                if values[1] == 42 { break }
            }
        }
        mayEnd.open()
        await observer.value
        #expect(!seen.elements.contains { $0[1] == -1 })
    }

    // MARK: Remains of observations

    @Test("An observation ended with pending changes retains nothing, during the group's lifetime and after it")
    func leftWithNews() async {
        let census = Census()
        var group: StoreGroup? = StoreGroup(reducer: Parcels()) { (_: Int) in Parcels.State() }
        func putAll() { for id in 0..<10 { group?.send(.put(census.member()), to: id) } }
        putAll()
        // One that is never iterated, one that is left by `break`, and one whose task is cancelled.
        var untouched: StoreGroupValues<Int, Census.Member?>? = group?.values(of: \.last)
        let looked = group!.values(of: \.last)
        for await _ in looked {
            putAll()
            break
        }
        let (seen, goOn) = (Signal(), Latch())
        let values = group!.values(of: \.last)
        let task = Task {
            for await _ in values {
                seen.fire()
                await goOn.wait()
            }
        }
        await seen.wait()
        putAll()
        task.cancel()
        goOn.open()
        await task.value
        #expect(untouched != nil)
        untouched = nil
        putAll()
        group = nil
        await until { census.living == 0 }
    }

    @Test("A slow observer retains no values of departed stores that were never delivered")
    func goneBeforeTold() async {
        let census = Census()
        let group = StoreGroup(reducer: Parcels()) { (_: Int) in Parcels.State() }
        var values = group.values(of: \.last).makeAsyncIterator()
        #expect(await values.next() == [:])
        group.send(.put(census.member()), to: 0)
        #expect(await values.next()?.count == 1)
        for id in 1...100 {
            group.send(.put(census.member()), to: id)
            #expect(await group.evict(id))
        }
        // The part of the key that it was notified of.
        await until { census.living == 1 }
        #expect(await group.evict(0))
        group.send(.put(census.member()), to: 0)
        #expect(await group.evict(0))
        #expect(await values.next() == [:])
        await until { census.living == 0 }
    }

    @Test("A store that goes and returns with an equal value makes neither a version nor a change")
    func sameValueAgain() async {
        let group = group
        _ = group[1]
        var versions = group.values(of: \.total).makeAsyncIterator()
        var changes = group.changes(of: \.total).makeAsyncIterator()
        #expect(await versions.next() == [1: 0])
        #expect(await changes.next()?.inserted.count == 1)
        #expect(await group.evict(1))
        _ = group[1]
        await group.shutdown(drain: .finishEffects)
        #expect(await versions.next() == nil)
        #expect(await changes.next() == nil)
    }

    // MARK: Beginnings and ends

    @Test("An observer added after another ended during the creation of a store sees that store")
    func comingAfterOneThatLeft() async {
        struct State: Sendable {
            let hold: Hold
            let isHeld: LockedValue<Bool>
            var number: Int {
                let mustHold = isHeld.withLock { isHeld in
                    defer { isHeld = false }
                    return isHeld
                }
                if mustHold { hold.enter() }
                return 7
            }
        }
        let (hold, isHeld) = (Hold(), LockedValue(false))
        let group = StoreGroup<Int, State, Void>(initialState: { _ in State(hold: hold, isHeld: isHeld) }) { _, _ in }
        let first = group.values(of: \.number)
        var second: StoreGroupValues<Int, Int>? = group.values(of: \.number)
        // The store is created, and visited for the first observer while the second one ends.
        isHeld.withLock { $0 = true }
        let later = Collector<StoreGroupValues<Int, Int>>()
        onThread {
            _ = group[1]
            // Many of them, on the thread that frees ended ones, because one could have the address of another.
            for _ in 0..<100 { later.append(group.values(of: \.number)) }
        }
        await hold.waitUntilEntered()
        #expect(second != nil)
        second = nil
        hold.release()
        await until { later.elements.count == 100 }
        for values in later.elements {
            var iterator = values.makeAsyncIterator()
            #expect(await iterator.next() == [1: 7])
        }
        withExtendedLifetime(first) {}
    }

    @Test(
        "The observers of a released group end after its stores' accepted actions, retained or not",
        arguments: [false, true]
    )
    func endAfterRelease(isHeld: Bool) async {
        var group: StoreGroup? = StoreGroup(reducer: Ledger()) { (_: Int) in Ledger.State() }
        let held = isHeld ? group?[1] : nil
        let weak = group![1].weak
        var totals = group!.values(of: \.total).makeAsyncIterator()
        #expect(await totals.next() == [1: 0])
        let hold = Hold()
        onThread { weak.send(.hold(hold)) }
        await hold.waitUntilEntered()
        #expect(weak.send(.add(5)) == .accepted)
        group = nil
        let rest = Task { [totals] in
            var (totals, versions) = (totals, [TreeDictionary<Int, Int>]())
            while let version = await totals.next() { versions.append(version) }
            return versions
        }
        await letOtherTasksRun(yields: 1_000)
        hold.release()
        #expect(await rest.value == [[1: 5]])
        withExtendedLifetime(held) {}
    }

    @Test("Beginning to observe a group waits for no reducer; the first version waits for running ones")
    func beginningWhileReducing() async {
        group.send(.add(1), to: 1)
        group.send(.add(2), to: 2)
        let hold = await group[1].holdUp()
        let values = group.values(of: \.total)
        let first = Task {
            var iterator = values.makeAsyncIterator()
            return await iterator.next()
        }
        await letOtherTasksRun(yields: 1_000)
        group.send(.add(10), to: 1)
        hold.release()
        let version = await first.value
        #expect(version?[2] == 2 && version?[1].map { $0 == 1 || $0 == 11 } == true)
    }

    @Test("The first version does not wait for a loading store, whose value comes with a later one")
    func firstVersionWithoutSome() async throws {
        let mayEnd = Latch()
        let group = StoreGroup<Int, Int, Int> { id in
            Store(
                initialState: -1,
                loading: {
                    if id == 1 { await mayEnd.wait() }
                    return id
                },
                reducer: Reduce<Int, Int> { _, _ in .none }
            )
        }
        _ = group[1]
        try await group.dispatch(0, to: 2)
        var numbers = group.values(of: \.self).makeAsyncIterator()
        #expect(await numbers.next() == [2: 2])
        mayEnd.open()
        #expect(await numbers.next() == [1: 1, 2: 2])
    }

    @Test("An observation begun during the group's shutdown ends with it, after the newest version")
    func beginningDuringShutdown() async {
        let (group, goOn) = (group, Latch())
        group.send(
            .start(
                .run { send in
                    await goOn.wait()
                    send(.add(1))
                }
            ),
            to: 1
        )
        let shutdown = Task { await group.shutdown(drain: .finishEffects) }
        await until { group.send(.add(0), to: 1) == .refused(.shutDown) }
        var totals = group.values(of: \.total).makeAsyncIterator()
        #expect(await totals.next() == [1: 0])
        goOn.open()
        #expect(await totals.next() == [1: 1])
        #expect(await totals.next() == nil)
        _ = await shutdown.value
    }

    @Test("The observers of a released group do not wait for a retained loading store")
    func endWhileLoading() async throws {
        let mayEnd = Latch()
        var group: StoreGroup? = loadingGroup(until: mayEnd)
        let held = group?[1]
        var numbers = group!.values(of: \.self).makeAsyncIterator()
        #expect(await numbers.next() == [:])
        group = nil
        #expect(await numbers.next() == nil)
        mayEnd.open()
        try await held?.ready()
        // The observation processes this in the turn after the loading, and is no longer counted.
        #expect(await held?.state == 42)
        #expect(await held?.observerRecords.isEmpty == true)
    }

    @Test("The observers of a released group do not wait for a store that another observer suspends")
    func endWhileSuspended() async {
        var group: StoreGroup? = StoreGroup(reducer: Ledger()) { (_: Int) in Ledger.State() }
        let held = group![1]
        var totals = group!.values(of: \.total).makeAsyncIterator()
        #expect(await totals.next() == [1: 0])
        let full = held.values(of: \.total, buffering: .bounded(1, onOverflow: .suspendStore))
        for _ in 0..<3 { held.send(.add(1)) }
        #expect(held.statistics.waitingActions > 0)
        group = nil
        while let version = await totals.next() { #expect(version == [1: held.snapshot.total]) }
        #expect(held.statistics.waitingActions > 0)
        withExtendedLifetime(full) {}
    }

    /// Two iterations that several tasks advance, one after the other.
    private actor Iterations {
        private var totals: StoreGroupValues<Int, Int>.Iterator
        private var changes: StoreGroupChanges<Int, Int>.Iterator

        init(_ group: StoreGroup<Int, Ledger.State, Ledger.Action>) {
            totals = group.values(of: \.total).makeAsyncIterator()
            changes = group.changes(of: \.total).makeAsyncIterator()
        }

        /// The number of those with a next element.
        func next() async -> Int {
            var (totals, changes) = (totals, changes)
            let elements: [Any?] = [await totals.next(), await changes.next()]
            (self.totals, self.changes) = (totals, changes)
            return elements.count { $0 != nil }
        }
    }

    @Test("An iteration ended by the cancellation of its task does not continue, and observes nothing")
    func endByCancellation() async throws {
        group.send(.add(1), to: 1)
        for hasBegun in [true, false] {
            let iterations = Iterations(group)
            if hasBegun { #expect(await iterations.next() == 2) }
            let cancelled = Task {
                await untilCancelled()
                return await iterations.next()
            }
            cancelled.cancel()
            #expect(await cancelled.value == 0)
            group.send(.add(1), to: 1)
            #expect(await group[1].observerRecords.isEmpty)
            #expect(await iterations.next() == 0)
        }
    }

    @Test("Many observers of a group end in linear time")
    func manyObservers() async throws {
        try await expectLinear { count in
            var observers = (0..<count).map { _ in group.values(of: \.total).makeAsyncIterator() }
            return { observers.removeAll() }
        }
    }
}
