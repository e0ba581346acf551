import ActorStore
import Testing

@testable import TestFixtures

@Suite("Observers isolated to an actor", .timeLimit(.minutes(10)))
struct IsolatedObserverTests {
    private actor Dashboard {
        private(set) var shown: [Int: [Int]] = [:]
        private(set) var order: [Int] = []

        func show(_ value: Int, of observer: Int) {
            shown[observer, default: []].append(value)
            order.append(observer)
        }
    }

    private let store = Store(initialState: 0) { (number: inout Int, new: Int) in number = new }

    @Test("A thousand isolated observers all get the newest value, in the order of their beginning")
    func batches() async {
        let dashboard = Dashboard()
        let tokens = (0..<1_000).map { number in
            store.observe(\.self, isolatedTo: dashboard) { $0.show($1, of: number) }
        }
        await until { await dashboard.order.count == 1_000 }
        #expect(await dashboard.order == Array(0..<1_000))
        store.send(1)
        await until { await dashboard.order.count == 2_000 }
        #expect(await dashboard.order.suffix(1_000) == Array(0..<1_000))
        #expect(await dashboard.shown.values.allSatisfy { $0 == [0, 1] })
        withExtendedLifetime(tokens) {}
    }

    @Test("Isolated observers with a buffer get every value in order, and the newest at the end of the store")
    func buffered() async {
        let dashboard = Dashboard()
        let token = store.observe(\.self, isolatedTo: dashboard, buffering: .unbounded) { $0.show($1, of: 0) }
        for number in 1...1_000 { store.send(number) }
        await store.shutdown(drain: .finishEffects)
        await until { await dashboard.shown[0]?.last == 1_000 }
        #expect(await dashboard.shown[0] == Array(0...1_000))
        token.cancel()
    }

    @Test("Cancelled isolated observers get no more values, and actor and observers are released")
    func lifetimes() async {
        var dashboard: Dashboard? = Dashboard()
        weak let observed = dashboard
        let token = store.observe(\.self, isolatedTo: dashboard!) { $0.show($1, of: 0) }
        let other = store.observe(\.self, isolatedTo: dashboard!) { $0.show($1, of: 1) }
        await until { await dashboard!.order.count == 2 }
        token.cancel()
        store.send(1)
        await until { await dashboard!.order.count == 3 }
        #expect(await dashboard!.shown == [0: [0], 1: [0, 1]])
        dashboard = nil
        await until { observed == nil }
        // Nothing receives the next value: the observation ends by itself, and is no longer counted.
        #expect(store.statistics.observers == 1)
        store.send(2)
        await until { store.statistics.observers == 0 }
        withExtendedLifetime(other) {}
    }

    @Test("An actor can be observed from two stores, which share no batcher")
    func twoStores() async {
        let dashboard = Dashboard()
        let second = Store(initialState: 100) { (number: inout Int, new: Int) in number = new }
        let tokens = [
            store.observe(\.self, isolatedTo: dashboard) { $0.show($1, of: 1) },
            second.observe(\.self, isolatedTo: dashboard) { $0.show($1, of: 2) },
        ]
        store.send(1)
        second.send(101)
        await until { await dashboard.shown[1]?.last == 1 }
        await until { await dashboard.shown[2]?.last == 101 }
        withExtendedLifetime(tokens) {}
    }
}
