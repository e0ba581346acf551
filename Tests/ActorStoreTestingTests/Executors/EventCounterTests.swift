import ActorStore
import Testing

@testable import ActorStoreTesting
@testable import TestFixtures

@Suite("Event counters", .timeLimit(.minutes(10)))
struct EventCounterTests {
    @Test("A waiter checks its condition after each change, and misses none between check and wait")
    func advancing() async {
        let changes = EventCounter()
        let value = LockedValue(0)
        let writer = Task.detached {
            for number in 1...1_000 {
                value.withLock { $0 = number }
                changes.advance()
            }
        }
        #expect(await changes.wait(atMost: .seconds(60)) { value.withLock { $0 } == 1_000 } == .done)
        await writer.value
    }

    @Test("A wait takes no longer than its timeout, and no time in a cancelled task")
    func endings() async {
        let changes = EventCounter()
        #expect(await changes.wait(atMost: .zero) { false } == .timedOut)
        #expect(await changes.wait(atMost: .milliseconds(1)) { false } == .timedOut)
        let task = Task { await changes.wait(atMost: .seconds(60)) { false } }
        task.cancel()
        #expect(await task.value == .cancelled)
    }
}
