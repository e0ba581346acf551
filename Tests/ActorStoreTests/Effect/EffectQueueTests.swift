import Testing

@testable import ActorStore

@Suite("Queues of effects", .timeLimit(.minutes(10)))
struct EffectQueueTests {
    /// Begins an effect, and returns its started jobs.
    func begin(_ machine: inout EffectMachine, _ effect: Effect<Int>) -> EffectJob? {
        _ = effect.operation.flatMap { machine.begin($0) }
        return machine.takeStarts().last
    }

    func work(_ policy: EffectPolicy) -> Effect<Int> { .run(id: "a", policy: policy) { _ in } }

    /// A serial operation, in one part or in several.
    func serial(isGroup: Bool) -> Effect<Int> {
        isGroup ? .merge(.run { _ in }, .run { _ in }).cancellable(id: "a", policy: .serial) : work(.serial)
    }

    @Test(
        "An operation that waits in a queue does not count for other policies before it gets a place",
        arguments: [EffectPolicy.newest(2), .oldest(2, overflow: .drop)],
        [false, true]
    )
    func waitingWork(policy: EffectPolicy, isGroup: Bool) throws {
        var machine = EffectMachine()
        let running = try #require(begin(&machine, work(.serial)))
        let waiting = try (0..<2).map { _ in try #require(begin(&machine, serial(isGroup: isGroup))) }
        let beside = try #require(begin(&machine, work(policy)))
        let all = [running, beside] + waiting
        #expect(all.map(\.isWaiting) == [false, false, true, true] && all.allSatisfy { !$0.isCancelled })
        machine.end(running)
        // Now the first waiting one runs beside the other, so both count.
        #expect(waiting.map(\.holdsSlot) == [true, false])
        let next = begin(&machine, work(policy))
        #expect((next != nil) == (policy == .newest(2)) && waiting[0].isCancelled == (policy == .newest(2)))
        #expect(!beside.isCancelled && !waiting[1].isCancelled)
    }

    @Test(
        "An operation behind cancelled ones does not delay other operations, and is not cancelled for them",
        arguments: [EffectPolicy.ignoreIfRunning, .oldest(1, overflow: .drop), .newest(1)],
        [false, true]
    )
    func cancelledWork(policy: EffectPolicy, isGroup: Bool) throws {
        var machine = EffectMachine()
        let cancelled = try #require(begin(&machine, work(.serial)))
        let waiting = try #require(begin(&machine, serial(isGroup: isGroup)))
        _ = cancelled.tracker.cancel()
        let other = try #require(begin(&machine, work(policy)))
        machine.end(cancelled)
        #expect(waiting.holdsSlot && !waiting.isCancelled && !other.isCancelled)
    }

    @Test(
        "A cancellation covers operations that wait in a queue, and operations that cancel others",
        arguments: [false, true]
    )
    func cancellation(isGroup: Bool) throws {
        for effect in [Effect.cancel(id: "a"), work(.cancelInFlight)] {
            var machine = EffectMachine()
            let jobs = try (0..<2).map { _ in try #require(begin(&machine, serial(isGroup: isGroup))) }
            _ = begin(&machine, effect)
            #expect(jobs.map(\.isCancelled) == [true, true])
        }
    }
}
