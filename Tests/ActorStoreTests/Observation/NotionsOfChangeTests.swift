import ActorStore
import Synchronization
import Testing

@testable import TestFixtures

@Suite("Notions of change", .timeLimit(.minutes(10)))
struct NotionsOfChangeTests {
    private struct Session: Sendable {
        var id = 1
        var visits = 0
    }

    private struct State: Sendable {
        var session = Session()
        var price = 1.0
        var items = [1, 2, 3, 4]
        var divisor = 2
        var unrelated = 0
    }

    private typealias Step = @Sendable (inout State) -> Void

    private func makeStore() -> Store<State, Step> {
        Store(initialState: State()) { (state: inout State, step: Step) in step(&state) }
    }

    @Test("removeDuplicates: notifies only of values that its closure calls different from the last delivered one")
    func closure() async throws {
        let store = makeStore()
        let prices = store.values(
            of: .part(\.price, removeDuplicates: Deduplication { old, new in abs(old - new) < 0.5 }),
            buffering: .unbounded
        )
        // Small steps add up: each is compared with the delivered value, not with the previous one.
        for price in [1.1, 1.3, 1.4, 1.6, 1.7, 5.0] { store.send { $0.price = price } }
        await store.shutdown(drain: .finishEffects)
        #expect(try await prices.all() == [1.0, 1.6, 5.0])
    }

    @Test("A value is compared with the last delivered one, also after skipped values")
    func skippedValues() async {
        let store = Store(initialState: 10) { (number: inout Int, new: Int) in number = new }
        var numbers = store.values(
            of: .part(\.self, removeDuplicates: Deduplication { old, new in abs(old - new) < 3 })
        ).makeAsyncIterator()
        #expect(await numbers.next() == 10)
        store.send(14)
        store.send(11)
        let next = Task { [numbers] in
            var numbers = numbers
            return await numbers.next()
        }
        await until { await !(store.observerRecords.contains(where: { $0.pending > 0 })) }
        // Differs from 11, which was skipped, and not from 10.
        store.send(8)
        await until { await !(store.observerRecords.contains(where: { $0.pending > 0 })) }
        store.send(20)
        #expect(await next.value == 20)
    }

    @Test(".by compares a part of the value, which need not be Equatable as a whole")
    func byKeyPath() async throws {
        let store = makeStore()
        let sessions = store.values(of: .part(\.session, removeDuplicates: .by(\.id)), buffering: .unbounded)
        store.send { $0.session.visits = 1 }
        store.send { $0.session = Session(id: 2, visits: 5) }
        store.send { $0.session.visits = 6 }
        await store.shutdown(drain: .finishEffects)
        #expect(try await sessions.all().map(\.visits) == [0, 5])
    }

    @Test(".everyAction notifies after each action, equal or not, and once after a batch")
    func everyAction() async throws {
        let store = makeStore()
        let prices = store.values(of: .part(\.price, removeDuplicates: .everyAction), buffering: .unbounded)
        let calls = Collector<Double>()
        let token = store.observe(.part(\.price, removeDuplicates: .everyAction)) { calls.append($0) }
        store.send { $0.unrelated += 1 }
        store.send { $0.price = 2 }
        store.send(contentsOf: [{ $0.price = 3 }, { $0.price = 2 }])
        await store.shutdown(drain: .finishEffects)
        #expect(try await prices.all() == [1, 1, 2, 2])
        #expect(calls.elements == [1, 1, 2, 2])
        token.cancel()
    }

    @Test("The result of a selecting closure is delivered when it changes")
    func selection() async throws {
        let store = makeStore()
        let even = store.values(of: .selecting { $0.items.filter { $0.isMultiple(of: 2) } }, buffering: .unbounded)
        store.send { $0.items.append(5) }
        store.send { $0.items.append(6) }
        await store.shutdown(drain: .finishEffects)
        #expect(try await even.all() == [[2, 4], [2, 4, 6]])
    }

    @Test("A selector is computed once for all its observers, and only when an input has changed")
    func selector() async throws {
        let counter = Counter()
        let store = makeStore()
        let multiples = StateSelector(\State.items, \.divisor) { items, divisor in
            counter.count()
            return items.filter { $0.isMultiple(of: divisor) }
        }
        let sequences = (0..<10).map { _ in store.values(of: .selector(multiples), buffering: .unbounded) }
        let calls = Collector<[Int]>()
        let token = store.observe(.selector(multiples)) { calls.append($0) }
        #expect(counter.value == 1)
        for _ in 0..<20 { store.send { $0.unrelated += 1 } }
        #expect(counter.value == 1)
        store.send { $0.divisor = 3 }
        #expect(counter.value == 2)
        // Another input, the same value: computed, and not delivered.
        store.send { $0.items.append(7) }
        #expect(counter.value == 3)
        await store.shutdown(drain: .finishEffects)
        for sequence in sequences { #expect(try await sequence.all() == [[2, 4], [3]]) }
        #expect(calls.elements == [[2, 4], [3]])
        token.cancel()
    }

    @Test("Stores do not share the memory of a selector")
    func selectorInTwoStores() {
        let doubled = StateSelector(\State.divisor) { $0 * 2 }
        let stores = [makeStore(), makeStore()]
        let calls = Collector<Int>()
        let tokens = stores.map { $0.observe(.selector(doubled)) { calls.append($0) } }
        stores[1].send { $0.divisor = 5 }
        stores[0].send { $0.divisor = 5 }
        #expect(calls.elements == [4, 4, 10, 10])
        withExtendedLifetime(tokens) {}
    }

    @Test("An observer of changes gets the old value, the new one, and the revision")
    func changes() {
        let store = makeStore()
        let changes = Collector<Change<Int>>()
        let token = store.observe(.changes(of: \.divisor)) { changes.append($0) }
        store.send { $0.unrelated = 1 }
        store.send { $0.divisor = 5 }
        store.send { $0.divisor = 7 }
        let told = changes.elements
        #expect(told.map(\.old) == [nil, 2, 5])
        #expect(told.map(\.new) == [2, 5, 7])
        #expect(told.map(\.revision) == [0, 2, 3])
        token.cancel()
    }

    @Test("An object-bound observation ends with the object, without a token, and does not keep it alive")
    func owner() async {
        let store = makeStore()
        var owner: Owner? = Owner()
        weak let observed = owner
        store.observe(\.divisor) { [weak owner] divisor in owner?.values.append(divisor) }.bound(to: owner!)
        store.send { $0.divisor = 3 }
        #expect(owner?.values.elements == [2, 3])
        owner = nil
        #expect(observed == nil)
        #expect(store.statistics.observers == 1)
        store.send { $0.divisor = 4 }
        #expect(store.statistics.observers == 0)
    }

    private final class Owner: Sendable { let values = Collector<Int>() }

    private final class Counter: Sendable {
        private let calls = Atomic<Int>(0)
        var value: Int { calls.load(ordering: .relaxed) }
        func count() { calls.add(1, ordering: .relaxed) }
    }
}
