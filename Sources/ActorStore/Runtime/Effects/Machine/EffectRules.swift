/// Decides by policy and timing whether an effect may begin, and what it waits for. A plain value.
struct EffectRules {
    /// The identities with throttles, to find those whose intervals are over.
    private var throttles: [(place: EffectPlace, id: EffectID)] = []
    private var sweep = SweepThreshold(minimum: 32)

    /// Applies the policy and the timing of an effect that is about to begin.
    ///
    /// - Parameters:
    ///   - node: The node that it is a part of; nil if it is the whole effect.
    ///   - registry: The other registered jobs.
    ///   - cancelled: Receives the jobs whose tasks must be cancelled in favour of it.
    /// - Returns: `true` if it may begin, possibly after a wait that has been set.
    mutating func admit(
        _ job: EffectJob,
        in node: EffectNode?,
        _ registry: inout EffectRegistry,
        cancelling cancelled: inout [EffectJob]
    ) -> Bool {
        guard let id = job.id, let place = job.place else { return true }
        // These run, or it would not begin. Their time and their slots in queues apply to it as well.
        let groups = node?.groups(of: id, at: place) ?? []
        if let timing = job.options.timing, !admit(job, id, at: place, timing, besides: groups, &registry, &cancelled) {
            return false
        }
        switch job.options.policy.kind {
        case .concurrent:
            break
        case .cancelInFlight:
            let last = node?.lastNumber ?? job.lastMember
            cancelled += registry.cancel(id, at: place, except: job.number...last, besides: groups)
        case .ignoreIfRunning:
            return registry.running(id, at: place, besides: groups).isEmpty
        case .oldest(let limit):
            return registry.runningWholes(id, at: place, besides: groups).count < limit
        case .newest(let limit):
            let running = registry.runningWholes(id, at: place, besides: groups)
            for job in running.dropLast(limit - 1) { cancelled += registry.cancel(job) }
        case .queue(let limit):
            // In a group that holds a slot, it would wait for its own end.
            if groups.contains(where: \.holdsSlot) { break }
            place.queues[id, default: EffectQueue()].enter(job, limit: limit)
        }
        return true
    }

    /// Records that an effect has ended, or will not begin.
    ///
    /// - Returns: The jobs that may begin now, whose waits must be ended.
    func leave(_ job: EffectJob) -> [EffectJob] {
        guard let id = job.id, let place = job.place else { return [] }
        if job.isThrottled, place.throttles[id]?.waiting === job { place.throttles[id]?.settle() }
        let admitted = place.queues[id]?.leave(job) ?? []
        if place.queues[id]?.isEmpty == true {
            place.queues[id] = nil
            place.removeIfUnused()
        }
        return admitted
    }

    private mutating func admit(
        _ job: EffectJob,
        _ id: EffectID,
        at place: EffectPlace,
        _ timing: EffectTiming,
        besides groups: [EffectJob],
        _ registry: inout EffectRegistry,
        _ cancelled: inout [EffectJob]
    ) -> Bool {
        switch timing.kind {
        case .debounce(let maxWait):
            let waiting = registry.waiting(id, at: place, besides: groups)
            let burst = waiting.lazy.compactMap { $0.burst }.first
            cancelled += waiting.filter { registry.cancelIfWaiting($0) }
            let rest = maxWait.map { $0 - (burst?.elapsed() ?? .zero) }
            // At once, within this turn, because a waiting job can always be replaced by a new request before it
            // begins.
            if burst != nil, let rest, rest <= .zero { return true }
            job.burst = burst ?? timing.stopwatch()
            job.wait = .time(min(timing.interval, max(.zero, rest ?? timing.interval)), timing.clock)
            return true
        case .throttle(let latest):
            // The interval began with the group.
            if groups.contains(where: \.isThrottled) { return true }
            // It yields before anything is decided, because it has not begun, even if its time has come.
            if let waiting = place.throttles[id]?.yielding(to: timing.interval, latest: latest),
                registry.cancelIfWaiting(waiting)
            {
                cancelled.append(waiting)
            }
            place.throttles[id]?.settle()
            // A job that still waits begins before this request may, or is about to begin.
            if place.throttles[id]?.waiting != nil {
                place.throttles[id]?.window.reject(interval: timing.interval)
                return false
            }
            let known = place.throttles[id]
            // An interval that is over counts as discarded: whether it has been discarded depends on other identities.
            guard var window = known?.window, !window.isOver else {
                if known == nil {
                    sweepThrottles()
                    throttles.append((place, id))
                }
                place.throttles[id] = EffectThrottle(window: ThrottleWindow(timing), way: job.way)
                return true
            }
            let beginning = window.admit(interval: timing.interval, latest: latest)
            place.throttles[id]?.window = window
            switch beginning {
            case .now:
                place.throttles[id]?.way = job.way
                return true
            case .never:
                return false
            case .after(let wait):
                let waiting = registry.waiting(id, at: place, besides: groups)
                cancelled += waiting.filter { registry.cancelIfWaiting($0) }
                job.wait = .time(wait, timing.clock)
                // So that `leave(_:)` is called for its end.
                job.isKnownToRules = true
                place.throttles[id]?.waiting = job
                return true
            }
        }
    }

    /// Discards throttles whose intervals are over, once in a while.
    private mutating func sweepThrottles() {
        guard sweep.isReached(by: throttles.count) else { return }
        throttles.removeAll { place, id in
            guard let throttle = place.throttles[id] else { return true }
            guard throttle.isOver else { return false }
            place.throttles[id] = nil
            place.removeIfUnused()
            return true
        }
        sweep.reset(after: throttles.count)
    }
}

/// The interval of the throttle of one identity, and the job that waits for its end. A plain value.
struct EffectThrottle {
    var window: ThrottleWindow
    /// The path of the child that began the interval.
    var way: [ChildStep]
    /// The job that waits for the end of the interval, or has waited for it and has not been settled since.
    var waiting: EffectJob?

    /// Whether it can be discarded.
    var isOver: Bool { waiting == nil && window.isOver }

    /// Returns the waiting job if it yields to a request. It always yields to a request that takes the latest. It
    /// yields to another one only if that may begin now by its own interval, and the time of the waiting job has not
    /// come: otherwise the waiting job is about to begin, however late that is.
    func yielding(to interval: Duration, latest: Bool) -> EffectJob? {
        guard let waiting, let ownInterval = waiting.options.timing?.interval else { return nil }
        return latest || window.isOver(after: interval) && !window.isOver(after: ownInterval) ? waiting : nil
    }

    /// Restarts the interval from when the waiting job began its work, unless it was cancelled before.
    mutating func settle() {
        guard let job = waiting, !job.isWaiting else { return }
        if !job.gaveUpWaiting, let sinceBeginning = job.sinceBeginning {
            window.begin(before: sinceBeginning.elapsed())
            way = job.way
        }
        waiting = nil
    }
}

/// The state of an effect in the queue of its identity.
enum EffectInQueue {
    /// It waits for others, at this position.
    case waiting(SuspensionQueue<EffectJob>.Key)
    /// It is one of the jobs that the queue lets run.
    case running
}

/// Effects with one identity, of which a limited number may run at the same time. A plain value.
struct EffectQueue {
    private var running = 0
    private var waiting = SuspensionQueue<EffectJob>()

    var isEmpty: Bool { running == 0 && waiting.isEmpty }

    /// Lets an effect begin, or makes it wait for the end of others.
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

    /// Removes an effect that has ended, whether it has run or not, and admits others.
    ///
    /// - Returns: The admitted jobs, whose waits must be ended.
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
