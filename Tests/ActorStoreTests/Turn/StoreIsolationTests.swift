import ActorStore
import Testing

@testable import TestFixtures

@Suite("Isolation to a store is its turn", .timeLimit(.minutes(10)))
struct StoreIsolationTests {
    typealias Counter = Store<Int, Int>

    @Test("The state does not change while code isolated to the store runs, however many others send")
    func stateStandsStill() async throws {
        func look(_ store: isolated Counter) async -> Bool {
            let before = store.snapshot
            store.send(0)
            for _ in 0..<100 where store.snapshot != before { return false }
            return store.snapshot == before
        }
        let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let stood = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    var stood = 0
                    for _ in 0..<500 where await look(store) { stood += 1 }
                    return stood
                }
            }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<2_000 { store.send(1) }
                    return 0
                }
            }
            return await group.reduce(0, +)
        }
        #expect(stood == 1_000)
        #expect(await store.state == 8_000)
    }

    @Test("Isolated code can dispatch to its own store and await it")
    func isolatedCodeCanDispatch() async throws {
        func work(_ store: isolated Counter) async throws -> Int {
            store.send(1)
            try await store.dispatch(2)
            return store.snapshot
        }
        let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        for round in 1...100 { #expect(try await work(store) == 3 * round) }
    }

    @Test("Isolated code of two stores can call each other without growing the stack")
    func storesCanCallEachOther() async {
        func ping(_ first: isolated Counter, _ second: Counter, _ rounds: Int) async -> Int {
            var answered = 0
            for _ in 0..<rounds { answered += await pong(second) }
            return answered
        }
        func pong(_ store: isolated Counter) async -> Int {
            store.send(1)
            return 1
        }
        let first = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let second = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        #expect(await ping(first, second, 10_000) == 10_000)
        #expect(await second.state == 10_000)
    }

    @Test("A closure observer is isolated to its store, and may assume so")
    func observersAreIsolated() async throws {
        let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let seen = Collector<Int>()
        let token = store.observe(\.self) { [weak store] _ in
            store?.assumeIsolated { store in seen.append(store.snapshot) }
        }
        try await store.dispatch(1)
        #expect(seen.elements == [0, 1])
        token.cancel()
    }
}
