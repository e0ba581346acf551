import ActorStoreGroups
import ActorStoreTesting
import ActorStoreViews
import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Eviction of stores with object-bound observers", .timeLimit(.minutes(10)))
struct BoundObserverEvictionTests {
    private final class Gauge: Sendable {}

    private actor Display: StateConsumer, ActionConsumer {
        nonisolated func props(from state: Int, send: Send<Int>) -> Int { state }
        func update(_ props: Int) {}
        func receive(_ action: Int, state: Int) {}
    }

    private let clock = ManualClock()

    private func makeGroup() -> StoreGroup<String, Int, Int> {
        StoreGroup(eviction: .afterIdle(.seconds(10), clock: clock), initialState: { _ in 0 }) { $0 += $1 }
    }

    /// Lets periods pass, and returns after the group has checked all stores in each. It does not wait for hand-overs
    /// of evicted stores.
    private func passPeriods(_ count: Int) async {
        for _ in 0..<count {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(10))
        }
        await clock.waitForSleepers()
    }

    @Test("A store is evicted after the release of its only observer's owner, without further changes")
    func owner() async {
        let group = makeGroup()
        weak var gone: Gauge?
        do {
            let gauge = Gauge()
            gone = gauge
            group["a"].observe(\.self) { _ in }.bound(to: gauge)
            await passPeriods(3)
            #expect(group.count == 1)
            withExtendedLifetime(gauge) {}
        }
        // The observation retains it during the first notification.
        await until { gone == nil }
        // The first check finds that it is no longer used, the second one that it was not used since.
        await passPeriods(2)
        await until { group.count == 0 }
    }

    @Test("A connection started after the release of its consumer observes nothing")
    func startedTooLate() async {
        let group = makeGroup()
        let connections: [Connection]
        do {
            let display = Display()
            let store = group["a"]
            connections = [
                store.connect(actionsTo: display, start: .manual), store.connect(display, start: .manual),
            ]
        }
        for connection in connections { connection.start() }
        await until { await group.evict("a") }
        #expect(group.count == 0)
    }

    @Test("A store is evicted after the release of its connected consumer, without further changes")
    func consumer() async {
        let group = makeGroup()
        weak var gone: Display?
        do {
            let display = Display()
            gone = display
            group["a"].connect(display)
            group["a"].connect(actionsTo: display)
            await passPeriods(3)
            #expect(group.count == 1)
            withExtendedLifetime(display) {}
        }
        // The connection retains it during the first notification.
        await until { gone == nil }
        await passPeriods(2)
        await until { group.count == 0 }
    }

    @Test("A requested eviction evicts a store whose observer's owner was released")
    func evictionOnDemand() async {
        let group = makeGroup()
        weak var gone: Gauge?
        do {
            let gauge = Gauge()
            gone = gauge
            group["a"].observe(\.self) { _ in }.bound(to: gauge)
            #expect(await group.evict("a") == false)
            withExtendedLifetime(gauge) {}
        }
        await until { gone == nil }
        #expect(await group.evict("a"))
    }

    @Test("Observers that end without their owners leave nothing in the store")
    func endedObservers() async {
        let group = makeGroup()
        let store = group["a"]
        let gauge = Gauge()
        let kept = store.observe(\.self) { _ in }.bound(to: gauge)
        for _ in 0..<1_000 { store.observe(\.self) { _ in }.bound(to: gauge).cancel() }
        #expect(store.root.observers.bindingCount < 40)
        withExtendedLifetime(kept) {}
    }
}
