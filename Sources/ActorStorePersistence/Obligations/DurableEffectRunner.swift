import ActorStore

/// Runs an operation for each entry of a part of the state, as effects of the store.
final class DurableEffectRunner<State: Sendable, Action: Sendable, Key: Hashable & Sendable, Value: Sendable>: Sendable
{
    typealias Schedule = DurableEffectSchedule<Key>

    private let store: WeakStore<State, Action>
    private let entries: @Sendable (State) -> [Key: Value]
    /// Identifies the entries. Operations of an entry follow each other, also those of an earlier runner.
    private let part: ObligationPart
    private let policy: RetryPolicy
    private let clock: any Clock<Duration>
    private let source: CodeLocation
    /// Waits until the log has the current state, and returns whether the store still accepts actions.
    private let commit: @Sendable () async -> Bool
    private let room: LogRoom
    /// Returns whether this store runs the operations.
    private let isInCharge: @Sendable () -> Bool
    /// Waits until sent actions have been reduced.
    private let settle: @Sendable () async -> Void
    private let work: @Sendable (Key, Value) async throws -> Action
    private let schedule: LockedValue<Schedule>
    /// The number of times that all effects had been cancelled when this started.
    private let cancellations = LockedValue<UInt64>(0)

    init(
        _ store: WeakStore<State, Action>,
        _ entries: @escaping @Sendable (State) -> [Key: Value],
        of part: ObligationPart,
        limit: Int,
        retry policy: RetryPolicy,
        clock: any Clock<Duration>,
        at source: CodeLocation,
        commit: @escaping @Sendable () async -> Bool,
        room: LogRoom,
        isInCharge: @escaping @Sendable () -> Bool = { true },
        settle: @escaping @Sendable () async -> Void = {},
        work: @escaping @Sendable (Key, Value) async throws -> Action
    ) {
        self.store = store
        self.entries = entries
        self.part = part
        self.policy = policy
        self.clock = clock
        self.source = source
        self.commit = commit
        self.room = room
        self.isInCharge = isInCharge
        self.settle = settle
        self.work = work
        schedule = LockedValue(Schedule(limit: limit))
    }

    /// Starts, and continues until the store is shut down or released, or all its effects are cancelled.
    ///
    /// - Parameter observe: Observes the entries in the turn of the store: an entry that is removed and added again is
    ///   noticed.
    func start(_ observe: (@escaping @Sendable () -> Void) -> StoreObservation?) {
        let (changes, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        observe { signal.yield() }?.bound(to: self)
        let effect: Effect<Action> = .run(fileID: source.fileID, line: source.line) { [self] _ in
            for await _ in changes { update() }
        }
        store.begin(effect.cancelOnShutdown()) { [self] in
            cancellations.withLock { $0 = store.effectCancellations ?? 0 }
        }
    }

    /// Starts an effect, unless all effects have been cancelled since the start. The end of a cancelled attempt would
    /// otherwise start the next one.
    private func begin(_ effect: Effect<Action>) {
        store.begin(effect, unlessCancelledSince: cancellations.withLock { $0 })
    }

    /// Identifies the operation of an entry, so that an attempt waits until a cancelled one has ended.
    private struct EntryID: Hashable, CustomStringConvertible {
        let part: ObligationPart, key: Key

        /// As errors of operations name it.
        var description: String { "\(part.keyPath)[\(String(redacting: key))]" }
    }

    private struct AttemptID: Hashable { let runner: ObjectIdentifier, attempt: Schedule.Attempt }

    private var identity: ObjectIdentifier { ObjectIdentifier(self) }

    private func update() {
        perform { schedule in
            // Read under the lock, so that threads report states in the order in which they read them.
            guard let state = store.snapshot else { return [] }
            return schedule.update(entries(state).keys)
        }
    }

    private func perform(_ body: (inout Schedule) -> [Schedule.Command]) {
        // The body calls user code, such as `hash(into:)` of a key. No turn takes this lock, so that such code waits
        // for nothing that waits for it.
        let commands = schedule.withLock(body)
        // A shutdown lets attempts finish, and must not be delayed by new ones.
        let begins = store.isAlive && isInCharge()
        for command in commands {
            switch command {
            case .run(let attempt): if begins { begin(run(attempt)) }
            case .wait(let attempt): if begins, let wait = wait(after: attempt) { begin(wait) }
            case .cancel(let attempt): store.begin(.cancel(id: AttemptID(runner: identity, attempt: attempt)))
            }
        }
    }

    private func run(_ attempt: Schedule.Attempt) -> Effect<Action> {
        Effect.run(
            id: EntryID(part: part, key: attempt.key),
            policy: .serial,
            fileID: source.fileID,
            line: source.line
        ) { [self] send in
            // Read before the wait, so that the log has the value afterwards; it may not have a newer one.
            let value = store.snapshot.flatMap { entries($0)[attempt.key] }
            // Without the log, there are no more attempts.
            guard await commit() else { return }
            // Another thread may have cancelled the attempt before it began.
            guard schedule.withLock({ $0.begin(attempt) }) else { return }
            defer {
                perform { schedule in
                    let remains = store.snapshot.map { entries($0)[attempt.key] != nil }
                    return schedule.attemptEnded(attempt, remains: remains ?? false)
                }
            }
            guard let value, store.snapshot.flatMap({ entries($0)[attempt.key] }) != nil else { return }
            // The last check before the operation: a shutdown or a cancellation may have begun since.
            guard !Task.isCancelled, store.isAlive, isInCharge() else { return }
            let action = try await work(attempt.key, value)
            // If the action were lost, the operation would run again.
            while try await !room.send(action, by: send) { try await clock.sleep(for: .untilRoom) }
            await settle()
        }
        .cancellable(id: AttemptID(runner: identity, attempt: attempt))
    }

    private func wait(after attempt: Schedule.Attempt) -> Effect<Action>? {
        var random = SystemRandomNumberGenerator()
        guard let wait = policy.wait(afterAttempt: attempt.number, using: &random) else { return nil }
        return Effect.run { [self] _ in
            try await clock.sleep(for: wait)
            perform { $0.waitEnded(attempt) }
        }
        .cancellable(id: AttemptID(runner: identity, attempt: attempt))
        .cancelOnShutdown()
    }
}

/// Identifies the entries of a part of a state, and the lease under which their operations run.
struct ObligationPart: Hashable, Sendable {
    let keyPath: any AnyKeyPath & Sendable
    /// The token of the lease of effects; nil without one.
    var lease: UInt64?

    static func == (one: ObligationPart, other: ObligationPart) -> Bool {
        one.keyPath as AnyKeyPath == other.keyPath as AnyKeyPath && one.lease == other.lease
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(keyPath as AnyKeyPath)
        hasher.combine(lease)
    }
}
