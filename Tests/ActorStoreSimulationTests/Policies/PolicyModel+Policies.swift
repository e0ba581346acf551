@testable import ActorStore

/// The documented decisions of policies, debounces and throttles about a beginning.
extension PolicyModel {
    /// Begins something, makes it wait, or drops it.
    ///
    /// - Returns: Whether it begins or waits.
    mutating func admit(_ node: WorkNode) -> Bool {
        guard let identity = node.identity, let terms = node.terms else {
            node.phase = .runs(since: now)
            return true
        }
        let around = node.groups.filter { $0.identity == identity }
        var due: Duration?
        switch terms.timing {
        case nil: break
        case .debounce(let interval, let maxWait):
            due = debounce(node, identity, around, .milliseconds(interval), maxWait.map { .milliseconds($0) })
        case .throttle(let interval, let latest):
            if around.contains(where: \.isThrottled) { break }
            switch throttle(node, identity, around, .milliseconds(interval), latest) {
            case .never: return false
            case .now: break
            case .later(let time): due = time
            }
        }
        node.phase = due.map { .waits(until: $0) } ?? .runs(since: now)
        return apply(terms.policy, to: node, identity, around)
    }

    private mutating func apply(
        _ policy: EffectPolicy,
        to node: WorkNode,
        _ identity: Identity,
        _ around: [WorkNode]
    ) -> Bool {
        let others = sharing(identity, besides: node, around).filter(\.counts)
        // A group counts once, with all of its parts.
        let wholes = others.filter { other in
            !other.groups.contains { group in others.contains { $0 === group } }
        }
        switch policy.kind {
        case .concurrent: break
        case .cancelInFlight: cancel(identity.key, at: identity.place, for: node)
        case .ignoreIfRunning: return others.isEmpty
        case .oldest(let limit): return wholes.count < limit
        case .newest(let limit):
            for other in wholes.sorted(by: { $0.isOlder(than: $1) }).dropLast(limit - 1) { cancel(other) }
        case .queue(let limit):
            let queue = queues[identity, default: Queue()]
            if around.contains(where: { group in queue.running.contains { $0 === group } }) { break }
            queues[identity, default: Queue()].enter(node, limit: limit)
        }
        return true
    }

    private func sharing(_ identity: Identity, besides node: WorkNode, _ around: [WorkNode]) -> [WorkNode] {
        nodes.filter { other in
            other.identity == identity && other !== node && !around.contains { $0 === other }
        }
    }

    // MARK: Debounces and throttles

    /// Cancels those that wait for their time.
    ///
    /// - Returns: The cancelled ones.
    private func supersede(_ identity: Identity, besides node: WorkNode, _ around: [WorkNode]) -> [WorkNode] {
        let waiting = sharing(identity, besides: node, around).filter { other in
            if case .waits = other.phase { !other.isCancelled } else { false }
        }
        for other in waiting { other.isCancelled = true }
        return waiting
    }

    /// - Returns: The time of its beginning; nil for at once.
    private func debounce(
        _ node: WorkNode,
        _ identity: Identity,
        _ around: [WorkNode],
        _ interval: Duration,
        _ maxWait: Duration?
    ) -> Duration? {
        let burst = supersede(identity, besides: node, around).compactMap(\.burst).first
        if let burst, let maxWait, burst + maxWait <= now { return nil }
        let start = burst ?? now
        node.burst = start
        return min(now + interval, maxWait.map { start + $0 } ?? now + interval)
    }

    private enum Beginning { case now, later(Duration), never }

    private mutating func throttle(
        _ node: WorkNode,
        _ identity: Identity,
        _ around: [WorkNode],
        _ interval: Duration,
        _ latest: Bool
    ) -> Beginning {
        var throttle = throttles[identity] ?? Throttle()
        defer { throttles[identity] = throttle }
        throttle.settle()
        if let waiting = throttle.waiting, case .throttle(let own, _)? = waiting.terms?.timing {
            // A waiting one is replaced by one that takes the latest, and by one that begins now, unless its own time
            // has come.
            let givesWay = latest || now >= throttle.start + interval && now < throttle.start + .milliseconds(own)
            guard givesWay else {
                throttle.longest = max(throttle.longest, interval)
                return .never
            }
            waiting.isCancelled = true
            throttle.waiting = nil
        }
        if throttle.isForgotten(at: now) {
            throttle = Throttle(start: now, longest: interval)
            return .now
        }
        throttle.longest = max(throttle.longest, interval)
        if now >= throttle.start + interval {
            throttle.start = now
            return .now
        }
        if !latest { return .never }
        _ = supersede(identity, besides: node, around)
        throttle.waiting = node
        return .later(throttle.start + interval)
    }

    /// The interval of an identity.
    struct Throttle {
        /// When the last effect began.
        var start = Duration.zero
        /// The longest requested interval; nil if nothing has begun yet.
        var longest = Duration.zero
        var waiting: WorkNode?

        func isForgotten(at now: Duration) -> Bool { now >= start + longest }

        /// Counts from the beginning of the one that waited.
        mutating func settle() {
            guard let node = waiting else { return }
            if let opening = node.opening {
                start = opening
            } else if !node.isCancelled {
                return
            }
            waiting = nil
        }
    }

    // MARK: Queues

    struct Queue {
        fileprivate(set) var running: [WorkNode] = []
        fileprivate(set) var waiting: [WorkNode] = []

        mutating func enter(_ node: WorkNode, limit: Int) {
            if running.count < limit, waiting.isEmpty {
                running.append(node)
            } else {
                node.phase = .queued
                waiting.append(node)
            }
        }

        mutating func leave(_ node: WorkNode, at now: Duration) {
            running.removeAll { $0 === node }
            waiting.removeAll { $0 === node }
            while let next = waiting.first, running.count < next.terms?.policy.queueLimit ?? 0 {
                running.append(waiting.removeFirst())
                next.phase = .runs(since: now)
            }
        }
    }
}

extension WorkNode {
    fileprivate var isThrottled: Bool { if case .throttle? = terms?.timing { true } else { false } }

    fileprivate func isOlder(than other: WorkNode) -> Bool {
        whole === other.whole ? order < other.order : whole.turn < other.whole.turn
    }
}
