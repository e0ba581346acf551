import ActorStore
import Testing

@testable import TestFixtures

@Suite("Ends and names of observations, and what they are told first", .timeLimit(.minutes(10)))
struct ObservationEndTests {
    private let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }

    // MARK: Replay

    @Test("Without a replay a closure is told nothing at first, and then each change")
    func closureWithoutReplay() {
        let told = Collector<Int>()
        let tokens = [
            store.observe(\.self, replay: .none) { told.append($0) },
            store.observe(\.self, replay: .current) { told.append($0 * 100) },
        ]
        #expect(told.elements == [0])
        store.send(1)
        store.send(0)
        store.send(1)
        #expect(told.elements == [0, 1, 100, 2, 200])
        withExtendedLifetime(tokens) {}
    }

    @Test("Without a replay a sequence begins with the next change, with a buffer or without, in each of its iterators")
    func sequenceWithoutReplay() async throws {
        let all = store.values(of: \.self, replay: .none, buffering: .unbounded)
        let latest = store.values(of: \.self, replay: .none)
        var second = all.makeAsyncIterator()
        var third = all.makeAsyncIterator()
        store.send(1)
        store.send(1)
        #expect(await second.next() == 1)
        #expect(await second.next() == 2)
        #expect(await third.next() == 1)
        #expect(try await latest.first(1) == [2])
        #expect(try await store.values(of: \.self, replay: .current).first(1) == [2])
    }

    @Test("Without a replay the end of the store is the end of a sequence in which nothing has come")
    func endWithoutReplay() async throws {
        var store: Store<Int, Int>? = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let values = store!.values(of: \.self, replay: .none)
        let all = store!.values(of: \.self, replay: .none, buffering: .unbounded)
        store = nil
        #expect(try await values.all() == [])
        #expect(try await all.all() == [])
    }

    @Test("Without a replay an executor and an actor are told of changes only")
    func elsewhereWithoutReplay() async {
        actor Display {
            var shown: [Int] = []
            func show(_ value: Int) { shown.append(value) }
        }
        let executor = PatientExecutor()
        let display = Display()
        let told = Collector<Int>()
        let tokens = [
            store.observe(\.self, replay: .none, on: executor) { told.append($0) },
            store.observe(\.self, replay: .none, isolatedTo: display) { $0.show($1) },
        ]
        executor.runAll()
        #expect(told.elements == [])
        store.send(5)
        executor.runAll()
        #expect(told.elements == [5])
        await wait { await display.shown == [5] }
        withExtendedLifetime(tokens) {}
    }

    @Test("A new observer of a view with a notion of change of its own begins with the state as it is")
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
        let child = store.child(initialState: 0) { (_: inout Int, _: Int) in }
        let values = child.values(of: \.parent, buffering: policy)
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        store.send(1)
        await child.shutdown(drain: .finishEffects)
        for _ in 0..<3 { try await store.dispatch(1) }
        #expect(await iterator.next() == 1)
        #expect(await iterator.next() == nil)
        #expect(iterator.droppedCount == 0)
        // What begins later is told the state at that time.
        #expect(try await child.values(of: \.parent, buffering: policy).all() == [4])
    }

    @Test(
        "A sequence that has seen the newest of a parent's state gets nothing of what comes after the end of its child"
    )
    func nothingAfterChild() async throws {
        let child = store.child(initialState: 0) { (_: inout Int, _: Int) in }
        let values = child.values(of: \.parent)
        var (iterator, later) = (values.makeAsyncIterator(), values.makeAsyncIterator())
        let others = store.observe(\.self) { _ in }
        #expect(await iterator.next() == 0)
        await child.shutdown(drain: .finishEffects)
        try await store.dispatch(1)
        #expect(await iterator.next() == nil)
        // What it had not seen at the end it still gets.
        #expect(await later.next() == 0)
        #expect(await later.next() == nil)
        others.cancel()
    }

    @Test("An observer of a child that has ended suspends nothing, whether it began before or begins afterwards")
    func suspendingAfterTheEnd() async throws {
        let policy = BufferingPolicy.bounded(1, onOverflow: .suspendStore)
        for kind in 0..<3 {
            for beginsBefore in [true, false] {
                let child = store.child(initialState: 0) { (count: inout Int, step: Int) in count += step }
                func observe() -> any Sendable {
                    switch kind {
                    case 0: child.values(of: \.local, buffering: policy)
                    case 1: child.actions(buffering: policy)
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

    @Test("An observer of a part that has gone suspends nothing")
    func suspendingWithoutPart() async throws {
        let store = Store(initialState: Int?.some(0)) { (number: inout Int?, new: Int?) in number = new }
        let scope = store.scopeIfLet(\.self)
        let part = try #require(scope.store)
        try await store.dispatch(nil)
        let values = part.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
        try await store.dispatch(nil)
        #expect(try await values.all() == [0])
    }

    @Test("Observers of a parent's state in actors and on executors are counted no longer when the child has ended")
    func elsewhereThroughChild() async {
        actor Display {
            private(set) var shown: [Int] = []
            func show(_ value: Int) { shown.append(value) }
        }
        let (display, told) = (Display(), Collector<Int>())
        let child = store.child(initialState: 0) { (_: inout Int, _: Int) in }
        let tokens = [
            child.observe(\.parent, isolatedTo: display) { $0.show($1) },
            child.observe(\.parent, on: RecordingExecutor()) { told.append($0) },
        ]
        await wait { await display.shown == [0] && told.elements == [0] }
        await child.shutdown(drain: .finishEffects)
        await wait { store.statistics.observers == 0 }
        withExtendedLifetime(tokens) {}
    }

    // MARK: Cancelling

    @Test("No call of a closure that can suspend begins after its observation is cancelled")
    func suspendingClosure() async {
        let (begun, mayReturn) = (Signal(), Latch())
        let called = Collector<Int>()
        let token = store.observe(\.self, on: globalConcurrentExecutor, buffering: .unbounded) { (value: Int) async in
            called.append(value)
            begun.fire()
            await mayReturn.wait()
        }
        await begun.wait()
        store.send(contentsOf: [1, 1, 1])
        token.cancel()
        mayReturn.open()
        await wait { store.statistics.observers == 0 }
        #expect(called.elements == [0])
    }

    @Test(
        "A loop over a sequence ends when its task is cancelled, however much there is to take",
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

    @Test("A closure that can suspend is no part of the effect that begins to observe")
    func suspendingClosureOfEffect() async throws {
        enum Request { @TaskLocal static var number = 0 }
        let seen = Collector<Int>()
        let task = Request.$number.withValue(1) {
            Task {
                store.observe(\.self, on: globalConcurrentExecutor) { (value: Int) async in
                    seen.append(Request.number * 100 + value)
                }
            }
        }
        let token = await task.value
        await wait { seen.elements == [0] }
        token.cancel()
    }

    // MARK: Ending from within

    @Test("A closure that returns .stop is not called again, also if it does so at the first value")
    func stopping() async {
        let told = Collector<Int>()
        let third = store.observe(untilStopped: \.self) { value in
            told.append(value)
            return value < 2 ? .continue : .stop
        }
        let first = store.observe(untilStopped: \.self) { value in
            told.append(100 + value)
            return .stop
        }
        for _ in 0..<5 { store.send(1) }
        #expect(told.elements == [0, 100, 1, 2])
        #expect(await store.observers.isEmpty)
        #expect(store.statistics.observers == 0)
        withExtendedLifetime((first, third)) {}
    }

    @Test("observe(until:) ends with the first value of which the condition is true")
    func until() async {
        let told = Collector<Int>()
        let token = store.observe(\.self, until: { $0 >= 3 }) { told.append($0) }
        for _ in 0..<5 { store.send(1) }
        #expect(told.elements == [0, 1, 2, 3])
        #expect(await store.observers.isEmpty)
        token.cancel()
    }

    @Test("One that has not stopped ends with its token")
    func tokenOfStopping() {
        let told = Collector<Int>()
        var token: Observation? = store.observe(untilStopped: \.self) { value in
            told.append(value)
            return .continue
        }
        store.send(1)
        token = nil
        store.send(1)
        #expect(told.elements == [0, 1] && token == nil)
    }

    // MARK: Names

    @Test("An observer with the name of another one takes its place, whatever it observes")
    func names() async {
        let told = Collector<String>()
        let first = store.observe(\.self, id: "display") { told.append("first \($0)") }
        let other = store.observe(\.self, id: 7) { told.append("other \($0)") }
        store.send(1)
        let second = store.observe(\.description, id: "display", replay: .none) { told.append("second \($0)") }
        store.send(1)
        #expect(told.elements == ["first 0", "other 0", "first 1", "other 1", "other 2", "second 2"])
        #expect(await store.observers.count == 2)
        withExtendedLifetime((first, second, other)) {}
    }

    @Test(
        "An observer that begins anew under its own name when it is told first is replaced by the newer one",
        arguments: [false, true]
    )
    func beginningAnew(isBusy: Bool) async {
        let (told, tokens) = (Collector<String>(), Collector<Observation>())
        let begin: @Sendable (Store<Int, Int>) -> Void = { store in
            tokens.append(
                store.observe(\.self, id: "display") { [weak store] value in
                    told.append("first \(value)")
                    guard let store, told.elements.count == 1 else { return }
                    tokens.append(store.observe(\.self, id: "display") { told.append("second \($0)") })
                }
            )
        }
        if isBusy {
            let observer = store.observe(\.self, replay: .none) { [weak store] value in
                if value == 1, let store { begin(store) }
            }
            store.send(1)
            _ = await store.state
            observer.cancel()
        } else {
            begin(store)
        }
        store.send(1)
        _ = await store.state
        let value = isBusy ? 1 : 0
        #expect(told.elements == ["first \(value)", "second \(value)", "second \(value + 1)"])
        withExtendedLifetime(tokens) {}
    }

    @Test("A name that is equal to another one, but of another type, is another name")
    func typesOfNames() async {
        let told = Collector<String>()
        let user = store.observe(\.self, id: 7, replay: .none) { told.append("user \($0)") }
        let order = store.observe(\.self, id: 7 as UInt32, replay: .none) { told.append("order \($0)") }
        store.send(1)
        #expect(told.elements == ["user 1", "order 1"])
        withExtendedLifetime((user, order)) {}
    }

    @Test("A name is free again when its observation has ended, and each store of a tree has names of its own")
    func namesOfStores() async {
        let told = Collector<String>()
        let child = store.child(initialState: 0) { (count: inout Int, step: Int) in count += step }
        store.observe(\.self, id: "a") { told.append("gone \($0)") }.cancel()
        let tokens = [
            store.observe(\.self, id: "a") { told.append("root \($0)") },
            child.observe(\.local, id: "a") { told.append("child \($0)") },
        ]
        child.send(1)
        #expect(told.elements == ["gone 0", "root 0", "child 0", "root 1", "child 1"])
        let scoped = child.scope(\.local).observe(\.self, id: "a", replay: .none) { told.append("scope \($0)") }
        child.send(1)
        #expect(told.elements.suffix(2) == ["root 2", "scope 2"])
        withExtendedLifetime((tokens, scoped)) {}
    }

    @Test("Of many who take a name at the same time one is left, and names that are not used any more do not pile up")
    func namesAtTheSameTime() async {
        let tokens = Collector<Observation>()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<200 {
                        tokens.append(store.observe(\.self, id: "one") { _ in })
                        store.observe(\.self, id: task * 1_000 + number) { _ in }.cancel()
                        store.send(1)
                    }
                }
            }
        }
        await wait { store.statistics.observers == 1 }
        #expect(await store.observers.count == 1)
    }

    // MARK: Bags

    @Test("A name is an object whose deinitialiser can begin an observation with a name")
    func namesThatObserve() async {
        final class Name: Hashable, Sendable {
            let store: Store<Int, Int>
            init(_ store: Store<Int, Int>) { self.store = store }
            deinit { store.observe(\.self, id: "of a name") { _ in }.cancel() }
            static func == (left: Name, right: Name) -> Bool { left === right }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
        for _ in 0..<100 { _ = store.observe(\.self, id: Name(store)) { _ in } }
        await wait { store.statistics.observers == 0 }
    }

    @Test("A bag keeps observations, and ends them when it and its copies are gone")
    func bags() {
        let told = Collector<Int>()
        var bag: ObservationBag? = ObservationBag()
        store.observe(\.self) { told.append($0) }.store(in: &bag!)
        store.observe(\.self) { told.append(100 + $0) }.store(in: &bag!)
        var copy = bag
        #expect(bag?.count == 2 && bag?.isEmpty == false)
        bag = nil
        store.send(1)
        #expect(told.elements == [0, 100, 1, 101])
        copy = nil
        store.send(1)
        #expect(told.elements.count == 4 && copy == nil)
    }

    @Test("cancelAll() ends what is in a bag, also observations that are bound to an owner, and empties it")
    func cancellingBags() {
        final class Owner: Sendable {}
        let owner = Owner()
        let told = Collector<Int>()
        var bag = ObservationBag()
        store.observe(\.self, owner: owner) { _, value in told.append(value) }.store(in: &bag)
        store.send(1)
        bag.cancelAll()
        #expect(bag.isEmpty)
        store.send(1)
        #expect(told.elements == [0, 1])
    }

    // MARK: All of it from many threads

    @Test("Observers of all kinds come and go from many tasks, while others send, and nothing is left or lost")
    func threadSafety() async {
        let kept = Collector<Int>()
        let token = store.observe(\.self) { kept.append($0) }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<300 {
                        var bag = ObservationBag()
                        store.observe(\.self) { _ in }.store(in: &bag)
                        store.observe(\.self, replay: .none) { _ in }.store(in: &bag)
                        store.observe(\.self, id: number % 3) { _ in }.store(in: &bag)
                        store.observe(untilStopped: \.self) { $0.isMultiple(of: 3) ? .stop : .continue }.store(in: &bag)
                        let values = store.values(of: \.self, replay: task.isMultiple(of: 2) ? .none : .current)
                        store.send(1)
                        _ = values.makeAsyncIterator()
                    }
                }
            }
        }
        // After all that was sent: what came while the store was busy may still wait.
        #expect(await store.state == 2_400)
        #expect(kept.elements == Array(0...2_400))
        await wait { store.statistics.observers == 1 }
        #expect(await store.observers.count == 1)
        token.cancel()
    }

    @Test("An observer that comes when the store has ended is told once, and not kept")
    func afterTheEnd() async {
        let owner = Token()
        await store.shutdown(drain: .cancelEffects)
        let told = Collector<Int>()
        weak var weakToken: Token?
        do {
            let token = Token()
            weakToken = token
            store.observe(\.self, owner: owner) { [store] _, value in
                told.append(value)
                withExtendedLifetime((token, store)) {}
            }
        }
        #expect(told.elements == [0])
        await wait { weakToken == nil }
        withExtendedLifetime(owner) {}
    }

    @Test("The stores of an optional scope end with the store, also if only their sequence is kept")
    func optionalScopes() async throws {
        let store = Store(initialState: Optional(1)) { (count: inout Int?, step: Int) in count = step }
        // The iterator alone is kept.
        var stores = store.scopeIfLet(\.self).stores.makeAsyncIterator()
        #expect(await stores.next()??.snapshot == 1)
        store.send(2)
        await store.shutdown(drain: .cancelEffects)
        while await stores.next() != nil {}
        let late = store.scopeIfLet(\.self)
        #expect(try await late.stores.all().count <= 1)
    }
}
