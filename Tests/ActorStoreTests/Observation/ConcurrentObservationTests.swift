import ActorStore
import Testing
import TreeCollections

@testable import TestFixtures

/// Only the sanitizers and the guarantees check here: producers, observers and cancellations run concurrently.
@Suite("Observation under concurrency", .timeLimit(.minutes(10)))
struct ConcurrentObservationTests {
    private struct State: Sendable {
        var count = 0
        var table: TreeDictionary<Int, Int> = [:]
    }

    private actor Visited {
        private(set) var calls = 0
        func call() { calls += 1 }
    }

    @Test("Observers of all kinds come and go under concurrent senders, and none sees a value go backwards")
    func comeAndGo() async {
        let store = Store(initialState: State()) { (state: inout State, _: Int) in
            state.count += 1
            // Every key changes up to the end, whichever sender is first.
            state.table[state.count % 16] = state.count
        }
        let visited = Visited()
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<2 {
                group.addTask { for step in 0..<2_000 { store.send(step * 2 + sender) } }
            }
            for observer in 0..<4 {
                group.addTask {
                    for round in 0..<60 {
                        var last = -1
                        switch (round + observer) % 6 {
                        case 0:
                            for await count in store.values(of: \.count) {
                                #expect(count > last)
                                if count - last > 3 || count == 4_000 { break }
                                last = count
                            }
                        case 1:
                            var left = 5
                            for await value in store.values(of: \.table, key: round % 16, buffering: .unbounded) {
                                #expect((value ?? 0) > last)
                                last = value ?? 0
                                left -= 1
                                if left == 0 || store.snapshot.count > 3_900 { break }
                            }
                        case 2: store.observe(.entry(of: \.table, key: observer)) { _ in }.cancel()
                        case 3: store.observe(\.count, isolatedTo: visited) { visited, _ in visited.call() }.cancel()
                        case 4:
                            let task = Task { for await _ in store.changes(of: \.table) {} }
                            await Task.yield()
                            task.cancel()
                            await task.value
                        default:
                            let policy = BufferingPolicy.bounded(2, onOverflow: .suspendStore)
                            var iterator = store.values(of: \.count, buffering: policy).makeAsyncIterator()
                            _ = await iterator.next()
                        }
                    }
                }
            }
        }
        #expect(await store.state.count == 4_000)
        await store.shutdown(drain: .finishEffects)
        #expect(store.statistics.observers == 0)
    }

    @Test("Observers can be added and cancelled in a notification, which continues with the initial ones")
    func changesWithinANotification() {
        let store = Store(initialState: 0) { (number: inout Int, new: Int) in number = new }
        let log = Collector<String>()
        let tokens = Collector<StoreObservation>()
        let first = store.observe(\.self) { number in
            log.append("first \(number)")
            guard number == 1 else { return }
            tokens.append(store.observe(\.self) { log.append("added \($0)") })
            tokens.elements.first?.cancel()
        }
        tokens.append(store.observe(\.self) { log.append("second \($0)") })
        store.send(1)
        // The second was cancelled before its call; the added one begins after the turn, with the value of that time.
        #expect(log.elements == ["first 0", "second 0", "first 1", "added 1"])
        store.send(2)
        #expect(log.elements.suffix(2) == ["first 2", "added 2"])
        withExtendedLifetime(first) {}
    }

    @Test("An observer that cancels itself within its call is not called again")
    func cancelsItself() {
        let store = Store(initialState: 0) { (number: inout Int, new: Int) in number = new }
        let log = Collector<Int>()
        let tokens = Collector<StoreObservation>()
        tokens.append(
            store.observe(\.self) { number in
                log.append(number)
                if number == 1 { tokens.elements.first?.cancel() }
            }
        )
        for number in 1...3 { store.send(number) }
        #expect(log.elements == [0, 1])
        #expect(store.statistics.observers == 0)
    }
}
