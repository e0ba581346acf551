import ActorStore
import Testing

@testable import TestFixtures

@Suite("Faults: misbehaving observers", .timeLimit(.minutes(10)))
struct ObserverFaultTests {
    @Test("An observer that never reads keeps one value, or as many as its buffer holds, however many come")
    func neverReading() async {
        let census = Census()
        let store = Parcels.store()
        let newest = store.values(of: \.last)
        let bounded = store.values(of: \.last, buffering: .bounded(8))
        let refusing = store.values(of: \.last, buffering: .bounded(4, onOverflow: .dropNewest))
        let ending = store.values(of: \.last, buffering: .bounded(4, onOverflow: .finish))
        let actions = store.actions(.bounded(8), at: nil)
        for _ in 0..<10_000 { store.send(.put(census.member())) }
        // The state's, the newest one, and the contents of the buffers: actions have the states that they led to.
        #expect(census.most <= 1 + 1 + 8 + 4 + 4 + 8 * 2 + 4)
        let dropped = await store.observerRecords.map(\.dropped).reduce(0, +)
        #expect(dropped > 3 * 9_900)
        withExtendedLifetime((newest, bounded, refusing, ending, actions)) {}
    }

    @Test("Values kept by an observer are released with it, and with the store")
    func released() async throws {
        let census = Census()
        do {
            let store = Parcels.store()
            do {
                let unread = (0..<20).map { _ in store.values(of: \.last, buffering: .unbounded) }
                for _ in 0..<100 { store.send(.put(census.member())) }
                #expect(census.living == 100)
                withExtendedLifetime(unread) {}
            }
            #expect(store.statistics.observers == 0)
            store.send(.put(census.member()))
            #expect(census.living == 1)
        }
        #expect(census.living == 0)
    }

    @Test("A slow reader that keeps the newest value is at most one value behind, and blocks nothing")
    func slowReader() async throws {
        let census = Census()
        let store = Parcels.store()
        var reader = store.values(of: \.received).makeAsyncIterator()
        #expect(await reader.next() == 0)
        for round in 1...10 {
            for _ in 0..<1_000 { store.send(.put(census.member())) }
            #expect(await reader.next() == round * 1_000)
        }
        #expect(census.most <= 3)
    }

    @Test("An observer cancelled during a delivery gets no further values, and leaves nothing behind")
    func cancelledWhileDelivering() async throws {
        let store = Parcels.store()
        let census = Census()
        let last = 2_000
        let readers = (1...40).map { number in
            let values = store.values(of: \.received, buffering: number.isMultiple(of: 2) ? .latest : .bounded(4))
            return Task {
                var seen: [Int] = []
                for await value in values {
                    seen.append(value)
                    if value >= number * 10 { withUnsafeCurrentTask { $0?.cancel() } }
                }
                return seen
            }
        }
        let called = Collector<Int>()
        let observation = LockedValue<StoreObservation?>(nil)
        observation.withLock {
            $0 = store.observe(\.received) { value in
                called.append(value)
                if value == 100 { observation.withLock { $0?.cancel() } }
            }
        }
        for _ in 0..<last { store.send(.put(census.member())) }
        for (index, reader) in readers.enumerated() {
            let seen = await reader.value
            #expect(seen == seen.sorted() && Set(seen).count == seen.count)
            #expect(seen.last.map { $0 >= (index + 1) * 10 } == true)
        }
        #expect(called.elements == Array(0...100))
        #expect(store.statistics.observers == 0)
    }

    @Test("One blocked observer among a thousand does not keep the others from the last value")
    func standingStill() async throws {
        let store = Parcels.store()
        let census = Census()
        let wakes = Latch()
        let sleeper = Task {
            for await _ in store.values(of: \.received, buffering: .bounded(2)) { await wakes.wait() }
        }
        let readers = (0..<999).map { _ in
            let values = store.values(of: \.received)
            return Task {
                for await value in values where value == 500 { return true }; return false
            }
        }
        for _ in 0..<500 { store.send(.put(census.member())) }
        for reader in readers { #expect(await reader.value) }
        sleeper.cancel()
        wakes.open()
        await sleeper.value
        #expect(census.living == 1)
    }
}
