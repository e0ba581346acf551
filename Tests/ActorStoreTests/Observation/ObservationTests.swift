import ActorStore
import Testing

@testable import TestFixtures

@Suite("Kinds of observation", .timeLimit(.minutes(10)))
struct ObservationTests {
    actor Dashboard {
        private(set) var shown: [Int] = []
        let complete = Signal()

        func show(_ total: Int) {
            shown.append(total)
            if total == 10 { complete.fire() }
        }
    }

    @Test("A stream behaves like an AsyncStream, and ends with its task or its store")
    func streams() async throws {
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        let stream = try #require(store?.stream(of: \.total, buffering: .unbounded))
        for amount in [1, 0, 2] { try await store?.dispatch(.add(amount)) }
        store = nil
        var totals: [Int] = []
        for await total in stream { totals.append(total) }
        #expect(store == nil && totals == [0, 1, 3])
    }

    @Test("A closure can observe on a chosen executor")
    func onAnExecutor() async throws {
        let store = Ledger.store()
        let executor = RecordingExecutor()
        let calls = Collector<Int>()
        let complete = Signal()
        let token = store.values(of: \.total, buffering: .unbounded).observe(on: executor) { total in
            calls.append(total)
            if total == 10 { complete.fire() }
        }
        for _ in 1...10 { try await store.dispatch(.add(1)) }
        await complete.wait()
        #expect(calls.elements == Array(0...10))
        #expect(!executor.jobs.elements.isEmpty)
        token.cancel()
    }

    @Test("A closure can observe isolated to an actor, which it does not keep alive")
    func isolatedToAnActor() async throws {
        let store = Ledger.store()
        var dashboard: Dashboard? = Dashboard()
        weak let weakDashboard = dashboard
        let actor = try #require(dashboard)
        let complete = actor.complete
        let token = store.observe(\.total, isolatedTo: actor, buffering: .unbounded) { dashboard, total in
            dashboard.show(total)
        }
        for _ in 1...10 { try await store.dispatch(.add(1)) }
        await complete.wait()
        #expect(await dashboard?.shown == Array(0...10))
        token.cancel()
        withExtendedLifetime(actor) { dashboard = nil }
        _ = weakDashboard
    }

    @Test("A closure can observe isolated to the main actor")
    func isolatedToTheMainActor() async throws {
        let store = Ledger.store()
        let complete = Signal()
        let token = store.observe(\.total, isolatedTo: MainActor.shared) { _, total in
            MainActor.assertIsolated()
            if total == 1 { complete.fire() }
        }
        try await store.dispatch(.add(1))
        await complete.wait()
        token.cancel()
    }

    @Test("An observed part can be computed, nested, optional, or the whole state")
    func parts() async throws {
        struct State: Equatable, Sendable {
            struct Inner: Equatable, Sendable { var name = "a" }
            var inner = Inner()
            var maybe: Inner?
            var table: [String: Int] = [:]
            var count: Int { table.count }
        }
        enum Action: Sendable { case rename(String), set(Inner?), insert(String, Int) }
        typealias Inner = State.Inner
        let store = Store(initialState: State()) { (state: inout State, action: Action) in
            switch action {
            case .rename(let name): state.inner.name = name
            case .set(let inner): state.maybe = inner
            case .insert(let key, let value): state.table[key] = value
            }
        }
        let names = store.values(of: \.inner.name, buffering: .unbounded)
        let maybe = store.values(of: \.maybe?.name, buffering: .unbounded)
        let entries = store.values(of: \.table["x"], buffering: .unbounded)
        let counts = store.values(of: \.count, buffering: .unbounded)
        let whole = store.values(of: \.self, buffering: .unbounded)
        try await store.dispatch(.rename("b"))
        try await store.dispatch(.set(Inner(name: "c")))
        try await store.dispatch(.set(nil))
        try await store.dispatch(.insert("y", 1))
        try await store.dispatch(.insert("x", 2))
        await store.shutdown(drain: .finishEffects)
        #expect(try await names.all() == ["a", "b"])
        #expect(try await maybe.all() == [nil, "c", nil])
        #expect(try await entries.all() == [nil, 2])
        #expect(try await counts.all() == [0, 1, 2])
        #expect(try await whole.all().count == 6)
    }

    @Test("Each iterator of a sequence is its own observation; the first begins with the sequence")
    func iterators() async throws {
        let store = Ledger.store()
        let values = store.values(of: \.total, buffering: .unbounded)
        try await store.dispatch(.add(1))
        var first = values.makeAsyncIterator()
        var second = values.makeAsyncIterator()
        try await store.dispatch(.add(1))
        #expect(store.statistics.observers == 2)
        #expect([await first.next(), await first.next(), await first.next()] == [0, 1, 2])
        #expect([await second.next(), await second.next()] == [1, 2])
    }

    @Test("Observers of actions can keep the newest or a bounded number of them, and count the dropped ones")
    func boundedActions() async throws {
        let store = Ledger.store()
        let newest = store.actions(.latest, at: nil)
        let oldest = store.actions(.bounded(2, onOverflow: .dropNewest), at: nil)
        let last = store.actions(.bounded(2), at: nil)
        for _ in 1...5 { try await store.dispatch(.add(1)) }
        #expect(oldest.droppedCount == 3 && last.droppedCount == 3)
        await store.shutdown(drain: .finishEffects)
        #expect(try await newest.all().map(\.state.total) == [5])
        #expect(try await oldest.all().map(\.state.total) == [1, 2, 5])
        #expect(try await last.all().map(\.state.total) == [4, 5])
    }

    @Test("Observers that come and go while actions flow miss none of their values")
    func comingAndGoing() async throws {
        let store = Ledger.store()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for number in 0..<20_000 { store.send(.enter(0, number)) } }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<200 {
                        var expected: Int?
                        for await total in store.values(of: \.total, buffering: .unbounded) {
                            if let expected { #expect(total == expected) }
                            expected = total + 1
                            if total.isMultiple(of: 7) || total == 20_000 { break }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.statistics.observers == 0)
    }

    @Test("A stream ends with the cancellation of the iterating task, and so does its observation")
    func cancelledStream() async throws {
        let (store, totals) = (Ledger.store(), Collector<Int>())
        let loop = Task {
            for await total in store.stream(of: \.total) { totals.append(total) }
        }
        await until { totals.elements == [0] }
        loop.cancel()
        await loop.value
        await until { store.statistics.observers == 0 }
        try await store.dispatch(.add(1))
        #expect(totals.elements == [0])
    }

    @Test("Errors not taken by an observer before its cancellation are not kept for the next one")
    func cancelledErrors() async throws {
        struct Broken: Error, Equatable { let number: Int }
        let store = Ledger.store()
        func fail(_ number: Int) async throws {
            let failure = try await store.dispatch(.start(.run { _ in throw Broken(number: number) }))
            do {
                try await failure.finish()
                Issue.record("The effect failed, and finish() does not throw")
            } catch {
                #expect(error as? Broken == Broken(number: number))
            }
        }
        func next(_ errors: StoreSequence<StoreFailure>) async throws -> Broken? {
            try await errors.first(1).first?.error as? Broken
        }
        let errors = store.errors
        for number in 1...3 { try await fail(number) }
        // The iteration ends with this, and the observation with it.
        #expect(try await next(errors) == Broken(number: 1))
        try await fail(4)
        #expect(try await next(store.errors) == Broken(number: 4))
        #expect(store.statistics.failures == 4)
    }
}
