import Synchronization
import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Policies of effects", .timeLimit(.minutes(10)))
struct EffectPolicyTests {
    typealias Machine = EffectMachine

    func work(_ policy: EffectPolicy, id: String = "a") -> Effect<String> { .run(id: id, policy: policy) { _ in } }

    /// Begins an effect, and returns the operations to start.
    func begin(_ machine: inout Machine, _ effect: Effect<String>) -> EffectJob? {
        _ = effect.operation.flatMap { machine.begin($0) }
        return machine.takeStarts().last
    }

    /// The end of a task.
    func end(_ machine: inout Machine, _ job: EffectJob) {
        machine.end(job)
    }

    func isAdmitted(_ job: EffectJob) -> Bool { job.holdsSlot }

    @Test(".newest keeps the newest effects running, and cancels the oldest")
    func newest() throws {
        var machine = Machine()
        let jobs = try (0..<4).map { _ in try #require(begin(&machine, work(.newest(2)))) }
        #expect(jobs.map(\.isCancelled) == [true, true, false, false])
        end(&machine, jobs[2])
        let fifth = try #require(begin(&machine, work(.newest(2))))
        #expect(!jobs[3].isCancelled && !fifth.isCancelled)
        #expect(begin(&machine, work(.newest(2), id: "b")) != nil)
        #expect(!jobs[3].isCancelled)
    }

    @Test(".oldest that drops begins no effect above its limit until a running one has ended or was cancelled")
    func oldest() throws {
        var machine = Machine()
        let policy = EffectPolicy.oldest(2, overflow: .drop)
        let first = try #require(begin(&machine, work(policy)))
        let second = try #require(begin(&machine, work(policy)))
        #expect(begin(&machine, work(policy)) == nil)
        end(&machine, first)
        #expect(begin(&machine, work(policy)) != nil)
        _ = second.cancel()
        #expect(begin(&machine, work(policy)) != nil)
        #expect(begin(&machine, work(policy)) == nil)
    }

    @Test(
        "A group and its members with the same identity count as one for other effects",
        arguments: [EffectPolicy.oldest(2, overflow: .drop), .newest(2)]
    )
    func groupsCountOnce(policy: EffectPolicy) throws {
        var machine = Machine()
        let group = Effect.merge(work(.concurrent), .merge(work(.concurrent), work(.concurrent)).cancellable(id: "a"))
        let member = try #require(begin(&machine, group.cancellable(id: "a")))
        let second = try #require(begin(&machine, work(policy)))
        #expect(!member.isCancelled)
        let third = begin(&machine, work(policy))
        let drops = policy != .newest(2)
        #expect((third == nil) == drops && member.isCancelled == !drops && !second.isCancelled)
        // For each other the members count separately.
        let members = Effect.merge(work(policy, id: "b"), work(policy, id: "b"), work(policy, id: "b"))
        _ = members.cancellable(id: "b").operation.flatMap { machine.begin($0) }
        #expect(machine.takeStarts().filter { !$0.isCancelled }.count == 2)
    }

    @Test(".oldest that suspends makes further effects wait, and begins them in order as others end")
    func queue() throws {
        var machine = Machine()
        let policy = EffectPolicy.oldest(2, overflow: .suspend)
        let jobs = try (0..<5).map { _ in try #require(begin(&machine, work(policy))) }
        #expect(jobs.map(isAdmitted) == [true, true, false, false, false])
        #expect(jobs.map(\.isWaiting) == [false, false, true, true, true])
        end(&machine, jobs[1])
        #expect(jobs.map(isAdmitted) == [true, false, true, false, false])
        end(&machine, jobs[0])
        end(&machine, jobs[2])
        #expect(jobs.map(isAdmitted) == [false, false, false, true, true])
        for job in jobs[3...] { end(&machine, job) }
        #expect(machine.registry.count == 0 && machine.registry.numberOfPlaces <= 1)
    }

    @Test("A queue counts a cancelled effect until its task has ended, and skips cancelled effects that wait")
    func queueAndCancellation() throws {
        var machine = Machine()
        let jobs = try (0..<3).map { _ in try #require(begin(&machine, work(.serial))) }
        _ = jobs[0].cancel()
        #expect(!isAdmitted(jobs[1]))
        // Its task is waiting, so it ends at once when it is cancelled.
        _ = jobs[1].cancel()
        end(&machine, jobs[1])
        #expect(!isAdmitted(jobs[2]))
        end(&machine, jobs[0])
        #expect(isAdmitted(jobs[2]))
        end(&machine, jobs[2])
        #expect(machine.registry.count == 0 && machine.registry.numberOfPlaces <= 1)
    }

    @Test("A group begins, counts, is cancelled and ends as a unit")
    func groups() throws {
        var machine = Machine()
        func group() -> Effect<String> {
            .merge(.run { _ in }, .concatenate(.run { _ in }, .send("done"))).cancellable(id: "g", policy: .serial)
        }
        let tracker = try #require(group().operation.flatMap { machine.begin($0) })
        let members = machine.takeStarts()
        #expect(members.count == 2)
        // The second group waits in its own task.
        let second = try #require(begin(&machine, group()))
        #expect(second.isWaiting && !isAdmitted(second))
        for member in members { end(&machine, member) }
        #expect(tracker.isFinished && machine.reduceReplies() as? [String] == ["done"])
        #expect(isAdmitted(second))
        machine.end(second)
        let others = machine.takeStarts()
        #expect(others.count == 2)
        _ = begin(&machine, .cancel(id: "g"))
        #expect(others.allSatisfy { $0.isCancelled })
        for other in others { end(&machine, other) }
        #expect(machine.takeReplies().isEmpty && second.tracker.isFinished)
        #expect(machine.registry.count == 0 && machine.registry.numberOfPlaces <= 1)
    }

    @Test("cancelInFlight of a group cancels the previous group, and none of its own members")
    func groupCancelsInFlight() throws {
        var machine = Machine()
        func group() -> Effect<String> {
            .merge(.run(id: "x") { _ in }, .run { _ in }).cancellable(id: "g", policy: .cancelInFlight)
        }
        _ = begin(&machine, .none)
        _ = group().operation.flatMap { machine.begin($0) }
        let first = machine.takeStarts()
        _ = group().operation.flatMap { machine.begin($0) }
        let second = machine.takeStarts()
        #expect(first.map(\.isCancelled) == [true, true])
        #expect(second.map(\.isCancelled) == [false, false])
    }

    @Test("A refused group leaves nothing behind")
    func refusedGroup() throws {
        var machine = Machine()
        let effect = Effect<String>.merge(.run { _ in }, .send("x")).cancellable(id: "g", policy: .ignoreIfRunning)
        _ = effect.operation.flatMap { machine.begin($0) }
        let members = machine.takeStarts()
        #expect(machine.reduceReplies().count == 1)
        #expect(effect.operation.flatMap { machine.begin($0) } == nil)
        #expect(machine.takeStarts().isEmpty && machine.takeReplies().isEmpty)
        for member in members { end(&machine, member) }
        #expect(machine.registry.count == 0)
    }

    /// Policies by which an operation that counted the surrounding group would cancel it, not begin, or wait for its
    /// end.
    static let policies: [EffectPolicy] = [
        .cancelInFlight, .ignoreIfRunning, .newest(1), .newest(2), .oldest(1, overflow: .drop), .serial,
        .oldest(2, overflow: .suspend),
    ]

    /// Ways to put an effect into a group with the identity "a".
    enum Around: CaseIterable, CustomTestStringConvertible {
        case debounce, debounceInFlight, throttle, throttleFirst, cancellable, same

        func callAsFunction(_ effect: Effect<String>, _ policy: EffectPolicy) -> Effect<String> {
            switch self {
            case .debounce: effect.debounce(id: "a", for: .seconds(1))
            case .debounceInFlight: effect.debounce(id: "a", for: .seconds(1), cancelInFlight: true)
            case .throttle: effect.throttle(id: "a", for: .seconds(1))
            case .throttleFirst: effect.throttle(id: "a", for: .seconds(1), latest: false)
            case .cancellable: effect.cancellable(id: "a")
            case .same: effect.cancellable(id: "a", policy: policy)
            }
        }

        var testDescription: String { "\(self)" }
    }

    @Test(
        "An operation with its group's identity does not compete with the group, also behind other parts of it",
        arguments: policies,
        Around.allCases
    )
    func enclosingGroup(policy: EffectPolicy, around: Around) throws {
        var machine = Machine()
        for effect in [work(policy), .concatenate(.run { _ in }, work(policy)), around(work(policy), policy)] {
            let tracker = try #require(around(effect, policy).operation.flatMap { machine.begin($0) })
            var done: [EffectID?] = []
            while let job = machine.takeStarts().first {
                #expect(!job.isCancelled && (job.isGroup || !job.isWaiting))
                if !job.isGroup { done.append(job.id) }
                machine.end(job)
            }
            #expect(done.last == EffectID("a") && tracker.isFinished)
            #expect(machine.registry.count == 0 && machine.registry.numberOfQueues == 0)
            machine = Machine()
        }
    }

    @Test(
        "An operation in a group with a place in the queue of its identity needs no own place, and the queue advances"
    )
    func groupsInAQueue() throws {
        var machine = Machine()
        func group() -> Effect<String> {
            .concatenate(work(.serial), .merge(work(.serial), work(.serial).cancellable(id: "a", policy: .serial)))
                .cancellable(id: "a", policy: .serial)
        }
        let first = try #require(group().operation.flatMap { machine.begin($0) })
        let member = try #require(machine.takeStarts().first)
        let alone = try #require(begin(&machine, work(.serial)))
        let second = try #require(begin(&machine, group()))
        end(&machine, member)
        let both = Array(machine.takeStarts())
        #expect(both.count == 2 && !both.contains(where: \.isWaiting))
        end(&machine, both[0])
        #expect(!isAdmitted(alone))
        end(&machine, both[1])
        #expect(first.isFinished && isAdmitted(alone) && !isAdmitted(second))
        end(&machine, alone)
        #expect(isAdmitted(second))
        end(&machine, second)
        var members = Array(machine.takeStarts())
        while let job = members.popLast() {
            #expect(!job.isWaiting)
            end(&machine, job)
            members += machine.takeStarts()
        }
        #expect(second.tracker.isFinished && machine.registry.count == 0 && machine.registry.numberOfPlaces <= 1)
    }

    @Test("An operation in a group replaces other groups of its identity, whether they have begun or wait")
    func groupsOfOneIdentity() throws {
        var machine = Machine()
        func group() -> Effect<String> {
            work(.cancelInFlight).debounce(id: "a", for: .seconds(1))
        }
        let first = try #require(begin(&machine, group()))
        let second = try #require(begin(&machine, group()))
        #expect(first.isCancelled)
        end(&machine, first)
        end(&machine, second)
        let running = try #require(machine.takeStarts().first)
        let third = try #require(begin(&machine, group()))
        #expect(!running.isCancelled)
        end(&machine, third)
        let next = try #require(machine.takeStarts().first)
        #expect(running.isCancelled && second.isCancelled && !next.isCancelled && !third.isCancelled)
        end(&machine, running)
        end(&machine, next)
        #expect(third.tracker.isFinished && machine.registry.count == 0)
    }

    @Test("A cancellation in a group of its identity cancels all other groups, and the members with that identity")
    func cancelInGroup() throws {
        var machine = Machine()
        let other = try #require(begin(&machine, work(.concurrent)))
        let effect = Effect<String>.concatenate(
            .merge(
                .run { _ in },
                work(.concurrent).cancellable(id: "outer"),
                .concatenate(.run { _ in }, .cancel(id: "a"))
            ),
            .send("done"),
            work(.concurrent)
        )
        let tracker = try #require(
            effect.cancellable(id: "a").cancellable(id: "a").operation.flatMap { machine.begin($0) }
        )
        let members = Array(machine.takeStarts())
        #expect(members.map(\.id) == [nil, EffectID("a"), nil])
        end(&machine, members[2])
        #expect(other.isCancelled && members[1].isCancelled && !members[0].isCancelled)
        end(&machine, members[1])
        #expect(machine.takeReplies().isEmpty)
        end(&machine, members[0])
        #expect(machine.reduceReplies() as? [String] == ["done"])
        let last = try #require(machine.takeStarts().first)
        #expect(!last.isCancelled)
        // From elsewhere it is cancelled as a whole.
        _ = begin(&machine, .cancel(id: "a"))
        #expect(last.isCancelled)
        end(&machine, last)
        end(&machine, other)
        #expect(tracker.isFinished && machine.registry.count == 0)
    }

    @Test("A debounced operation that replaces the running one under its identity is done at each request")
    func debouncedReplacement() async throws {
        let clock = ManualClock()
        let store = Ledger.store()
        let effect = Effect<Ledger.Action>.run(id: "search", policy: .cancelInFlight) { send in send(.add(1)) }
        for round in 1...3 {
            let task = try await store.dispatch(.start(effect.debounce(id: "search", for: .seconds(1), clock: clock)))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
            try await task.finish()
            #expect(await store.state.total == round)
        }
    }

    @Test("A queue runs a limited number of effects of a store, in the order of the requests")
    func queueInAStore() async throws {
        let store = Ledger.store()
        let running = Gauge()
        let order = Collector<Int>()
        let effects = (0..<100).map { number in
            Effect<Ledger.Action>.run(id: "q", policy: .oldest(3, overflow: .suspend)) { send in
                running.enter()
                order.append(number)
                // Its actions are reduced before its end is recorded.
                send(.add(1))
                await Task.yield()
                running.leave()
            }
        }
        var tasks: [StoreTask] = []
        for effect in effects { tasks.append(try await store.dispatch(.start(effect))) }
        for task in tasks { try await task.finish() }
        #expect(running.highest <= 3)
        #expect(order.elements.sorted() == Array(0..<100))
        #expect(await store.state.total == 100)
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("An effect that waits in a queue ends at once when it is cancelled, and is no longer awaited")
    func cancelWhileWaiting() async throws {
        let store = Ledger.store()
        let goOn = Signal()
        let first = try await store.dispatch(.start(.run(id: "q", policy: .serial) { _ in await goOn.wait() }))
        let second = try await store.dispatch(.start(.run(id: "q", policy: .serial) { send in send(.add(1)) }))
        second.cancel()
        try await second.finish()
        goOn.fire()
        try await first.finish()
        #expect(await store.state.total == 0)
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("Effects are cancelled from outside by identity, or all, and the store keeps working")
    func cancelFromOutside() async throws {
        let store = Ledger.store()
        let never = Signal()
        func waiting(_ id: String) -> Effect<Ledger.Action> {
            .run(id: id) { send in
                await never.wait()
                send(.add(1))
            }
        }
        let first = try await store.dispatch(.start(waiting("a")))
        let second = try await store.dispatch(.start(waiting("b")))
        await store.cancelEffects(id: "a")
        try await first.finish()
        #expect(!second.isFinished)
        let third = try await store.dispatch(.start(.concatenate(waiting("c"), .send(.add(10)))))
        await store.cancelAllEffects()
        try await second.finish()
        try await third.finish()
        #expect(await store.state.total == 0)
        try await store.dispatch(.start(.run { send in send(.add(100)) }), tracksFeedback: true).finish()
        #expect(store.snapshot.total == 100)
    }

    @Test("An effect can have an executor of its own")
    func executor() async throws {
        let own = RecordingExecutor()
        let store = Ledger.store()
        try await store.dispatch(.start(.run { _ in })).finish()
        #expect(own.jobs.elements.isEmpty)
        try await store.dispatch(.start(Effect.merge(.run { _ in }, .run { _ in }).on(own))).finish()
        #expect(own.jobs.elements.count >= 2)
    }

    @Test("An effect that waited in a queue has the task-locals of its dispatcher")
    func taskLocals() async throws {
        let store = Ledger.store()
        let goOn = Signal()
        let seen = Collector<Int>()
        let first = try await store.dispatch(.start(.run(id: "q", policy: .serial) { _ in await goOn.wait() }))
        let second = try await Tag.$value.withValue(7) {
            try await store.dispatch(.start(.run(id: "q", policy: .serial) { _ in seen.append(Tag.value) }))
        }
        goOn.fire()
        try await first.finish()
        try await second.finish()
        #expect(seen.elements == [7])
    }

    /// The number of concurrent effects in a section.
    private final class Gauge: Sendable {
        private let counts = LockedValue((now: 0, highest: 0))
        var highest: Int { counts.withLock { $0.highest } }

        func enter() {
            counts.withLock { counts in
                counts.now += 1
                counts.highest = max(counts.highest, counts.now)
            }
        }

        func leave() { counts.withLock { $0.now -= 1 } }
    }

    private enum Tag {
        @TaskLocal static var value = 0
    }
}
