import ActionLogConformance
import ActorStore
import ActorStoreSimulation
import ActorStoreTesting
import Dispatch
import TestFixtures
import Testing

@testable import ActorStorePersistence

@Suite("Durable effects", .timeLimit(.minutes(10)))
struct DurableEffectTests {
    private struct Failure: Error {}

    private let clock = TestClock()
    private let done = LockedValue<[Int]>([])

    private func note(_ id: Int) { done.withLock { $0.append(id) } }

    private var attempts: [Int] { done.withLock { $0 } }

    @Test("The operation of each entry runs until the entry is gone, also for later entries")
    func work() async throws {
        let store = try await ShippingStore.open(MemoryLog())
        try await store.dispatch(.ordered(1, "a"))
        store.runEffects(for: \.unshipped, clock: clock) { id, _ in
            note(id)
            return .shipped(id)
        }
        try await store.store.condition { $0.shipped == [1] }
        try await store.dispatch(.ordered(2, "b"))
        try await store.store.condition { $0.shipped == [1, 2] }
        await store.shutdown(drain: .finishEffects)
        #expect(attempts == [1, 2])
        #expect(clock.sleeping == 0)
    }

    @Test("An operation that fails, or whose action leaves the entry, is repeated after a wait")
    func attemptsAreRepeated() async throws {
        let store = try await ShippingStore.open(MemoryLog())
        let errors = store.store.errors
        let policy = RetryPolicy(maxAttempts: .max, backoff: .exponential(base: .seconds(1)))
        store.runEffects(for: \.unshipped, retry: policy, clock: clock) { id, _ in
            note(id)
            switch attempts.count {
            case 1: throw Failure()
            case 2: return .looked
            default: return .shipped(id)
            }
        }
        try await store.dispatch(.ordered(7, "a"))
        for await failure in errors {
            #expect(failure.error is Failure)
            #expect("\(failure.origin)".hasPrefix(#"The effect "\State.unshipped[7]" at"#))
            break
        }
        try await until { clock.sleeping == 1 }
        await clock.advance(by: .milliseconds(999))
        #expect(attempts == [7])
        await clock.advance(by: .milliseconds(1))
        try await until { clock.sleeping == 1 && attempts.count == 2 }
        await clock.advance(by: .seconds(2))
        try await store.store.condition { $0.shipped == [7] }
        #expect(attempts == [7, 7, 7])
        await store.shutdown(drain: .finishEffects)
    }

    @Test("An operation with a limit of attempts is not repeated beyond it in this process")
    func attemptsEnd() async throws {
        let log = MemoryLog()
        let store = try await ShippingStore.open(log)
        store.runEffects(for: \.unshipped, retry: RetryPolicy(maxAttempts: 2), clock: clock) { id, _ in
            note(id)
            throw Failure()
        }
        try await store.dispatch(.ordered(1, "a"))
        try await until { attempts.count == 2 }
        try await store.dispatch(.ordered(2, "b"))
        try await until { attempts.count == 4 }
        await store.shutdown(drain: .finishEffects)
        #expect(attempts == [1, 1, 2, 2])
        let next = try await ShippingStore.open(log)
        next.runEffects(for: \.unshipped, clock: clock) { id, _ in .shipped(id) }
        try await next.store.condition { $0.unshipped.isEmpty }
        await next.shutdown(drain: .finishEffects)
    }

    @Test("An operation begins after its action is in the log, and never if the action is not written")
    func workAfterCommit() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await ShippingStore.open(log)
        store.runEffects(for: \.unshipped, clock: clock) { id, _ in
            note(id)
            return .shipped(id)
        }
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(goOn), .error(.damaged))
        let order = Task { try await store.dispatch(.ordered(1, "a")) }
        try await until { store.revision == 1 }
        await letOtherTasksRun()
        #expect(attempts == [])
        goOn.signal()
        _ = try await order.value
        try await until { store.statistics.failure != nil }
        #expect(attempts == [1])
        // Later actions are not in the log, and nothing accepts actions any more.
        _ = try? await store.dispatch(.ordered(2, "b"))
        await store.shutdown(drain: .cancelEffects, within: .seconds(60))
        #expect(attempts == [1])
        // Its action was lost: it is repeated.
        let next = try await ShippingStore.open(log)
        next.runEffects(for: \.unshipped, clock: clock) { id, _ in
            note(id)
            return .shipped(id)
        }
        try await next.store.condition { $0.shipped == [1] }
        #expect(attempts == [1, 1])
        await next.shutdown(drain: .finishEffects)
    }

    @Test("No operation begins after the log has failed, also if nothing was left to write")
    func failedLog() async throws {
        let log = MemoryLog()
        let store = try await ShippingStore.open(log)
        try await store.dispatch(.ordered(1, "a"))
        store.runEffects(for: \.unshipped, clock: clock) { id, _ in
            note(id)
            throw Failure()
        }
        try await until { clock.sleeping == 1 }
        log.loseEnd(after: 1)
        await #expect(throws: ActionLogError.self) { try await store.readBarrier() }
        #expect(store.statistics.failure?.code == .lostEntries)
        for _ in 1...3 {
            await clock.advance(by: .seconds(100))
            await letOtherTasksRun()
        }
        #expect(attempts == [1])
        await store.shutdown(drain: .finishEffects)
    }

    @Test("An operation whose action finds the log full does not run again")
    func fullLog() async throws {
        let log = FaultyLog(MemoryLog())
        let durability = DurabilityConfiguration(pendingLimit: 2, openingTimeout: .seconds(60))
        let store = try await ShippingStore.open(log, durability)
        let (goOn, signal) = AsyncStream<Void>.makeStream()
        store.runEffects(for: \.unshipped, clock: clock) { id, _ in
            note(id)
            if attempts.count == 1 { for await _ in goOn { break } }
            return .shipped(id)
        }
        try await store.dispatch(.ordered(1, "a"))
        try await until { attempts == [1] }
        let written = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(written))
        while store.store.send(.looked).isAccepted, store.statistics.pendingActions < 2 {}
        signal.yield()
        try await until { clock.sleeping == 1 }
        #expect(store.snapshot.shipped == [])
        written.signal()
        try await until { store.statistics.pendingActions == 0 }
        await clock.advance(by: .seconds(1))
        try await store.store.condition { $0.shipped == [1] }
        #expect(attempts == [1])
        await store.shutdown(drain: .finishEffects)
    }

    @Test("An operation whose action is refused by a log that has room by now does not run again")
    func fullForAMoment() async throws {
        let refusals = MomentaryRefusals()
        let store = try await refusals.open(atMost: 1) { $0 == .shipped(1) }
        defer { refusals.close() }
        store.runEffects(for: \.unshipped, clock: clock) { id, _ in
            note(id)
            return .shipped(id)
        }
        try await store.dispatch(.ordered(1, "a"))
        try await until { clock.sleeping == 1 }
        await clock.advance(by: .seconds(1))
        try await store.store.condition { $0.shipped == [1] }
        #expect(refusals.count == 1)
        #expect(attempts == [1])
        await store.shutdown(drain: .finishEffects)
    }

    @Test("No operation begins after a shutdown has begun, also if it waited for the log")
    func lateAttempts() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await ShippingStore.open(log)
        store.runEffects(for: \.unshipped, clock: clock) { id, _ in
            note(id)
            return .shipped(id)
        }
        let written = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(written))
        let order = Task { try await store.dispatch(.ordered(1, "a")) }
        try await until { store.store.statistics.runningEffects == 2 }
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        try await until { !store.store.weak.isAlive }
        written.signal()
        _ = try await order.value
        _ = await shutdown.value
        #expect(attempts == [])
        let next = try await ShippingStore.open(log)
        next.runEffects(for: \.unshipped, clock: clock) { id, _ in .shipped(id) }
        try await next.store.condition { $0.shipped == [1] }
        await next.shutdown(drain: .finishEffects)
    }

    @Test("An entry that is removed and added again, equal, has an operation")
    func addedAgain() async throws {
        let store = try await ShippingStore.open(MemoryLog())
        // If it is added again before the removal was seen, another attempt follows.
        let policy = RetryPolicy(maxAttempts: .max, backoff: .constant(.milliseconds(1)))
        store.runEffects(for: \.unshipped, retry: policy) { id, _ in
            note(id)
            return .shipped(id)
        }
        for round in 1...100 {
            try await store.dispatch(.ordered(1, "a"))
            try await store.store.condition { $0.shipped.count >= round }
        }
        try await until { store.snapshot.unshipped.isEmpty }
        #expect(attempts.count >= 100)
        await store.shutdown(drain: .finishEffects)
    }

    @Test("An operation gets a value from the log, also if the state has a newer one")
    func valueAfterCommit() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await ShippingStore.open(log)
        let goOn = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        log.fail(.append, with: .wait(goOn[0]), .wait(goOn[1]))
        let committed = LockedValue<[String: UInt64]>([:])
        store.runEffects(for: \.unshipped, clock: clock) { id, what in
            committed.withLock { $0[what] = store.statistics.committedRevision }
            return .shipped(id)
        }
        let first = Task { try await store.dispatch(.ordered(1, "a")) }
        try await until { log.count(of: .append) == 2 }
        try await Task.sleep(for: .milliseconds(20))
        let second = Task { try await store.dispatch(.ordered(1, "b")) }
        try await until { store.revision == 2 }
        goOn[0].signal()
        _ = try await first.value
        await letOtherTasksRun()
        goOn[1].signal()
        _ = try await second.value
        try await store.store.condition { $0.shipped == [1] }
        for (what, revision) in committed.withLock({ $0 }) { #expect(revision >= (what == "a" ? 1 : 2), "\(what)") }
        await store.shutdown(drain: .finishEffects)
    }

    @Test("A cancellation of all effects ends the attempts until they are started again, and none runs twice at once")
    func cancellationOfAllEffects() async throws {
        let store = try await ShippingStore.open(MemoryLog())
        for id in 1...5 { try await store.dispatch(.ordered(id, "a")) }
        let (running, doubled) = (LockedValue<Set<Int>>([]), LockedValue(0))
        let begin = { @Sendable in
            store.runEffects(for: \.unshipped, clock: clock) { id, _ in
                note(id)
                if !running.withLock({ $0.insert(id).inserted }) { doubled.withLock { $0 += 1 } }
                defer { _ = running.withLock { $0.remove(id) } }
                try await clock.sleep(for: .seconds(10))
                throw Failure()
            }
        }
        begin()
        try await until { clock.sleeping == 5 }
        await store.store.cancelAllEffects()
        try await until { running.withLock { $0.isEmpty } && clock.sleeping == 0 }
        await letOtherTasksRun()
        await clock.advance(by: .seconds(100))
        await letOtherTasksRun()
        #expect(attempts.count == 5)
        begin()
        try await until { clock.sleeping == 5 }
        #expect(attempts.count == 10)
        #expect(doubled.withLock { $0 } == 0)
        await store.shutdown(drain: .cancelEffects)
    }

    @Test("The operations of an entry follow each other, also behind a cancelled one of an earlier call")
    func stubbornOperationOfEarlierCall() async throws {
        let store = try await ShippingStore.open(MemoryLog())
        let goOn = Promise<Void>()
        func begin() {
            store.runEffects(for: \.unshipped, clock: clock) { id, _ in
                note(id)
                if attempts.count == 1 { await goOn.wait() }
                return .shipped(id)
            }
        }
        begin()
        try await store.dispatch(.ordered(1, "a"))
        try await until { attempts == [1] }
        await store.store.cancelAllEffects()
        begin()
        try await store.dispatch(.ordered(2, "b"))
        try await until { attempts == [1, 2] }
        await letOtherTasksRun()
        #expect(attempts == [1, 2])
        goOn.settle(())
        try await store.store.condition { $0.unshipped.isEmpty }
        #expect(attempts == [1, 2, 1])
        await store.shutdown(drain: .finishEffects)
    }

    @Test("An operation that ignores its cancellation keeps its place until it ends")
    func stubbornOperation() async throws {
        let store = try await ShippingStore.open(MemoryLog())
        let goOn = Promise<Void>()
        store.runEffects(for: \.unshipped, atMost: 1, clock: clock) { id, _ in
            note(id)
            if id == 1 { await goOn.wait() }
            return .shipped(id)
        }
        try await store.dispatch(.ordered(1, "a"))
        try await until { attempts == [1] }
        try await store.dispatch(.withdrawn(1))
        try await store.dispatch(.ordered(2, "b"))
        await letOtherTasksRun()
        #expect(attempts == [1])
        goOn.settle(())
        try await store.store.condition { $0.shipped == [2] }
        #expect(attempts == [1, 2])
        await store.shutdown(drain: .finishEffects)
    }

    @Test("An operation cancelled by a shutdown is done by the next program")
    func workAfterRestart() async throws {
        let log = MemoryLog()
        let first = try await ShippingStore.open(log)
        first.runEffects(for: \.unshipped, clock: clock) { id, _ in
            note(id)
            try await clock.sleep(for: .seconds(3_600))
            return .shipped(id)
        }
        for id in 1...3 { try await first.dispatch(.ordered(id, "a")) }
        try await until { clock.sleeping == 3 }
        await first.shutdown(drain: .cancelEffects)
        let second = try await ShippingStore.open(log)
        #expect(second.snapshot.unshipped.count == 3)
        second.runEffects(for: \.unshipped, clock: clock) { id, _ in
            note(id)
            return .shipped(id)
        }
        try await second.store.condition { $0.unshipped.isEmpty }
        #expect(attempts.sorted() == [1, 1, 2, 2, 3, 3])
        await second.shutdown(drain: .finishEffects)
    }

    @Test("A shutdown finishes running attempts, with their actions in the log, and begins no others")
    func shutdownFinishesAttempts() async throws {
        let log = MemoryLog()
        let store = try await ShippingStore.open(log)
        store.runEffects(for: \.unshipped, atMost: 1, clock: clock) { id, _ in
            note(id)
            if id == 1 { try await clock.sleep(for: .seconds(5)) }
            return .shipped(id)
        }
        try await store.dispatch(.ordered(1, "a"))
        try await until { clock.sleeping == 1 }
        try await store.dispatch(.ordered(2, "a"))
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        try await until { !store.store.phase.isReady }
        await clock.advance(by: .seconds(5))
        #expect(await shutdown.value.isComplete)
        #expect(attempts == [1])
        let next = try await ShippingStore.open(log)
        #expect(next.snapshot.shipped == [1])
        #expect(next.snapshot.unshipped == [2: "a"])
        await next.shutdown(drain: .finishEffects)
    }

    @Test("The operation of an entry is cancelled with the entry, and begins again at its return, one at a time")
    func entriesGo() async throws {
        let store = try await ShippingStore.open(MemoryLog())
        let (running, most, cancelled) = (LockedValue(0), LockedValue(0), LockedValue(0))
        store.runEffects(for: \.unshipped, clock: clock) { id, what in
            let now = running.withLock { running in
                running += 1
                return running
            }
            most.withLock { $0 = max($0, now) }
            defer { running.withLock { $0 -= 1 } }
            if what == "b" { return .shipped(id) }
            do { try await clock.sleep(for: .seconds(1)) } catch {
                cancelled.withLock { $0 += 1 }
                // Takes time.
                await letOtherTasksRun()
                throw error
            }
            return .shipped(id)
        }
        try await store.dispatch(.ordered(1, "a"))
        try await until { clock.sleeping == 1 }
        try await store.dispatch(.withdrawn(1))
        try await until { cancelled.withLock { $0 } == 1 }
        try await store.dispatch(.ordered(1, "b"))
        try await store.store.condition { $0.shipped == [1] }
        #expect(most.withLock { $0 } == 1)
        await store.shutdown(drain: .finishEffects)
    }

    @Test("A limited number of attempts run concurrently, and all entries have their turn")
    func limit() async throws {
        let store = try await ShippingStore.open(MemoryLog())
        store.store.send(contentsOf: (0..<20).map { .ordered($0, "a") })
        let most = LockedValue(0)
        store.runEffects(for: \.unshipped, atMost: 3, clock: clock) { id, _ in
            try await clock.sleep(for: .seconds(1))
            return .shipped(id)
        }
        try await until {
            most.withLock { $0 = max($0, clock.sleeping) }
            if clock.sleeping == min(3, 20 - store.snapshot.shipped.count) { await clock.advance(by: .seconds(1)) }
            return store.snapshot.shipped.count >= 20
        }
        #expect(most.withLock { $0 } == 3)
        await store.shutdown(drain: .finishEffects)
    }
}

@Suite("The schedule of durable effects")
struct DurableEffectScheduleTests {
    private typealias Schedule = DurableEffectSchedule<Int>

    /// The external view of a key's operations.
    private enum Work: Equatable {
        case starting(Schedule.Attempt)
        case running(Schedule.Attempt)
        case waiting(Schedule.Attempt)
    }

    @Test("Entries that come and go while all places are taken by work that does not end are not kept")
    func endlessWork() {
        var schedule = Schedule(limit: 1)
        #expect(schedule.update([0]).count == 1)
        for key in 1...10_000 { _ = schedule.update([0, key, key + 1]) }
        #expect(schedule.queued < 200)
        for command in schedule.update([10_001]) {
            guard case .run(let attempt) = command else { continue }
            #expect(attempt.key == 10_001)
        }
        #expect(schedule.queued == 0)
    }

    @Test("Each entry has an operation that runs, waits for a place or for a retry, and removed entries have none")
    func random() {
        var random = SimulationGenerator(seed: 11)
        for _ in 0..<500 {
            let limit = Int.random(in: 1...4, using: &random)
            var schedule = Schedule(limit: limit)
            var (present, work): (Set<Int>, [Int: Work]) = ([], [:])
            // Operations of removed entries that have not ended yet, and attempts that never begin.
            var (ending, gone): ([Schedule.Attempt], [Schedule.Attempt]) = ([], [])
            func perform(_ commands: [Schedule.Command]) {
                for command in commands {
                    switch command {
                    case .run(let attempt):
                        #expect(work[attempt.key] == nil)
                        work[attempt.key] = .starting(attempt)
                    case .wait(let attempt): work[attempt.key] = .waiting(attempt)
                    case .cancel(let attempt):
                        switch work.removeValue(forKey: attempt.key) {
                        case .starting(attempt)?: gone.append(attempt)
                        case .running(attempt)?: ending.append(attempt)
                        case let other: #expect(other == .waiting(attempt))
                        }
                    }
                }
            }
            for _ in 0..<60 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0: present.insert(Int.random(in: 0..<8, using: &random))
                case 1: if let key = present.randomElement(using: &random) { present.remove(key) }
                case 2, 3:
                    guard let key = work.keys.sorted().randomElement(using: &random) else { continue }
                    switch work.removeValue(forKey: key) {
                    case .starting(let attempt)?:
                        let begins = schedule.begin(attempt)
                        #expect(begins)
                        work[key] = .running(attempt)
                    case .running(let attempt)?:
                        let remains = Bool.random(using: &random)
                        if !remains { present.remove(key) }
                        perform(schedule.attemptEnded(attempt, remains: remains))
                    case .waiting(let attempt)?: perform(schedule.waitEnded(attempt))
                    case nil: break
                    }
                case 4:
                    guard let index = ending.indices.randomElement(using: &random) else { continue }
                    perform(schedule.attemptEnded(ending.remove(at: index), remains: Bool.random(using: &random)))
                default:
                    guard let attempt = gone.randomElement(using: &random) else { continue }
                    let begins = schedule.begin(attempt)
                    #expect(!begins)
                }
                perform(schedule.update(present))
                let running = work.values.count { if case .waiting = $0 { false } else { true } } + ending.count
                #expect(running <= limit)
                #expect(present.isSuperset(of: work.keys))
                // Keys without an operation wait for a place, so all places are taken.
                if work.count < present.count { #expect(running == limit) }
            }
        }
    }
}
