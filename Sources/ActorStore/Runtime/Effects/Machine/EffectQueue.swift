/// What an effect does in the queue of its identity.
enum EffectInQueue {
    /// It waits for others, in this place.
    case waiting(SuspensionQueue<EffectJob>.Key)
    /// It is one of those that the queue lets run.
    case running
}

/// Effects of the same identity of which only some may run at the same time. A plain value.
struct EffectQueue {
    private var running = 0
    private var waiting = SuspensionQueue<EffectJob>()

    var isEmpty: Bool { running == 0 && waiting.isEmpty }

    /// Lets an effect begin, or has it wait for the end of others.
    mutating func enter(_ job: EffectJob, limit: Int) {
        job.isKnownToRules = true
        if running < limit && waiting.isEmpty {
            running += 1
            job.inQueue = .running
        } else {
            job.wait = .gate(AsyncGate())
            job.inQueue = .waiting(waiting.append(job))
        }
    }

    /// Takes note that one has ended, whether it has run or not, and lets others begin.
    ///
    /// - Returns: These, whose waits are to be ended.
    mutating func leave(_ job: EffectJob) -> [EffectJob] {
        var admitted: [EffectJob] = []
        switch job.inQueue {
        case .running: running -= 1
        case .waiting(let position): _ = waiting.remove(position)
        case nil: break
        }
        job.inQueue = nil
        while let next = waiting.first, running < next.options.policy.queueLimit {
            _ = waiting.removeFirst()
            running += 1
            next.inQueue = .running
            admitted.append(next)
        }
        return admitted
    }
}
