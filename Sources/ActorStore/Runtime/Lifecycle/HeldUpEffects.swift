/// Effects that cannot end before one of them does, who has asked for a shutdown: itself, those that wait for the task of an
/// action which has started one of them, and those that are in a queue behind them. A plain value, in the turn.
struct HeldUpEffects {
    /// None at all.
    static let none = HeldUpEffects()

    private var effects: Set<ObjectIdentifier> = []
    private var trackers: Set<ObjectIdentifier> = []

    var isEmpty: Bool { effects.isEmpty }

    func contains(_ handle: EffectHandle) -> Bool { effects.contains(ObjectIdentifier(handle)) }

    /// Adds an effect, with those that wait for its end as for a part of their own.
    mutating func insert(_ handle: EffectHandle) {
        for handle in handle.andAwaiters {
            effects.insert(ObjectIdentifier(handle))
            trackers.insert(ObjectIdentifier(handle.tracker))
        }
    }

    /// Adds those of a store's effects that wait for one of these.
    ///
    /// - Returns: Whether there were any.
    /// - Complexity: O(*n*) with *n* effects, as long as few of them wait for tasks of actions.
    mutating func insertWaiting(among handles: [EffectHandle]) -> Bool {
        let blockedQueues = blockedQueues(among: handles)
        let waiting = handles.filter { handle in
            !contains(handle) && (handle.tracker.awaits(trackers, by: handle) || isBehind(handle, blockedQueues))
        }
        for handle in waiting { insert(handle) }
        return !waiting.isEmpty
    }

    /// How many of these, and of the groups that they are a part of, a store's queues let run.
    private func takenSlots(among handles: [EffectHandle]) -> [EffectQueueKey: Int] {
        var slots: [EffectQueueKey: Int] = [:]
        var holders: Set<ObjectIdentifier> = []
        for case let job as EffectJob in handles where contains(job) {
            for holder in [job] + job.groups where holder.holdsSlot {
                if holders.insert(ObjectIdentifier(holder)).inserted, let key = EffectQueueKey(of: holder) {
                    slots[key, default: 0] += 1
                }
            }
        }
        return slots
    }

    /// The queues in which there will be no room before one of these has ended, each from the position on of the first that
    /// waits for that: those behind it wait for it.
    private func blockedQueues(among handles: [EffectHandle]) -> [EffectQueueKey: SuspensionQueue<EffectJob>.Key] {
        let takenSlots = takenSlots(among: handles)
        var blocked: [EffectQueueKey: SuspensionQueue<EffectJob>.Key] = [:]
        if takenSlots.isEmpty { return blocked }
        for case let job as EffectJob in handles {
            // One that is cancelled leaves the queue as soon as its task comes to it.
            guard !job.isCancelled, let position = job.queuePosition, let key = EffectQueueKey(of: job),
                takenSlots[key, default: 0] >= job.policy.queueLimit
            else { continue }
            blocked[key] = min(position, blocked[key] ?? position)
        }
        return blocked
    }

    /// Whether it waits in one of these queues.
    private func isBehind(
        _ handle: EffectHandle,
        _ blockedQueues: [EffectQueueKey: SuspensionQueue<EffectJob>.Key]
    ) -> Bool {
        guard !blockedQueues.isEmpty, let job = handle as? EffectJob, let position = job.queuePosition,
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
    init?(_ handle: EffectHandle) {
        guard let runningTime = handle.runningTime else { return nil }
        self.init(
            id: handle.id ?? (handle as? EffectJob)?.groups.lazy.compactMap(\.id).first,
            source: handle.source,
            runningTime: runningTime,
            action: handle.tracker.action
        )
    }
}
