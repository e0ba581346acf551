import ActorStore
import ActorStoreFoundation
import ActorStorePersistence
import Foundation

/// A store of tallies, durable or replicated.
protocol TallyStore: AnyObject, Sendable {
    /// The local state.
    var snapshot: Tally.State { get }
    var revision: UInt64 { get }
    /// The position of the state in the log; 0 for a durable store.
    var position: UInt64 { get }
    /// The reason why the store accepts no more actions.
    var failure: ActionLogError? { get }
    /// The unreadable entries that the store skipped at its opening.
    var problems: [ActionLogError] { get }
    /// The lease under which effects run here.
    var lease: ActionLogLease? { get }
    /// The lease under which effects run, by the log.
    var knownLease: ActionLogLease? { get }

    func dispatch(_ count: Count) async throws
    func ask(_ count: Count) async throws -> StatePoint
    /// A state that includes everything acknowledged anywhere before, and is in the log.
    func read() async throws -> Tally.State
    /// Waits until the state has reached a position of the log.
    func wait(for position: UInt64) async throws
    /// Starts the operations that are owed, now and later.
    func settle(_ work: @escaping @Sendable (_ key: String) async throws -> Void)
    /// Observes the errors of retried effects, so that they are not printed.
    func takeErrors()
    func end() async
}

extension RetryPolicy {
    /// Often, because tests wait for it.
    fileprivate static let soon = RetryPolicy(
        maxAttempts: .max,
        backoff: .exponential(base: .milliseconds(20), cap: .milliseconds(500)),
        jitter: .equal
    )
}

extension ReplicatedStore: TallyStore where State == Tally.State, Action == Tally.Action {
    var failure: ActionLogError? {
        if let failure = statistics.failure { return failure }
        if case .waiting(let reason) = phase.snapshot { return reason }
        return nil
    }

    var problems: [ActionLogError] { recovery.problems }
    var position: UInt64 { statistics.position }
    var knownLease: ActionLogLease? { effectsHolder.snapshot }

    func dispatch(_ count: Count) async throws { _ = try await dispatch(.count(count), id: nil, expecting: nil) }

    func ask(_ count: Count) async throws -> StatePoint { try await ask(count, isolation: nil) }

    func read() async throws -> Tally.State {
        try await readBarrier()
        return snapshot
    }

    func wait(for position: UInt64) async throws {
        while statistics.position < position {
            if let failure { throw failure }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    func settle(_ work: @escaping @Sendable (_ key: String) async throws -> Void) {
        runEffects(for: \.owed, retry: .soon) { key, _ in
            try await work(key)
            return .settled(key)
        }
        sendReminders(for: \.reminders, clock: WallClock()) { key, _ in .reminded(key) }
    }

    func takeErrors() { Task.detached { [errors = store.errors] in for await _ in errors {} } }

    func end() async { await shutdown(drain: .finishEffects, within: .seconds(10)) }
}

extension DurableStore: TallyStore where State == Tally.State, Action == Tally.Action {
    var failure: ActionLogError? { statistics.failure }
    var problems: [ActionLogError] { recovery.problems }
    var position: UInt64 { 0 }
    var lease: ActionLogLease? { nil }
    var knownLease: ActionLogLease? { nil }

    func dispatch(_ count: Count) async throws { _ = try await dispatch(.count(count), id: nil, expecting: nil) }

    func ask(_ count: Count) async throws -> StatePoint { try await ask(count, isolation: nil) }

    func read() async throws -> Tally.State {
        try await readBarrier()
        let state = snapshot
        // It may have actions that are not in the log yet.
        try await commit()
        return state
    }

    func wait(for position: UInt64) async throws { try await commit() }

    func settle(_ work: @escaping @Sendable (_ key: String) async throws -> Void) {
        runEffects(for: \.owed, retry: .soon) { key, _ in
            try await work(key)
            return .settled(key)
        }
        sendReminders(for: \.reminders, clock: WallClock()) { key, _ in .reminded(key) }
    }

    func takeErrors() { Task.detached { [errors = store.errors] in for await _ in errors {} } }

    func end() async { await shutdown(drain: .finishEffects, within: .seconds(10)) }
}

extension WorkloadOptions {
    /// Opens the store, however long the server is away, or another process has the log.
    func open() async throws -> any TallyStore {
        let log = engine.log(port: port, awaitsStandby: awaitsStandby, timeout: .milliseconds(timeout))
        guard let log else { throw CancellationError() }
        while true {
            do throws(ActionLogError) {
                return try await open(log)
            } catch {
                guard error.isTransient else { throw error }
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private func open(_ log: any ActionLog) async throws(ActionLogError) -> any TallyStore {
        // Many snapshots and digests, and early deletions, so that a kill can hit all of them.
        let snapshots = SnapshotInterval(actions: 200)
        let recovery: RecoveryPolicy = acceptsLoss ? .acceptingLoss : .strict
        guard kind == .durable else {
            return try await Store.replicated(
                through: log,
                initialState: Tally.State(),
                reducer: Tally(),
                replication: ReplicationConfiguration(
                    name: name,
                    effects: kind == .holder ? .leaseHolder(lasting: .milliseconds(lease)) : .origin,
                    snapshots: snapshots,
                    replicaPatience: .seconds(2),
                    recovery: recovery,
                    digestInterval: 100
                )
            )
        }
        return try await Store.durable(
            in: log,
            initialState: Tally.State(),
            reducer: Tally(),
            durability: DurabilityConfiguration(
                snapshots: snapshots,
                retention: .snapshots(2),
                recovery: recovery,
                retryLimit: .milliseconds(retryLimit),
                digestInterval: 100,
                leaseDuration: .milliseconds(lease)
            )
        )
    }
}
