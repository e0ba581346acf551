import ActionLogConformance
import ActorStore
import ActorStoreSimulation
import ActorStoreTesting
import Foundation
import Testing

@testable import ActorStorePersistence

/// `SEEDS` in the environment is their number, `SEED` the first one.
@Suite("Durable stores against a model", .timeLimit(.minutes(60)))
struct DurableStoreModelTests {
    @Test("A durable store keeps each acknowledged action once and in order after any failures and restarts")
    func histories() async {
        await forEachSeed { seed in
            let history = DurableHistory(seed: seed)
            return await history.steps.violations { await history.run() }
        }
    }
}

/// Random operations of a durable store, failures of its log, and further stores that continue the log.
private final class DurableHistory: @unchecked Sendable {
    private typealias JournalStore = DurableStore<Journal.State, Journal.Action>

    private static let lease = Duration.milliseconds(100)

    let steps = HistorySteps()
    private var random: SimulationGenerator
    private let clock = TestClock()
    private let memory: MemoryLog
    private var log: FaultyLog
    private let outside = Outside()
    /// The watches of the newest store.
    private var watches = LockedValue<Set<Int>>([])
    private var durability = DurabilityConfiguration()
    private var outcomes = JournalOutcomes()
    /// The outcomes of actions that were reduced, and may not be in the log yet.
    private var unwritten: [JournalOutcomes.Outcome] = []
    private var senders = 0

    init(seed: UInt64) {
        random = SimulationGenerator(seed: seed)
        memory = MemoryLog(clock: clock)
        log = FaultyLog(memory)
        durability.level = random.element(of: [.everyAction, .everyAction, .interval(.milliseconds(1))])
        durability.effects = random.element(of: [.afterCommit, .afterCommit, .atOnce])
        durability.snapshots = SnapshotInterval(actions: UInt64(random.number(below: 12) + 2))
        durability.retention = random.element(of: [.everything, .snapshots(1), .snapshots(2)])
        durability.pendingLimit = random.element(of: [3, 100_000])
        durability.keepsConfirmedState = random.chance(0.5)
        durability.digestInterval = UInt64(random.number(below: 4) + 1)
        durability.leaseDuration = Self.lease
    }

    /// Runs the operations.
    func run() async {
        do {
            var store = try await open()
            for _ in 0..<12 where steps.isClean { store = try await step(store) }
            log.failNoMore()
            try await end(store)
            let last = try await open()
            for try await due in last.store.values(of: \.due) where due.isEmpty { break }
            try await end(last)
        } catch {
            steps.note("\(error)")
        }
    }

    // MARK: Steps

    private func step(_ store: JournalStore) async throws -> JournalStore {
        if let failure = store.statistics.failure { steps.note("the store has stopped: \(failure)") }
        switch random.number(below: 18) {
        case 0..<4: await send(to: store)
        case 4..<10:
            await send(to: store) {
                disturb()
                return false
            }
        case 10: try await readPast(of: store)
        case 11: try await save(store)
        case 12:
            try await end(store)
            return try await open()
        case 13:
            await send(to: store, mayEnd: true) {
                steps.begin("end meanwhile")
                await store.shutdown(drain: .finishEffects)
                return false
            }
            try await end(store)
            return try await open()
        case 14, 15:
            let isBusy = random.chance(0.7)
            if isBusy {
                await send(to: store, mayEnd: true) {
                    await Task.yield()
                    log.disconnect()
                    return true
                }
            }
            return try await crash(store)
        case 16: return try await takeOver(store)
        default:
            steps.begin("barrier")
            if try await isDone({ try await store.readBarrier() }) { noteWritten() }
        }
        return store
    }

    /// Sends actions from several tasks.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - mayEnd: Whether the store may end meanwhile.
    ///   - disturb: Runs meanwhile, and returns whether the tasks are cancelled.
    private func send(
        to store: JournalStore,
        mayEnd: Bool = false,
        meanwhile disturb: () async -> Bool = { false }
    ) async {
        let plans = (0...random.number(below: 4)).map { _ in
            senders += 1
            return JournalSender(senders, JournalSend.allCases, using: &random)
        }
        steps.begin("\(plans.map(\.actions))")
        let known = await JournalSender.send(plans) { _, kind, number in
            await store.send(kind, number, mayEnd: mayEnd)
        } meanwhile: {
            await disturb()
        }
        if durability.level == .everyAction { outcomes.note(known) } else { unwritten += known }
        if !mayEnd { await checkWatches(of: store) }
    }

    /// No watch runs but that of the state.
    private func checkWatches(of store: JournalStore) async {
        guard (try? await store.commit()) != nil else { return }
        let watched = store.snapshot.watched
        let end = ContinuousClock.now + .seconds(60)
        // A cancelled watch ends soon.
        while !watches.withLock({ $0.isSubset(of: [watched].compactMap(\.self)) }) {
            guard ContinuousClock.now < end else {
                return steps.note("\(watches.withLock { $0 }) are watched instead of \(watched as Any)")
            }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Makes the next calls of the log fail.
    private func disturb() {
        let codes: [ActionLogError.Code] = [.disconnected, .busy, .full]
        func fault() -> FaultyLog.Fault {
            let code = random.element(of: codes)
            return random.chance(0.5) ? .error(code) : .lostAnswer(code)
        }
        let kind = random.number(below: 9)
        switch kind {
        case 0, 1: for _ in 0...random.number(below: 3) { log.fail(.append, with: fault()) }
        case 2: log.fail(.append, with: .late(.disconnected), fault())
        case 3: log.fail(random.element(of: [.lastNumber, .status, .identity, .claim]), with: fault())
        case 4: log.fail(random.element(of: [.write, .finish, .trim, .discard]), with: fault())
        case 5: log.fail(.finish, with: .error(.damaged))
        case 6: log.fail(random.element(of: [.part, .snapshots, .read]), with: fault())
        case 7: log.fail(.connect, with: .error(.disconnected))
        default: break
        }
        if kind > 6 { log.breakConnections() }
        steps.begin("fault \(kind)")
    }

    private func readPast(of store: JournalStore) async throws {
        let revision = UInt64(random.number(below: 1 << 20)) * store.revision >> 20
        steps.begin("read \(revision)")
        do {
            let numbers = try await store.state(at: revision).numbers
            let known = store.snapshot.numbers
            let expected = Array(known.prefix(Int(revision)))
            steps.expect(numbers == expected, "revision \(revision) is \(numbers) of \(known)")
        } catch let error as ActionLogError where error.code == .unknownRevision {
            steps.expect(durability.retention != .everything, "revision \(revision) does not exist")
        } catch let error as ActionLogError where error.code == .otherReducer {
            steps.expect(durability.reducerVersion > 1, "\(error)")
        } catch let error as ActionLogError where error.isTransient {}
    }

    private func save(_ store: JournalStore) async throws {
        let count = random.number(below: 4)
        steps.begin("save, keeping \(count)")
        let isSaved = try await isDone {
            if count == 0 { try await store.checkpoint() } else { try await store.compact(keepingSnapshots: count) }
        }
        if count > 0 { durability.retention = .snapshots(count) }
        if isSaved { noteWritten() }
    }

    /// Returns whether an operation has succeeded, and has not failed because of a fault.
    private func isDone(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return true
        } catch let error as ActionLogError where error.isTransient || error.code == .damaged {
            return false
        }
    }

    private func noteWritten() {
        outcomes.note(unwritten)
        unwritten = []
    }

    // MARK: Stores

    /// Opens a store, and compares its state with what was acknowledged.
    ///
    /// - Parameter check: Called with the state before the store continues the work that is due.
    private func open(_ check: (Journal.State) -> Void = { _ in }) async throws -> JournalStore {
        // Nothing is lost, whatever is accepted.
        durability.recovery = random.element(of: [.strict, .acceptingLoss])
        // A release with another reducer.
        let former = durability.reducerVersion
        if random.chance(0.2) { durability.reducerVersion += 1 }
        steps.begin("open by release \(durability.reducerVersion), \(durability.recovery)")
        watches = LockedValue([])
        while true {
            do throws(ActionLogError) {
                let store = try await Store.durable(
                    in: log,
                    initialState: Journal.State(),
                    reducer: Journal(outside: outside, watches: watches),
                    interceptors: [Journal.splitting],
                    durability: durability
                )
                steps.note(outcomes.violations(of: store.snapshot.numbers))
                steps.expect(store.snapshot.half == nil, "\(store.snapshot.numbers) ends with half of an action")
                check(store.snapshot)
                let policy = RetryPolicy(maxAttempts: .max, backoff: .constant(.milliseconds(1)))
                let errors = store.store.errors
                Task { for await _ in errors {} }
                store.runEffects(for: \.due, retry: policy) { number, _ in .done(number) }
                return store
            } catch {
                if error.code == .otherReducer, durability.reducerVersion > former {
                    // The new release opens the log when the former one has written a snapshot.
                    steps.begin("roll back")
                    durability.reducerVersion = former
                    continue
                }
                guard error.isTransient else { throw error }
                // The lease of the previous store.
                await clock.advance(by: Self.lease)
            }
        }
    }

    /// Shuts a store down.
    private func end(_ store: JournalStore) async throws {
        steps.begin("end")
        let report = await store.shutdown(drain: .finishEffects)
        steps.expect(report.isComplete, "\(report)")
        let state = store.snapshot
        steps.expect(state.numbers.count == store.revision, "\(store.revision) is not that of \(state)")
        noteWritten()
        steps.note(outcomes.violations(of: state.numbers))
        checkOutside(state.numbers)
        if let confirmed = store.confirmed?.snapshot {
            steps.expect(confirmed == state, "\(confirmed) was confirmed instead of \(state)")
        }
        let read = try await open { steps.expect($0 == state, "\($0) was read instead of \(state)") }
        await read.shutdown(drain: .finishEffects)
    }

    /// Effects begin once, and by default only for actions that are in the history.
    private func checkOutside(_ numbers: [Int]) {
        let told = outside.amounts
        steps.expect(Set(told).count == told.count, "\(told) contains repeats")
        guard durability.effects == .afterCommit else { return }
        steps.expect(Set(told).isSubset(of: numbers), "\(told) began, and the history has \(numbers)")
    }

    /// Continues after the end of the process.
    private func crash(_ store: JournalStore) async throws -> JournalStore {
        steps.begin("crash")
        log.disconnect()
        log = FaultyLog(memory)
        unwritten = []
        return try await replace(store)
    }

    /// Continues with another store, while the first one believes to be the writer.
    private func takeOver(_ store: JournalStore) async throws -> JournalStore {
        steps.begin("take over")
        if try await isDone({ try await store.commit() }) { noteWritten() }
        unwritten = []
        log.failNoMore()
        await clock.advance(by: Self.lease)
        let next = try await replace(store)
        senders += 1
        do {
            try await store.dispatch(.add(senders * 1_000))
            if durability.level == .everyAction { steps.note("a replaced store has acknowledged an action") }
        } catch {
            outcomes.note([.refused(senders * 1_000)])
        }
        return next
    }

    /// Opens another store, whose state must be one that a former store has had.
    private func replace(_ store: JournalStore) async throws -> JournalStore {
        var found: [Int] = []
        let next = try await open { found = $0.numbers }
        let former = store.snapshot.numbers
        steps.expect(former.starts(with: found), "\(found) was read of \(former)")
        if let confirmed = store.confirmed?.snapshot.numbers {
            steps.expect(found.starts(with: confirmed), "\(found) lacks some of \(confirmed)")
        }
        checkOutside(found)
        Task { await store.shutdown(drain: .cancelEffects, within: .zero) }
        return next
    }
}
