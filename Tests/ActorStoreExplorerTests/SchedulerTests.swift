import ActorStore
import Foundation
import Testing

/// The required abilities of the explorer. Each scenario is a classic of its kind.
extension ExplorerTests {
    @Test("The explorer finds a lost update")
    func lostUpdate() async {
        let scenario = Scenario("Two threads count") { stage in
            let count = Words()
            for thread in 1...2 {
                stage.thread("counter \(thread)") { count.first.storeRelaxed(count.first.loadRelaxed() + 1) }
            }
            stage.atEnd { stage.expect(count.first.loadRelaxed(), is: 2, "the count") }
        }
        await #expect(failure(of: scenario, seeds: 200) != nil)
    }

    @Test("The explorer finds store buffering, unless both stores and loads are sequentially consistent")
    func storeBuffering() async {
        let released = Scenario("Stores that release") { stage in
            Words.misses(on: stage) {
                $0.storeReleasing(1)
            } load: {
                $0.loadAcquiring()
            }
        }
        let mixed = Scenario("Sequentially consistent stores, and loads that are not") { stage in
            Words.misses(on: stage) {
                $0.storeSequentiallyConsistent(1)
            } load: {
                $0.loadRelaxed()
            }
        }
        let ordered = Scenario("Sequentially consistent stores and loads") { stage in
            Words.misses(on: stage) {
                $0.storeSequentiallyConsistent(1)
            } load: {
                $0.loadSequentiallyConsistent()
            }
        }
        await #expect(failure(of: released, seeds: 500) != nil)
        await #expect(failure(of: mixed, seeds: 500) != nil)
        await #expect(failure(of: ordered, seeds: 2_000) == nil)
    }

    @Test("A write before a releasing store is visible with it")
    func messagePassing() async {
        let scenario = Scenario("A message and a flag") { stage in
            let words = Words()
            stage.thread("sender") {
                words.first.storeRelaxed(1)
                words.second.storeReleasing(1)
            }
            stage.thread("receiver") {
                if words.second.loadAcquiring() == 1 { stage.expect(words.first.loadRelaxed(), is: 1, "the message") }
            }
        }
        await #expect(failure(of: scenario, seeds: 2_000) == nil)
    }

    @Test("The explorer finds and names a deadlock")
    func deadlock() async {
        let scenario = Scenario("Two locks in two orders") { stage in
            let (left, right) = (LockedValue(0), LockedValue(0))
            stage.thread("one") { left.withLock { _ in right.withLock { _ in } } }
            stage.thread("other") { right.withLock { _ in left.withLock { _ in } } }
        }
        let failure = await failure(of: scenario, seeds: 500)
        #expect(failure?.message.contains("one sleeps, other sleeps") == true)
    }

    @Test("The explorer finds and names a use after release")
    func releasedMemory() async {
        let scenario = Scenario("A lock that is released with its owner") { stage in
            let owner = Shared<Words?>(Words())
            stage.thread("owner") { owner.value = nil }
            stage.thread("other") {
                guard let words = owner.value.map({ Unmanaged.passUnretained($0) }) else { return }
                stage.reach()
                words._withUnsafeGuaranteedRef { $0.first.storeReleasing(1) }
            }
        }
        let failure = await failure(of: scenario, seeds: 200)
        #expect(failure?.message.contains("other uses memory that has been released") == true)
    }

    @Test("The explorer finds and names a task that is never resumed")
    func lostWakeUp() async {
        let scenario = Scenario("A task without end") { stage in
            stage.task("waiting task") { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
        }
        let failure = await failure(of: scenario, seeds: 1)
        #expect(failure?.message.contains("waiting task did not come to an end") == true)
    }

    @Test("Equal seeds have equal runs in the explorer", arguments: 0..<20 as Range<UInt64>)
    func replay(_ seed: UInt64) async {
        let order = Order()
        let scenario = Scenario("Threads that are counted") { stage in
            let words = Words()
            for thread in 1...3 {
                stage.thread("thread \(thread)") {
                    for _ in 1...5 {
                        words.first.addRelaxed(1)
                        order.append(thread)
                    }
                }
            }
            stage.task("task") {
                for _ in 1...5 {
                    await stage.yield()
                    order.append(4)
                }
            }
        }
        var orders: [[Int]] = []
        for _ in 1...2 {
            _ = await failure(of: scenario, seeds: 1, from: seed)
            orders.append(order.takeAll())
        }
        #expect(orders[0].count == 20)
        #expect(orders[0] == orders[1])
    }

    private func failure(of scenario: Scenario, seeds: Int, from seed: UInt64 = 0) async -> Explorer.Failure? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Explorer().explore(scenario, from: seed) { $0 < seeds }.failure)
            }
        }
    }
}

private final class Words: Sendable {
    let first = AtomicValue<Int>(0)
    let second = AtomicValue<Int>(0)

    /// Two threads that each write one word and then read the other: at least one of them must see the write.
    static func misses(
        on stage: Stage,
        store: @escaping @Sendable (borrowing AtomicValue<Int>) -> Void,
        load: @escaping @Sendable (borrowing AtomicValue<Int>) -> Int
    ) {
        let words = Words()
        let seen = Shared((0, 0))
        stage.thread("one") {
            store(words.first)
            seen.value.0 = load(words.second)
        }
        stage.thread("other") {
            store(words.second)
            seen.value.1 = load(words.first)
        }
        stage.atEnd { stage.expect(seen.value != (0, 0), "Neither thread has seen the other") }
    }
}

private final class Order: @unchecked Sendable {
    // Sound: accessed by one thread of a run at a time, and by the test between runs.
    private var entries: [Int] = []

    func append(_ entry: Int) { entries.append(entry) }

    func takeAll() -> [Int] {
        defer { entries = [] }
        return entries
    }
}
