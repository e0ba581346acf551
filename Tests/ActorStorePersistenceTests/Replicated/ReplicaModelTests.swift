import ActionLogConformance
import ActorStore
import ActorStoreSimulation
import Foundation
import Testing

@testable import ActorStorePersistence

/// `SEEDS` in the environment is their number, `SEED` the first one.
@Suite("Replicas against a model", .timeLimit(.minutes(60)))
struct ReplicaModelTests {
    @Test("Replicas keep each acknowledged action once and in order, and agree, after any failures and restarts")
    func histories() async {
        await forEachSeed { seed in
            let history = ReplicaHistory(seed: seed)
            return await history.steps.violations { await history.run() }
        }
    }
}

/// Random operations of three replicas of a log, failures of their connections, and lost ends of the log.
private final class ReplicaHistory: @unchecked Sendable {
    private typealias JournalStore = ReplicatedStore<Journal.State, Journal.Action>

    let steps = HistorySteps()
    private var random: SimulationGenerator
    private let memory = MemoryLog()
    private var logs: [FaultyLog]
    private var stores: [JournalStore] = []
    private let outside = Outside()
    private var replication: ReplicationConfiguration
    private let kinds: [JournalSend]
    private var outcomes = JournalOutcomes()
    private var senders = 0

    init(seed: UInt64) {
        random = SimulationGenerator(seed: seed)
        logs = (0..<3).map { [memory] _ in FaultyLog(memory) }
        replication = ReplicationConfiguration(
            effects: random.element(of: [.origin, .everyReplica, .leaseHolder(lasting: .milliseconds(100))]),
            pendingLimit: random.element(of: [3, 10_000]),
            reconnection: RetryPolicy(maxAttempts: .max, backoff: .constant(.milliseconds(1))),
            snapshots: SnapshotInterval(actions: UInt64(random.number(below: 12) + 2)),
            retention: random.element(of: [.everything, .snapshots(1), .snapshots(2)]),
            replicaPatience: random.element(of: [.milliseconds(1), .seconds(300)]),
            digestInterval: UInt64(random.number(below: 4) + 1)
        )
        // The work that is due is done by the holder of the lease. The chain of an action runs where that was sent.
        let (hasLease, byOrigin) = (replication.effects.leaseDuration != nil, replication.effects == .origin)
        kinds = JournalSend.allCases.filter { kind in
            switch kind {
            case .owed: hasLease
            case .chained, .abandoned: byOrigin
            // A replica has no interceptors.
            case .halved: false
            default: true
            }
        }
    }

    /// Runs the operations.
    func run() async {
        do {
            for log in logs { stores.append(try await open(log)) }
            for _ in 0..<6 where steps.isClean { try await step() }
            for log in logs { log.failNoMore() }
            try await compare()
            for try await due in stores[0].store.values(of: \.due) where due.isEmpty { break }
            for index in stores.indices { try await end(index) }
        } catch {
            steps.note("\(error)")
        }
    }

    // MARK: Steps

    private func step() async throws {
        let index = random.number(below: 3)
        switch random.number(below: 14) {
        case 0..<3: await send { false }
        case 3..<8:
            await send {
                disturb(logs[index])
                return false
            }
        case 8:
            await send(mayEnd: index) {
                steps.begin("end \(index) meanwhile")
                await stores[index].shutdown(drain: .finishEffects)
                return false
            }
            try await end(index)
            stores[index] = try await open(logs[index])
        case 9: try await crash(index)
        case 10:
            steps.begin("save \(index)")
            do { try await stores[index].checkpoint() } catch let error as ActionLogError {
                steps.expect(error.isTransient || error.code == .damaged, "a snapshot fails: \(error)")
            }
        case 11: try await loseEnd()
        default: try await compare()
        }
        for store in stores {
            if let failure = store.statistics.failure { steps.note("a replica has stopped: \(failure)") }
        }
    }

    /// Sends actions from one task for each replica.
    ///
    /// - Parameters:
    ///   - ending: The replica that may end meanwhile.
    ///   - disturb: Runs meanwhile, and returns whether the tasks are cancelled.
    private func send(mayEnd ending: Int? = nil, meanwhile disturb: () async -> Bool) async {
        let plans = stores.map { _ in
            senders += 1
            return JournalSender(senders, kinds, using: &random)
        }
        steps.begin("\(plans.map(\.actions))")
        let stores = stores
        outcomes.note(
            await JournalSender.send(plans) { index, kind, number in
                let other = stores[(index + 1) % stores.count]
                return await stores[index].send(kind, number, and: other, mayEnd: ending != nil)
            } meanwhile: {
                await disturb()
            }
        )
    }

    /// Makes the next calls of a replica's log fail.
    private func disturb(_ log: FaultyLog) {
        let code: ActionLogError.Code = random.element(of: [.disconnected, .busy, .full])
        let kind = random.number(below: 9)
        let fault: FaultyLog.Fault = random.chance(0.5) ? .error(code) : .lostAnswer(code)
        switch kind {
        case 0, 1: for _ in 0...random.number(below: 3) { log.fail(.append, with: fault) }
        case 2: log.fail(.append, with: .late(.disconnected), fault)
        case 3: log.fail(random.element(of: [.lastNumber, .status, .identity, .claim]), with: fault)
        case 4: log.fail(random.element(of: [.write, .finish, .trim, .discard]), with: fault)
        case 5: log.fail(.finish, with: .error(.damaged))
        case 6: log.fail(random.element(of: [.part, .snapshots, .read, .wait, .report, .presences]), with: fault)
        case 7: log.fail(.connect, with: .error(.disconnected))
        default: break
        }
        if kind > 6 { log.breakConnections() }
        steps.begin("fault \(kind)")
    }

    /// Replaces a replica whose process has ended, with or without the entries in flight.
    private func crash(_ index: Int) async throws {
        await send(mayEnd: index) {
            steps.begin("crash \(index)")
            await Task.yield()
            logs[index].disconnect()
            return true
        }
        logs[index] = FaultyLog(memory)
        stores[index] = try await open(logs[index])
    }

    /// Drops some of the newest entries, and opens new replicas.
    private func loseEnd() async throws {
        try await compare()
        let (status, snapshots) = (try memory.connect().status(), try memory.connect().snapshots())
        // A server that loses its end also loses the deletions of entries behind snapshots that it loses.
        let kept = status.first > 1 ? snapshots.last?.point.position ?? status.end.position : 0
        let lost = min(UInt64(random.number(below: 6) + 1), status.end.position - kept)
        guard lost > 0 else { return }
        steps.begin("lose \(lost)")
        memory.loseEnd(after: status.end.position - lost)
        var others: [[Int]] = []
        for store in stores {
            do {
                try await store.readBarrier()
                // It had not read the lost entries.
                others.append(store.snapshot.numbers)
            } catch let error as ActionLogError {
                steps.expect(error.code == .lostEntries, "a barrier after a loss throws \(error)")
            }
        }
        for store in stores { await store.shutdown(drain: .cancelEffects, within: .seconds(10)) }
        for index in stores.indices {
            stores[index] = try await open(logs[index]) { [self] numbers in outcomes.forget(allBut: numbers) }
        }
        let numbers = stores[0].snapshot.numbers
        for other in others { steps.expect(numbers.starts(with: other), "\(numbers) lacks some of \(other)") }
    }

    // MARK: Replicas

    /// Opens a replica, and compares its state with what was acknowledged.
    ///
    /// - Parameter body: Called before the comparison with the numbers of the state.
    private func open(_ log: FaultyLog, _ body: ([Int]) -> Void = { _ in }) async throws -> JournalStore {
        steps.begin("open")
        // Nothing is lost, whatever is accepted.
        replication.recovery = random.element(of: [.strict, .acceptingLoss])
        while true {
            do throws(ActionLogError) {
                let store = try await Store.replicated(
                    through: log,
                    initialState: Journal.State(),
                    reducer: Journal(outside: outside),
                    replication: replication
                )
                let errors = store.store.errors
                Task { for await _ in errors {} }
                if replication.effects.leaseDuration != nil {
                    let policy = RetryPolicy(maxAttempts: .max, backoff: .constant(.milliseconds(1)))
                    store.runEffects(for: \.due, retry: policy) { number, _ in .done(number) }
                }
                body(store.snapshot.numbers)
                steps.note(outcomes.violations(of: store.snapshot.numbers))
                return store
            } catch {
                guard error.isTransient else { throw error }
            }
        }
    }

    private func end(_ index: Int) async throws {
        steps.begin("end \(index)")
        let report = await stores[index].shutdown(drain: .finishEffects)
        steps.expect(report.isComplete, "\(report)")
    }

    /// Compares what the replicas show after barriers with each other and with what was acknowledged.
    private func compare() async throws {
        steps.begin("compare")
        var longest: [Int] = []
        for store in stores {
            while true {
                do {
                    try await store.commit()
                    try await store.readBarrier()
                    break
                } catch let error as ActionLogError where error.isTransient {}
            }
            let numbers = store.snapshot.numbers
            steps.note(outcomes.violations(of: numbers))
            let (shorter, longer) = numbers.count < longest.count ? (numbers, longest) : (longest, numbers)
            steps.expect(longer.starts(with: shorter), "\(shorter) and \(longer) differ")
            longest = longer
        }
        let told = outside.amounts
        guard replication.effects != .everyReplica else { return }
        steps.expect(Set(told).count == told.count, "\(told) contains repeats")
    }
}
