/// Decides whether an effect may begin, and what it has to wait for, by its policy and its timing. A plain value.
struct EffectRules {
    private var queues: [EffectKey: EffectQueue] = [:]
    private var throttles: [EffectKey: Throttle] = [:]
    /// With how many throttles those are looked for whose intervals are over.
    private var throttlesToSweepAt = 32

    private struct Throttle {
        var window: ThrottleWindow
        let interval: Duration
        /// What waits for the end of the interval, or has waited for it, and has not been settled since.
        var waiting: EffectJob?

        /// Counts from when that began which has waited, unless it was cancelled before that.
        mutating func settle() {
            guard let job = waiting, !job.isWaiting else { return }
            if !job.gaveUpWaiting, let sinceBeginning = job.sinceBeginning {
                window.begin(before: sinceBeginning.elapsed())
            }
            waiting = nil
        }
    }

    /// How many identities there is something to remember of.
    var count: Int { queues.count + throttles.count }

    /// How many identities have queues.
    var queueCount: Int { queues.count }

    /// Applies the policy and the timing of an effect that is about to begin.
    ///
    /// - Parameters:
    ///   - node: What it is a part of; nil if it is all.
    ///   - registry: What else is on hand.
    ///   - cancelled: Work whose tasks have to be cancelled for it is appended here.
    /// - Returns: whether it may begin, perhaps after what it has been given to wait for.
    mutating func admit(
        _ job: EffectJob,
        in node: EffectNode?,
        _ registry: inout EffectRegistry,
        cancelling cancelled: inout [EffectHandle]
    ) -> Bool {
        guard let id = job.id else { return true }
        // These run, or it would not begin. Their time and their places are its own as well.
        let groups = node?.groups(of: id, at: job.path) ?? []
        if let timing = job.timing, !admit(job, id, timing, besides: groups, &registry, &cancelled) { return false }
        switch job.policy.kind {
        case .concurrent:
            break
        case .cancelInFlight:
            let last = node?.lastNumber ?? job.lastMember
            cancelled += registry.cancel(id, at: job.path, except: job.number...last, besides: groups)
        case .ignoreIfRunning:
            return registry.running(id, at: job.path, besides: groups).isEmpty
        case .oldest(let limit):
            return registry.runningWholes(id, at: job.path, besides: groups).count < limit
        case .newest(let limit):
            let running = registry.runningWholes(id, at: job.path, besides: groups).sorted { $0.number < $1.number }
            for handle in running.dropLast(limit - 1) { cancelled += registry.cancel(handle) }
        case .queue(let limit):
            // In a group that has a place it would wait for its own end.
            if groups.contains(where: \.holdsSlot) { break }
            queues[EffectKey(path: job.path, id: id), default: EffectQueue()].enter(job, limit: limit)
        }
        return true
    }

    /// Takes note that an effect has ended, or will not begin.
    ///
    /// - Returns: Others that may begin now, whose waits are to be ended.
    mutating func leave(_ job: EffectJob) -> [EffectJob] {
        guard let key = job.key else { return [] }
        if job.isThrottled, throttles[key]?.waiting === job { throttles[key]?.settle() }
        let admitted = queues[key]?.leave(job) ?? []
        if queues[key]?.isEmpty == true { queues[key] = nil }
        return admitted
    }

    /// Forgets the intervals of children that have gone, so that those in their places begin anew; unless detached work
    /// waits for the end of one.
    ///
    /// - Complexity: O(*n*) with *n* throttles.
    mutating func forgetThrottles(of cancellation: EffectCancellation) {
        if throttles.isEmpty || cancellation.sparesWork { return }
        let gone = throttles.filter { key, throttle in
            if let job = throttle.waiting, job.isDetached, job.isWaiting { return false }
            return !key.path.isEmpty && cancellation.covers(key.path)
        }
        for key in gone.keys { throttles[key] = nil }
    }

    private mutating func admit(
        _ job: EffectJob,
        _ id: EffectID,
        _ timing: EffectTiming,
        besides groups: [EffectJob],
        _ registry: inout EffectRegistry,
        _ cancelled: inout [EffectHandle]
    ) -> Bool {
        switch timing.kind {
        case .debounce(let maxWait):
            let waiting = registry.running(id, at: job.path, besides: groups).filter(\.waitsForItsTime)
            let burst = waiting.lazy.compactMap { ($0 as? EffectJob)?.burst }.first
            cancelled += waiting.filter { registry.cancelIfWaiting($0) }
            let rest = maxWait.map { $0 - (burst?.elapsed() ?? .zero) }
            // At once and in this turn, because those that wait can always be asked for once more before they begin.
            if burst != nil, let rest, rest <= .zero { return true }
            job.burst = burst ?? timing.stopwatch()
            job.wait = .time(min(timing.interval, max(.zero, rest ?? timing.interval)), timing.clock)
            return true
        case .throttle(let latest):
            // The interval began with the group.
            if groups.contains(where: \.isThrottled) { return true }
            let key = EffectKey(path: job.path, id: id)
            // It gives way before anything is decided, because it has not begun then, even if its time has come.
            if latest, let waiting = throttles[key]?.waiting, registry.cancelIfWaiting(waiting) {
                cancelled.append(waiting)
            }
            throttles[key]?.settle()
            // It is about to begin, however late that is.
            if !latest, throttles[key]?.waiting != nil { return false }
            let beginning = throttles[key]?.window.admit(interval: timing.interval, latest: latest)
            switch beginning {
            case nil:
                sweepThrottles()
                throttles[key] = Throttle(window: ThrottleWindow(timing), interval: timing.interval)
                return true
            case .now:
                return true
            case .never:
                return false
            case .after(let wait):
                let running = registry.running(id, at: job.path, besides: groups)
                cancelled += running.filter { $0.waitsForItsTime && registry.cancelIfWaiting($0) }
                job.wait = .time(wait, timing.clock)
                // So that its end is noted here.
                job.isQueued = true
                throttles[key]?.waiting = job
                return true
            }
        }
    }

    /// Forgets throttles whose intervals are over, when there are twice as many as were left the last time.
    private mutating func sweepThrottles() {
        guard throttles.count >= throttlesToSweepAt else { return }
        throttles = throttles.filter { $1.waiting != nil || !$1.window.isOver(interval: $1.interval) }
        throttlesToSweepAt = max(32, throttles.count * 2)
    }
}
