import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Debounced and throttled effects", .timeLimit(.minutes(10)))
struct EffectTimingTests {
    typealias Action = Ledger.Action
    let clock = ManualClock()

    /// Begins an effect, and returns its first started job.
    func begin(_ machine: inout EffectMachine, _ effect: Effect<Int>) -> EffectJob? {
        _ = effect.operation.flatMap { machine.begin($0) }
        return machine.takeStarts().first
    }

    @Test("A debounced effect begins after an interval without another request, and replaces earlier requests")
    func debounce() async throws {
        try await expect(requests: "a-b----c---", send: "-----b----c", end: "--a--b----c") { request, clock in
            .run { send in send(request) }.debounce(id: "d", for: .seconds(3), clock: clock)
        }
    }

    @Test("A debounced effect under a steady stream is delayed no longer than the maximum")
    func maxWait() async throws {
        try await expect(requests: "a-b-c-d--", send: "--------d", end: "--a-b-c-d") { request, clock in
            .run { send in send(request) }
                .debounce(id: "d", for: .seconds(3), maxWait: .seconds(8), clock: clock)
        }
    }

    @Test("A running debounced effect continues, or is cancelled by the next request if so configured")
    func debounceInFlight() async throws {
        @Sendable func slow(_ request: Character, _ clock: ManualClock, cancelInFlight: Bool) -> Effect<Character> {
            .run { send in
                // Goes on if it is cancelled: what it then sends is dropped.
                try? await clock.sleep(for: .seconds(2))
                send(request)
            }.debounce(id: "d", for: .seconds(3), cancelInFlight: cancelInFlight, clock: clock)
        }
        // The first one begins at 3, and would end at 5.
        try await expect(requests: "a---b-----", send: "-----a---b", end: "-----a---b") { request, clock in
            slow(request, clock, cancelInFlight: false)
        }
        try await expect(requests: "a---b-----", send: "---------b", end: "----a----b") { request, clock in
            slow(request, clock, cancelInFlight: true)
        }
    }

    @Test("A send can be debounced")
    func debouncedSend() async throws {
        try await expect(requests: "(abc)--", send: "--c", end: "(ab)-c") { request, clock in
            .send(request).debounce(id: "d", for: .seconds(2), clock: clock)
        }
    }

    @Test("A throttled effect begins at once, then with the latest request at the end of each interval")
    func throttleLatest() async throws {
        try await expect(requests: "abc--d---", send: "a---c---d", end: "a-b-c---d") { request, clock in
            .run { send in send(request) }.throttle(id: "t", for: .seconds(4), latest: true, clock: clock)
        }
    }

    @Test("A throttled effect that keeps the first request drops requests during the interval")
    func throttleFirst() async throws {
        try await expect(requests: "abcd", send: "a--d", end: "abcd") { request, clock in
            .run { send in send(request) }.throttle(id: "t", for: .seconds(3), latest: false, clock: clock)
        }
    }

    @Test(
        "A throttled effect cancelled while it waits has not begun: the interval of the one before counts"
    )
    func throttledCancellation() async throws {
        for awaitsEnd in [true, false] {
            let clock = ManualClock()
            let store = Ledger.store()
            func ask(_ amount: Int) async throws -> StoreTask {
                let work = Effect<Action>.run { send in send(.add(amount)) }
                return try await store.dispatch(.start(work.throttle(id: "t", for: .seconds(5), clock: clock)))
            }
            try await ask(1).finish()
            clock.advance(by: .seconds(2))
            let waiting = try await ask(10)
            await clock.waitForSleeper(until: .seconds(5))
            clock.advance(by: .seconds(1))
            waiting.cancel()
            if awaitsEnd { try await waiting.finish() }
            clock.advance(by: .seconds(3))
            // The first began at 0, so the next may at 6.
            let next = try await ask(100)
            await until { next.isFinished || clock.sleepers > 0 }
            try #require(next.isFinished)
            #expect(await store.state.total == 101)
            // And the one after that at 11.
            clock.advance(by: .seconds(1))
            let last = try await ask(1_000)
            await clock.waitForSleeper(until: .seconds(11))
            clock.advance(by: .seconds(4))
            try await last.finish()
            #expect(await store.state.total == 1_101)
        }
    }

    @Test("A throttled effect replaced by a later one has not begun, although its time has come")
    func overdueThrottle() {
        var machine = EffectMachine()
        func ask() -> EffectJob? {
            let effect = Effect<Int>.run { _ in }.throttle(id: "t", for: .seconds(10), clock: clock)
            _ = effect.operation.flatMap { machine.begin($0) }
            return machine.takeStarts().first
        }
        let first = ask()
        let waiting = ask()
        #expect(first?.isWaiting == false && waiting?.isWaiting == true)
        clock.advance(by: .seconds(12))
        let next = ask()
        #expect(waiting?.isCancelled == true)
        #expect(next?.isWaiting == false)
        // That one began at 12, so the next waits, and replaces the requests meanwhile.
        #expect(ask()?.isWaiting == true)
    }

    @Test(
        "A throttle counts from the actual beginning of the delayed operation or group",
        arguments: [false, true]
    )
    func lateThrottle(isGroup: Bool) async throws {
        var machine = EffectMachine()
        func ask(latest: Bool = true) -> EffectJob? {
            let work = Effect<Int>.run { _ in }
            let effect = isGroup ? .merge(work, work) : work
            return begin(&machine, effect.throttle(id: "t", for: .seconds(10), latest: latest, clock: clock))
        }
        _ = ask()
        let waiting = try #require(ask())
        #expect(waiting.isWaiting)
        clock.advance(by: .seconds(35))
        // It is about to begin, and is the only one.
        #expect(ask(latest: false) == nil)
        await waiting.run()
        if isGroup { machine.end(waiting) }
        _ = machine.takeStarts()
        clock.advance(by: .seconds(4))
        // It began at 35, so the next may at 45.
        #expect(ask(latest: false) == nil)
        #expect(ask()?.isWaiting == true && !waiting.isCancelled)
        clock.advance(by: .seconds(6))
        #expect(ask()?.isWaiting == false)
    }

    @Test("A throttled effect that keeps the first request uses its own interval, also while another one waits")
    func intervalsBesideWaitingWork() async throws {
        var machine = EffectMachine()
        func ask(for seconds: Int, latest: Bool = true) -> EffectJob? {
            let work = Effect<Int>.run { _ in }
            return begin(&machine, work.throttle(id: "t", for: .seconds(seconds), latest: latest, clock: clock))
        }
        _ = ask(for: 100)
        let waiting = try #require(ask(for: 100))
        clock.advance(by: .seconds(50))
        #expect(ask(for: 60, latest: false) == nil)
        #expect(waiting.isWaiting)
        let next = try #require(ask(for: 50, latest: false))
        // At 100, the interval that began at 50 would not be over.
        #expect(!next.isWaiting && waiting.isCancelled)
        clock.advance(by: .seconds(49))
        #expect(ask(for: 50, latest: false) == nil)
        let last = try #require(ask(for: 50))
        #expect(last.isWaiting)
        // Counts as a requested interval, although it is dropped.
        #expect(ask(for: 300, latest: false) == nil)
        clock.advance(by: .seconds(1))
        await last.run()
        // Began at 100.
        clock.advance(by: .seconds(299))
        #expect(ask(for: 300, latest: false) == nil)
        clock.advance(by: .seconds(1))
        #expect(ask(for: 300, latest: false)?.isWaiting == false)
    }

    @Test("A throttled group cancelled after its time has come, and before its turn, has not begun")
    func throttledGroupInBetween() async throws {
        var machine = EffectMachine()
        func ask() -> EffectJob? {
            let group = Effect<Int>.merge(.run { _ in }, .run { _ in })
            return begin(&machine, group.throttle(id: "t", for: .seconds(10), clock: clock))
        }
        for isReplaced in [false, true] {
            #expect(ask()?.isGroup == false)
            let waiting = try #require(ask())
            clock.advance(by: .seconds(11))
            // Its task ends, and the turn still has to process that.
            await waiting.run()
            if !isReplaced {
                _ = waiting.tracker.cancel()
                machine.end(waiting)
            }
            let next = ask()
            #expect(waiting.isCancelled && next?.isGroup == false && next?.isWaiting == false)
            clock.advance(by: .seconds(11))
        }
    }

    @Test("A debounced group requested again after its time has come, and before its turn, is replaced")
    func debouncedGroupInBetween() async throws {
        var machine = EffectMachine()
        func ask() -> EffectJob? {
            let group = Effect<Int>.merge(.run { _ in }, .run { _ in })
            let effect = group.debounce(id: "d", for: .seconds(10), maxWait: .seconds(25), clock: clock)
            return begin(&machine, effect)
        }
        let first = try #require(ask())
        clock.advance(by: .seconds(10))
        await first.run()
        let second = try #require(ask())
        #expect(first.isCancelled && second.isWaiting)
        clock.advance(by: .seconds(20))
        await second.run()
        // The maximum is over, so this one begins at once, and is not replaced.
        let member = try #require(ask())
        #expect(second.isCancelled && !member.isGroup && !member.isWaiting)
        #expect(ask()?.isWaiting == true && !member.isCancelled)
    }

    @Test(
        "A new request does not affect a begun operation that waits in a queue of the same identity",
        arguments: [false, true]
    )
    func queuedWork(isThrottled: Bool) async throws {
        var machine = EffectMachine()
        func ask() throws -> EffectJob {
            let save = Effect<Int>.run(id: "save", policy: .serial) { _ in }
            let effect =
                isThrottled
                ? save.throttle(id: "save", for: .seconds(10), clock: clock)
                : save.debounce(id: "save", for: .seconds(10), clock: clock)
            return try #require(begin(&machine, effect))
        }
        var saves: [EffectJob] = []
        for _ in 0..<2 {
            var job = try ask()
            clock.advance(by: .seconds(10))
            if job.isGroup {
                await job.run()
                machine.end(job)
                job = try #require(machine.takeStarts().first)
            }
            saves.append(job)
        }
        #expect(saves.map(\.isWaiting) == [false, true])
        let requests = try (0..<3).map { _ in try ask() }
        #expect(saves.map(\.isCancelled) == [false, false])
        // The first of these begins at once if it is throttled. The last one of those that wait replaces all others.
        #expect(requests.map(\.isGroup) == [!isThrottled, true, true])
        #expect(requests.map(\.isCancelled) == [!isThrottled, true, false])
        machine.end(saves[0])
        #expect(saves[1].holdsSlot)
    }

    @Test(
        "An operation that waits for its time does not count as running for policies",
        arguments: [EffectPolicy.ignoreIfRunning, .oldest(1, overflow: .drop), .newest(1)]
    )
    func waitingWork(policy: EffectPolicy) throws {
        var machine = EffectMachine()
        let work = Effect<Int>.run { _ in }
        func ask() -> EffectJob? { begin(&machine, .run(id: "x", policy: policy) { _ in }) }
        _ = begin(&machine, work.throttle(id: "x", for: .seconds(10), clock: clock)).map { machine.end($0) }
        let throttled = try #require(begin(&machine, work.throttle(id: "x", for: .seconds(10), clock: clock)))
        let first = try #require(ask())
        #expect(throttled.isWaiting && !throttled.isCancelled)
        _ = throttled.tracker.cancel()
        machine.end(throttled)
        machine.end(first)
        let debounced = try #require(begin(&machine, work.debounce(id: "x", for: .seconds(10), clock: clock)))
        let second = try #require(ask())
        #expect(debounced.isWaiting && !debounced.isCancelled)
        // From its time on it does.
        #expect(debounced.endWaiting())
        let third = ask()
        #expect(policy == .newest(1) ? debounced.isCancelled && second.isCancelled : third == nil)
    }

    @Test("Identities of finished throttles are forgotten")
    func throttlesAreForgotten() async throws {
        var machine = EffectMachine()
        for round in 0..<100 {
            for id in 0..<10 {
                let effect = Effect<Int>.run { _ in }
                    .throttle(id: round * 10 + id, for: .seconds(1), clock: clock)
                _ = effect.operation.flatMap { machine.begin($0) }
                for job in machine.takeStarts() {
                    machine.end(job)
                }
            }
            clock.advance(by: .seconds(2))
        }
        #expect(machine.registry.numberOfThrottles <= 64)
        #expect(machine.registry.count == 0)
    }

    @Test(
        "The beginning of a throttled effect does not depend on the number of other throttled identities",
        arguments: [1, 100]
    )
    func otherThrottles(others: Int) {
        var machine = EffectMachine()
        func begins(_ id: String, for interval: Duration) -> Bool {
            let effect = Effect<Int>.run { _ in }.throttle(id: id, for: interval, latest: false, clock: clock)
            return begin(&machine, effect) != nil
        }
        func pass(_ duration: Duration) {
            clock.advance(by: duration)
            for number in 0..<others { #expect(begins("\(number)", for: .milliseconds(1))) }
        }
        #expect(begins("x", for: .seconds(2)))
        pass(.seconds(1))
        #expect(!begins("x", for: .seconds(10)))
        pass(.seconds(2))
        // Each uses its own interval.
        #expect(!begins("x", for: .seconds(10)))
        #expect(begins("x", for: .seconds(2)))
        pass(.seconds(9))
        #expect(!begins("x", for: .seconds(10)))
        pass(.seconds(1))
        // The longest requested interval is over. So it is forgotten, and a longer one comes too late.
        #expect(begins("x", for: .seconds(60)))
        pass(.seconds(59))
        #expect(!begins("x", for: .seconds(60)))
    }

    @Test("The window of a throttle is a plain value that counts from its last admission")
    func window() {
        let clock = ManualClock()
        let timing = EffectTiming(kind: .throttle(latest: true), interval: .seconds(10), clock: clock)
        var window = ThrottleWindow(timing)
        clock.advance(by: .seconds(4))
        #expect(window.admit(interval: .seconds(10), latest: false) == .never)
        #expect(window.admit(interval: .seconds(10), latest: true) == .after(.seconds(6)))
        clock.advance(by: .seconds(10))
        window.begin(before: .seconds(4))
        // That one began at 10, so the next may at 20.
        #expect(window.admit(interval: .seconds(10), latest: true) == .after(.seconds(6)))
        clock.advance(by: .seconds(30))
        #expect(window.isOver)
        #expect(window.admit(interval: .seconds(10), latest: true) == .now)
    }
}
