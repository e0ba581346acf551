import ActorStore
import Testing

@testable import TestFixtures

@Suite("Beginnings, ends and names of observations", .timeLimit(.minutes(10)))
struct ObservationEndTests {
    private let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }

    // MARK: Replay

    @Test("A closure without a replay is not called at first, and then for each change")
    func closureWithoutReplay() {
        let told = Collector<Int>()
        let tokens = [
            store.observe(.part(\.self).replay(.none)) { told.append($0) },
            store.observe(.part(\.self).replay(.current)) { told.append($0 * 100) },
        ]
        #expect(told.elements == [0])
        store.send(1)
        store.send(0)
        store.send(1)
        #expect(told.elements == [0, 1, 100, 2, 200])
        withExtendedLifetime(tokens) {}
    }

    @Test("A sequence without a replay begins with the next change, buffered or not, in each of its iterators")
    func sequenceWithoutReplay() async throws {
        let all = store.values(of: .part(\.self).replay(.none), buffering: .unbounded)
        let latest = store.values(of: .part(\.self).replay(.none))
        var second = all.makeAsyncIterator()
        var third = all.makeAsyncIterator()
        store.send(1)
        store.send(1)
        #expect(await second.next() == 1)
        #expect(await second.next() == 2)
        #expect(await third.next() == 1)
        #expect(try await latest.first(1) == [2])
        #expect(try await store.values(of: .part(\.self).replay(.current)).first(1) == [2])
    }

    @Test("A sequence without a replay ends with the store, also without any element")
    func endWithoutReplay() async throws {
        var store: Store<Int, Int>? = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let values = store!.values(of: .part(\.self).replay(.none))
        let all = store!.values(of: .part(\.self).replay(.none), buffering: .unbounded)
        store = nil
        #expect(try await values.all() == [])
        #expect(try await all.all() == [])
    }

    @Test("Observers without a replay on an executor and an actor receive changes only")
    func elsewhereWithoutReplay() async {
        actor Display {
            var shown: [Int] = []
            func show(_ value: Int) { shown.append(value) }
        }
        let executor = PatientExecutor()
        let display = Display()
        let told = Collector<Int>()
        let tokens = [
            store.values(of: .part(\.self).replay(.none)).observe(on: executor) { told.append($0) },
            store.observe(.part(\.self).replay(.none), isolatedTo: display) { $0.show($1) },
        ]
        executor.runAll()
        #expect(told.elements == [])
        store.send(5)
        executor.runAll()
        #expect(told.elements == [5])
        await until { await display.shown == [5] }
        withExtendedLifetime(tokens) {}
    }

    @Test("A new observer of a view with its own notion of change begins with the current state")
    func ownNotionOfChange() {
        let near = store.scope(\.self) { abs($0 - $1) < 10 }
        let told = Collector<Int>()
        near.observe(\.self) { told.append($0) }.cancel()
        store.send(5)
        near.observe(\.self) { told.append($0) }.cancel()
        #expect(told.elements == [0, 5])
    }

    // MARK: Ending with a child

    @Test(
        "A sequence of a parent's state ends with the child through which it is observed, after the newest value",
        arguments: [
            .latest, .unbounded, .bounded(2, onOverflow: .suspendStore), .bounded(2, onOverflow: .dropNewest),
        ] as [BufferingPolicy]
    )
    func throughChild(policy: BufferingPolicy) async throws {
        let child = store.child(initialState: 0, reducer: EmptyReducer())
        let values = child.values(of: \.parent, buffering: policy)
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        store.send(1)
        await child.shutdown(drain: .finishEffects)
        for _ in 0..<3 { try await store.dispatch(1) }
        #expect(await iterator.next() == 1)
        #expect(await iterator.next() == nil)
        #expect(iterator.droppedCount == 0)
        // Later observers receive the state of that time.
        #expect(try await child.values(of: \.parent, buffering: policy).all() == [4])
    }

    @Test(
        "A sequence of a parent's state gets no values from after the end of its child"
    )
    func nothingAfterChild() async throws {
        let child = store.child(initialState: 0, reducer: EmptyReducer())
        let values = child.values(of: \.parent)
        var (iterator, later) = (values.makeAsyncIterator(), values.makeAsyncIterator())
        let others = store.observe(\.self) { _ in }
        #expect(await iterator.next() == 0)
        await child.shutdown(drain: .finishEffects)
        try await store.dispatch(1)
        #expect(await iterator.next() == nil)
        // It still gets what it had not received at the end.
        #expect(await later.next() == 0)
        #expect(await later.next() == nil)
        others.cancel()
    }

    @Test("An observer of an ended child suspends nothing, whether it began before or after the end")
    func suspendingAfterTheEnd() async throws {
        let policy = BufferingPolicy.bounded(1, onOverflow: .suspendStore)
        for kind in 0..<3 {
            for beginsBefore in [true, false] {
                let child = store.child(
                    initialState: 0,
                    reducer: Reduce { (count: inout Int, step: Int) in count += step }
                )
                func observe() -> any Sendable {
                    switch kind {
                    case 0: child.values(of: \.local, buffering: policy)
                    case 1: child.actions(policy, at: nil)
                    default: child.transitions(buffering: policy)
                    }
                }
                var kept: [any Sendable] = beginsBefore ? [observe()] : []
                child.send(1)
                await child.shutdown(drain: .cancelEffects, within: .milliseconds(50))
                if !beginsBefore { kept = [observe()] }
                try await store.dispatch(1)
                withExtendedLifetime(kept) {}
            }
        }
    }

    @Test("An observer of a removed part suspends nothing")
    func suspendingWithoutPart() async throws {
        let store = Store(initialState: Int?.some(0)) { (number: inout Int?, new: Int?) in number = new }
        let scope = store.scopeIfLet(state: \.self, action: { $0 })
        let part = try #require(scope.store)
        try await store.dispatch(nil)
        let values = part.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
        try await store.dispatch(nil)
        #expect(try await values.all() == [0])
    }

    @Test("Observers of a parent's state in actors and on executors are no longer counted after the end of the child")
    func elsewhereThroughChild() async {
        actor Display {
            private(set) var shown: [Int] = []
            func show(_ value: Int) { shown.append(value) }
        }
        let (display, told) = (Display(), Collector<Int>())
        let child = store.child(initialState: 0, reducer: EmptyReducer())
        let tokens = [
            child.observe(\.parent, isolatedTo: display) { $0.show($1) },
            child.values(of: \.parent).observe(on: RecordingExecutor()) { told.append($0) },
        ]
        await until { await display.shown == [0] && told.elements == [0] }
        await child.shutdown(drain: .finishEffects)
        await until { store.statistics.observers == 0 }
        withExtendedLifetime(tokens) {}
    }

    // MARK: Cancelling

    @Test("A suspending closure is not called after its observation is cancelled")
    func suspendingClosure() async {
        let (begun, mayReturn) = (Signal(), Latch())
        let called = Collector<Int>()
        let token = store.values(of: \.self, buffering: .unbounded).observe(on: globalConcurrentExecutor) {
            (value: Int) async in
            called.append(value)
            begun.fire()
            await mayReturn.wait()
        }
        await begun.wait()
        store.send(contentsOf: [1, 1, 1])
        token.cancel()
        mayReturn.open()
        await until { store.statistics.observers == 0 }
        #expect(called.elements == [0])
    }

    @Test(
        "A loop over a sequence ends when its task is cancelled, however many elements are left",
        arguments: [false, true]
    )
    func cancelledLoop(isBuffered: Bool) async {
        let values = store.values(of: \.self, buffering: isBuffered ? .unbounded : .latest)
        for _ in 0..<10 { store.send(1) }
        let taken = await Task {
            var taken: [Int] = []
            withUnsafeCurrentTask { $0?.cancel() }
            for await value in values {
                store.send(1)
                taken.append(value)
            }
            return taken
        }.value
        #expect(taken.isEmpty)
    }

    @Test("A suspending closure does not belong to the effect that begins the observation")
    func suspendingClosureOfEffect() async throws {
        enum Request { @TaskLocal static var number = 0 }
        let seen = Collector<Int>()
        let task = Request.$number.withValue(1) {
            Task {
                store.values(of: \.self).observe(on: globalConcurrentExecutor) { (value: Int) async in
                    seen.append(Request.number * 100 + value)
                }
            }
        }
        let token = await task.value
        await until { seen.elements == [0] }
        token.cancel()
    }

    // MARK: The last value

    @Test(
        "An observation until a condition ends with the first value that satisfies it, the initial one included"
    )
    func observationUntil() async {
        let told = Collector<Int>()
        let tokens = [
            store.observe(.part(\.self).until { $0 >= 3 }) { told.append($0) },
            store.observe(.part(\.self).until { _ in true }) { told.append(100 + $0) },
        ]
        for _ in 0..<5 { store.send(1) }
        #expect(told.elements == [0, 100, 1, 2, 3])
        #expect(await store.observerRecords.isEmpty)
        #expect(store.statistics.observers == 0)
        withExtendedLifetime(tokens) {}
    }

    @Test("A sequence until a condition ends with that value, also for skipping and for isolated observers")
    func lastOfSequences() async throws {
        actor Display {
            var shown: [Int] = []
            func show(_ value: Int) { shown.append(value) }
        }
        let display = Display()
        let token = store.observe(.part(\.self).until { $0 >= 3 }, isolatedTo: display, buffering: .unbounded) {
            $0.show($1)
        }
        let all = store.values(of: .part(\.self).until { $0 >= 3 }, buffering: .unbounded)
        let latest = store.values(of: .part(\.self).until { $0 >= 3 })
        let entries = Store(initialState: [1: 0]) { (table: inout [Int: Int], value: Int) in table[1] = value }
        let entry = entries.values(of: .entry(of: \.self, key: 1).until { $0 == 2 }, buffering: .unbounded)
        for value in 1...3 { entries.send(value) }
        for _ in 0..<5 { store.send(1) }
        #expect(try await all.all() == [0, 1, 2, 3])
        #expect(try await latest.all() == [3])
        #expect(try await entry.all() == [0, 1, 2])
        await until { await display.shown == [0, 1, 2, 3] }
        await until { store.statistics.observers == 0 && entries.statistics.observers == 0 }
        withExtendedLifetime(token) {}
    }

    @Test(
        "An observation without a replay does not end with an undelivered first value; a second condition also applies"
    )
    func lastWithoutReplay() {
        let told = Collector<Int>()
        let token = store.observe(.part(\.self).until { $0.isMultiple(of: 5) }.until { $0 == 7 }.replay(.none)) {
            told.append($0)
        }
        for step in [3, 1, 3, 1] { store.send(step) }
        #expect(told.elements == [3, 4, 7])
        #expect(store.statistics.observers == 0)
        withExtendedLifetime(token) {}
    }

    @Test("An observation with an unsatisfied condition ends with its token")
    func tokenOfEnding() {
        let told = Collector<Int>()
        var token: StoreObservation? = store.observe(.part(\.self).until { _ in false }) { told.append($0) }
        store.send(1)
        token = nil
        store.send(1)
        #expect(told.elements == [0, 1] && token == nil)
    }

    // MARK: Bags

    @Test(
        "An observer replaces the one with its key in a bag, whatever it observes; the key's type is significant"
    )
    func keys() async {
        let told = Collector<String>()
        var bag = ObservationBag()
        store.observe(\.self) { told.append("first \($0)") }.store(in: &bag, forKey: 7)
        store.observe(\.self) { told.append("other \($0)") }.store(in: &bag, forKey: 7 as UInt32)
        store.send(1)
        store.observe(.part(\.description).replay(.none)) { told.append("second \($0)") }.store(in: &bag, forKey: 7)
        #expect(bag.count == 2)
        store.send(1)
        #expect(told.elements == ["first 0", "other 0", "first 1", "other 1", "other 2", "second 2"])
        bag.cancelAll()
        #expect(bag.count == 0)
        #expect(await store.observerRecords.isEmpty)
    }

    @Test("A bag keeps observations, and ends them when it and its copies are released")
    func bags() {
        let told = Collector<Int>()
        var bag: ObservationBag? = ObservationBag()
        store.observe(\.self) { told.append($0) }.store(in: &bag!)
        store.observe(\.self) { told.append(100 + $0) }.store(in: &bag!)
        var copy = bag
        #expect(bag?.count == 2)
        bag = nil
        store.send(1)
        #expect(told.elements == [0, 100, 1, 101])
        copy = nil
        store.send(1)
        #expect(told.elements.count == 4 && copy == nil)
    }

    @Test("cancelAll() ends all observations in a bag, owner-bound ones included, and empties it")
    func cancellingBags() {
        final class Owner: Sendable {}
        let owner = Owner()
        let told = Collector<Int>()
        var bag = ObservationBag()
        store.observe(\.self) { value in told.append(value) }.bound(to: owner).store(in: &bag)
        store.send(1)
        bag.cancelAll()
        #expect(bag.count == 0)
        store.send(1)
        #expect(told.elements == [0, 1])
    }

    // MARK: All of it from many threads

    @Test("Observers of all kinds come and go from many tasks under senders, and no observer is left or loses values")
    func threadSafety() async {
        let kept = Collector<Int>()
        let token = store.observe(\.self) { kept.append($0) }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<300 {
                        var bag = ObservationBag()
                        store.observe(\.self) { _ in }.store(in: &bag)
                        store.observe(.part(\.self).replay(.none)) { _ in }.store(in: &bag)
                        store.observe(\.self) { _ in }.store(in: &bag, forKey: number % 3)
                        store.observe(.part(\.self).until { $0.isMultiple(of: 3) }) { _ in }.store(in: &bag)
                        let values = store.values(of: .part(\.self).replay(task.isMultiple(of: 2) ? .none : .current))
                        store.send(1)
                        _ = values.makeAsyncIterator()
                    }
                }
            }
        }
        // After all earlier sends: actions that came while the store was busy may still wait.
        #expect(await store.state == 2_400)
        #expect(kept.elements == Array(0...2_400))
        await until { store.statistics.observers == 1 }
        #expect(await store.observerRecords.count == 1)
        token.cancel()
    }

    @Test("An observer added after the end of the store is called once, and released")
    func afterTheEnd() async {
        let owner = Token()
        await store.shutdown(drain: .cancelEffects)
        let told = Collector<Int>()
        weak var weakToken: Token?
        do {
            let token = Token()
            weakToken = token
            store.observe(\.self) { [store] value in
                told.append(value)
                withExtendedLifetime((token, store)) {}
            }.bound(to: owner)
        }
        #expect(told.elements == [0])
        await until { weakToken == nil }
        withExtendedLifetime(owner) {}
    }

    @Test("The stores of an optional scope end with the store, also if only their sequence is kept")
    func optionalScopes() async throws {
        let store = Store(initialState: Optional(1)) { (count: inout Int?, step: Int) in count = step }
        // Only the iterator is retained.
        var stores = store.scopeIfLet(state: \.self, action: { $0 }).stores.makeAsyncIterator()
        #expect(await stores.next()??.snapshot == 1)
        store.send(2)
        await store.shutdown(drain: .cancelEffects)
        while await stores.next() != nil {}
        let late = store.scopeIfLet(state: \.self, action: { $0 })
        #expect(try await late.stores.all().count <= 1)
    }
}
