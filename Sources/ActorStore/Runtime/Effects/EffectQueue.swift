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
            job.queuePosition = waiting.append(job)
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
        } else if let position = job.queuePosition {
            _ = waiting.remove(position)
            job.queuePosition = nil
        }
        while let next = waiting.first, running < next.options.policy.queueLimit {
            _ = waiting.removeFirst()
            running += 1
            next.queuePosition = nil
            next.holdsSlot = true
            admitted.append(next)
        }
        return admitted
    }
}
