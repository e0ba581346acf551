import Testing

@testable import ActorStoreTesting

@Suite("Bells", .timeLimit(.minutes(10)))
struct BellTests {
    @Test("Who waits looks at each ring, and what happens between the look and the wait is not missed")
    func ringing() async {
        let bell = Bell()
        let value = Guarded(0)
        let ringer = Task.detached {
            for number in 1...1_000 {
                value.withLock { $0 = number }
                bell.ring()
            }
        }
        #expect(await bell.wait(atMost: .seconds(60)) { value.withLock { $0 } == 1_000 } == .done)
        await ringer.value
    }

    @Test("It waits no longer than it may, and not at all in a task that is cancelled")
    func endings() async {
        let bell = Bell()
        #expect(await bell.wait(atMost: .zero) { false } == .timedOut)
        #expect(await bell.wait(atMost: .milliseconds(1)) { false } == .timedOut)
        let task = Task { await bell.wait(atMost: .seconds(60)) { false } }
        task.cancel()
        #expect(await task.value == .cancelled)
    }
}
