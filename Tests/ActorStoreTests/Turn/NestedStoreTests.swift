import ActorStore
import Testing

@testable import TestFixtures

/// The valid uses of other stores in reducers and interceptors do not depend on the load.
@Suite("Stores used within reducers of other stores", .timeLimit(.minutes(10)))
struct NestedStoreTests {
    private typealias Counter = Store<Int, Int>

    @Test(
        "A reducer can send to another store, whose observers can read the first one, idle or busy",
        arguments: [false, true]
    )
    func sending(isBusy: Bool) async throws {
        let audit = Counter(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let main = Counter(initialState: 0) { (count: inout Int, step: Int) in
            count += step
            audit.send(1)
        }
        let (seen, continuation) = AsyncStream.makeStream(of: Int?.self)
        let token = audit.observe(.part(\.self).replay(.none)) { [weak main] _ in continuation.yield(main?.snapshot) }
        let hold = Hold()
        if isBusy {
            let holding = audit.observe(.part(\.self).replay(.none)) { _ in hold.enter() }
            onThread { audit.send(0) }
            try await Task.sleep(for: .milliseconds(1))
            withExtendedLifetime(holding) { _ = main.send(1) }
            hold.release()
        } else {
            main.send(1)
        }
        for await count in seen {
            #expect(count == 1)
            break
        }
        #expect(await audit.state == 1)
        withExtendedLifetime(token) {}
    }

    @Test(
        "An action that a child's mapping sends to another store waits for the end of the turn, idle or busy",
        arguments: [false, true]
    )
    func actionClosures(isBusy: Bool) async throws {
        let isInClosure = LockedValue(false)
        let reduced = Collector<Bool>()
        let other = Counter(initialState: 0) { (count: inout Int, step: Int) in
            reduced.append(isInClosure.withLock { $0 })
            count += step
        }
        let hold = Hold()
        let root = Counter(initialState: 0) { (count: inout Int, step: Int) in
            if step == 0 { hold.enter() }
            count += step
        }
        let child = root.child(initialState: 0, reducer: Reduce<Int, Int> { _, _ in .none }) { (step: Int) -> Int? in
            isInClosure.withLock { $0 = true }
            other.send(1)
            isInClosure.withLock { $0 = false }
            return step
        }
        if isBusy {
            onThread { root.send(0) }
            await hold.waitUntilEntered()
        }
        child.send(1)
        hold.release()
        #expect(await root.state == 1)
        #expect(await other.state == 1)
        #expect(reduced.elements == [false])
    }

    @Test("Actions that a reducer sends to another store are reduced in order")
    func order() async throws {
        let audit = Store(initialState: [Int]()) { (numbers: inout [Int], number: Int) in numbers.append(number) }
        let main = Counter(initialState: 0) { (count: inout Int, step: Int) in
            count += step
            audit.send(count)
        }
        for _ in 0..<1_000 { main.send(1) }
        #expect(await audit.state == Array(1...1_000))
    }

    @Test("A reducer can observe another store, and create one")
    func observing() async throws {
        let other = Counter(initialState: 7) { (count: inout Int, step: Int) in count += step }
        let (seen, continuation) = AsyncStream.makeStream(of: Int.self)
        let tokens = Collector<StoreObservation>()
        let main = Counter(initialState: 0) { (count: inout Int, step: Int) in
            count += step
            tokens.append(other.observe(\.self) { continuation.yield($0) })
            let made = Counter(initialState: 1) { (count: inout Int, step: Int) in count += step }
            tokens.append(made.observe(\.self) { continuation.yield($0) })
            made.send(41)
        }
        main.send(1)
        var found: Set<Int> = []
        for await value in seen {
            found.insert(value)
            if found.isSuperset(of: [7, 42]) { break }
        }
        #expect(found.isSuperset(of: [7, 42]))
    }

    @Test("An interceptor within a batch can send to another store, and read its own")
    func interceptorSends() async throws {
        let audit = Counter(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let seen = Collector<Int>()
        let store = Counter(
            initialState: 0,
            interceptors: [
                Interceptor("audit") { action, context, next in
                    seen.append(context.state)
                    audit.send(action)
                    try next(action)
                }
            ]
        ) { (count: inout Int, step: Int) in count += step }
        store.send(contentsOf: [1, 2, 3])
        #expect(seen.elements == [0, 1, 3])
        #expect(await audit.state == 6)
    }

    @Test("Two stores whose interceptors send to each other in batches make progress")
    func batches() async throws {
        final class Peers: @unchecked Sendable {
            // Sound: it is filled before the first action.
            var stores: [Counter] = []
        }
        let peers = Peers()
        func make(_ other: Int) -> Counter {
            Counter(
                initialState: 0,
                interceptors: [
                    Interceptor("echo") { action, _, next in
                        if action > 0 { peers.stores[other].send(action - 1) }
                        try next(action)
                    }
                ]
            ) { (count: inout Int, step: Int) in count += 1 }
        }
        peers.stores = [make(1), make(0)]
        await withTaskGroup(of: Void.self) { group in
            for store in peers.stores {
                group.addTask { for _ in 0..<100 { store.send(contentsOf: Array(repeating: 3, count: 20)) } }
            }
        }
        while true {
            let (first, second) = (await peers.stores[0].state, await peers.stores[1].state)
            if first + second == 2 * 100 * 20 * 4 { break }
        }
    }
}
