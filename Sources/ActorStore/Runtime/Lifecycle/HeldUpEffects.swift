/// Effects that cannot end before one of them does, who has asked for a shutdown: itself, those that wait for the task
/// of an action which has started one of them, and those that are in a queue behind them. A plain value, in the turn.
struct HeldUpEffects {
    /// None at all.
    static let none = HeldUpEffects()

    private var effects: Set<ObjectIdentifier> = []
    private var trackers: Set<ObjectIdentifier> = []

    var isEmpty: Bool { effects.isEmpty }

    func contains(_ job: EffectJob) -> Bool { effects.contains(ObjectIdentifier(job)) }

    /// Adds an effect, with those that wait for its end as for a part of their own.
    mutating func insert(_ job: EffectJob) {
        for job in job.andAwaiters {
            effects.insert(ObjectIdentifier(job))
            trackers.insert(ObjectIdentifier(job.tracker))
        }
    }

    /// Adds those of a store's effects that wait for one of these.
    ///
    /// - Returns: Whether there were any.
    /// - Complexity: O(*n*) with *n* effects, as long as few of them wait for tasks of actions.
    mutating func insertWaiting(among jobs: [EffectJob]) -> Bool {
        let blockedQueues = blockedQueues(among: jobs)
        let waiting = jobs.filter { job in
            !contains(job) && (job.tracker.awaits(trackers, by: job) || isBehind(job, blockedQueues))
        }
        for job in waiting { insert(job) }
        return !waiting.isEmpty
    }

    /// How many of these, and of the groups that they are a part of, a store's queues let run.
    private func takenSlots(among jobs: [EffectJob]) -> [EffectQueueKey: Int] {
        var subscribers: [EffectQueueKey: Int] = [:]
        var holders: Set<ObjectIdentifier> = []
        for job in jobs where contains(job) {
            for holder in [job] + job.groups where holder.holdsSlot {
                if holders.insert(ObjectIdentifier(holder)).inserted, let key = EffectQueueKey(of: holder) {
                    subscribers[key, default: 0] += 1
                }
            }
        }
        return subscribers
    }

    /// The queues in which there will be no room before one of these has ended, each from the position on of the first
    /// that waits for that: those behind it wait for it.
    private func blockedQueues(among jobs: [EffectJob]) -> [EffectQueueKey: SuspensionQueue<EffectJob>.Key] {
        let takenSlots = takenSlots(among: jobs)
        var blocked: [EffectQueueKey: SuspensionQueue<EffectJob>.Key] = [:]
        if takenSlots.isEmpty { return blocked }
        for job in jobs {
            // One that is cancelled leaves the queue as soon as its task comes to it.
            guard !job.isCancelled, let position = job.queuePosition, let key = EffectQueueKey(of: job),
                takenSlots[key, default: 0] >= job.options.policy.queueLimit
            else { continue }
            blocked[key] = min(position, blocked[key] ?? position)
        }
        return blocked
    }

    /// Whether it waits in one of these queues.
    private func isBehind(
        _ job: EffectJob,
        _ blockedQueues: [EffectQueueKey: SuspensionQueue<EffectJob>.Key]
    ) -> Bool {
        guard !blockedQueues.isEmpty, let position = job.queuePosition,
            let key = EffectQueueKey(of: job), let first = blockedQueues[key]
        else { return false }
        return position >= first
    }
}

/// Which queue an effect is in: that of its identity, at the place of its child.
private struct EffectQueueKey: Hashable {
    let place: ObjectIdentifier
    let id: EffectID

    init?(of job: EffectJob) {
        guard let place = job.place, let id = job.id else { return nil }
        self.place = ObjectIdentifier(place)
        self.id = id
    }
}

extension UnfinishedEffect {
    /// - Returns: nil for one that has not begun, and so never will.
    init?(_ job: EffectJob, at now: ContinuousClock.Instant) {
        guard let runningTime = job.runningTime(at: now) else { return nil }
        self.init(
            id: job.id ?? job.groups.lazy.compactMap(\.id).first,
            source: job.options.source,
            runningTime: runningTime,
            action: job.tracker.action
        )
    }
}
