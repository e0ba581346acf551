/// Effects of the same identity of which only some may run at the same time. A plain value.
struct EffectQueue {
    private var running = 0
    private var waiting = SuspensionQueue<EffectJob>()

    var isEmpty: Bool { running == 0 && waiting.isEmpty }

    /// Lets an effect begin, or has it wait for the end of others.
    mutating func enter(_ job: EffectJob, limit: Int) {
        job.isQueued = true
        if running < limit && waiting.isEmpty {
            running += 1
            job.holdsSlot = true
        } else {
            job.wait = .admission(EffectAdmission())
            job.place = waiting.append(job)
        }
    }

    /// Takes note that one has ended, whether it has run or not, and lets others begin.
    ///
    /// - Returns: These, whose waits are to be ended.
    mutating func leave(_ job: EffectJob) -> [EffectJob] {
        var admitted: [EffectJob] = []
        if job.holdsSlot {
            job.holdsSlot = false
            running -= 1
        } else if let place = job.place {
            _ = waiting.remove(place)
            job.place = nil
        }
        while let next = waiting.first, running < next.policy.queueLimit {
            _ = waiting.removeFirst()
            running += 1
            next.place = nil
            next.holdsSlot = true
            admitted.append(next)
        }
        return admitted
    }
}

/// Whose identity an effect has: that of a child is known to this child only.
struct EffectKey: Hashable {
    let path: EffectPath
    let id: EffectID
}
