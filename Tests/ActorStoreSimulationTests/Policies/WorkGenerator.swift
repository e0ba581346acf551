import ActorStore
import ActorStoreSimulation

/// Makes random effects. Their times are few, so that many events are simultaneous.
struct WorkGenerator {
    private var numbers: SimulationGenerator
    private var lastIndex = 0

    /// - Returns: A request.
    static func request(using numbers: inout SimulationGenerator) -> WorkRequest {
        var generator = WorkGenerator(numbers: numbers)
        defer { numbers = generator.numbers }
        return generator.request(isOutermost: true)
    }

    /// - Returns: An operation that is requested repeatedly: debounced, or throttled, with one identity for each.
    static func repeatedRequest(using numbers: inout SimulationGenerator) -> WorkRequest {
        var generator = WorkGenerator(numbers: numbers)
        defer { numbers = generator.numbers }
        var piece = generator.plainPiece(isTimer: false)
        piece.terms = generator.chance(0.6) ? generator.debounce(.integer) : generator.throttle(.byte)
        return WorkRequest(work: .piece(piece))
    }

    private init(numbers: SimulationGenerator) { self.numbers = numbers }

    private mutating func index() -> Int {
        lastIndex += 1
        return lastIndex
    }

    private mutating func chance(_ probability: Double) -> Bool { numbers.chance(probability) }

    private mutating func request(isOutermost: Bool) -> WorkRequest {
        let work = isOutermost ? work(depth: 0, queue: -1) : work(depth: 3, queue: -1)
        return WorkRequest(work: work, isDetached: chance(0.15))
    }

    /// - Parameter queue: The highest identity of a queue in which the surroundings have a place. The content waits in
    ///   that one, where it has a place already, and in higher ones only, because mutual waits never end.
    private mutating func work(depth: Int, queue: Int, isLimited: Bool = false) -> Work {
        switch numbers.number(below: depth < 3 ? 20 : 10) {
        case 0...6: return .piece(piece(queue))
        case 7: return .send(index: index(), next: depth == 0 ? next() : nil)
        case 8, 9: return .cancel(index: index(), numbers.element(of: WorkKey.allCases))
        case 10, 11: return .merge(parts(depth, queue, isLimited))
        case 12, 13: return .concatenate(parts(depth, queue, isLimited))
        case 14, 15, 16: return group(depth, queue, isLimited)
        case 17:
            return .delayed(index: index(), milliseconds: time(1, 3), parts(depth, queue, isLimited))
        case 18 where !isLimited:
            let tenths = 23 + numbers.number(below: 3) * 50
            let inner = work(depth: depth + 1, queue: queue, isLimited: true)
            return .limited(tenths: tenths, isHandled: chance(0.5), inner)
        default:
            return .cancelledOnShutdown(index: index(), work(depth: depth + 1, queue: queue, isLimited: isLimited))
        }
    }

    /// An operation without any delay follows parts that may have waited: the log does not contain the ends of groups'
    /// waits, but that one.
    private mutating func parts(_ depth: Int, _ queue: Int, _ isLimited: Bool, after first: Work? = nil) -> [Work] {
        var parts = first.map { [$0] } ?? []
        let count = 2 + numbers.number(below: 2)
        while parts.count < count {
            if parts.last?.mayWait == true { parts.append(.piece(plainPiece(isTimer: false))) }
            parts.append(work(depth: depth + 1, queue: queue, isLimited: isLimited))
        }
        return parts
    }

    private mutating func group(_ depth: Int, _ queue: Int, _ isLimited: Bool) -> Work {
        let index = index()
        let terms = terms(queue)
        let inner = terms.policy.isWaitedFor ? max(queue, terms.key.rawValue) : queue
        // For the same reason a group begins with such an operation.
        let parts = parts(depth, inner, isLimited, after: .piece(plainPiece(isTimer: false)))
        switch numbers.number(below: 4) {
        case 0: return .group(index: index, terms, .merge(parts))
        case 1: return .group(index: index, terms, .delayed(index: self.index(), milliseconds: time(0, 2), parts))
        default: return .group(index: index, terms, .concatenate(parts))
        }
    }

    private mutating func terms(_ queue: Int) -> WorkTerms {
        let key = numbers.element(of: WorkKey.allCases)
        switch numbers.number(below: 14) {
        case 0: return WorkTerms(key: key)
        case 1, 2: return WorkTerms(key: key, policy: .cancelInFlight)
        case 3: return WorkTerms(key: key, policy: .ignoreIfRunning)
        case 4: return WorkTerms(key: key, policy: .newest(1 + numbers.number(below: 2)))
        case 5: return WorkTerms(key: key, policy: .oldest(1 + numbers.number(below: 2), overflow: .drop))
        case 6, 7, 8:
            if key.rawValue < queue { return WorkTerms(key: key) }
            let limit = 1 + numbers.number(below: 2)
            return WorkTerms(key: key, policy: .oldest(limit, overflow: .suspend))
        case 9, 10, 11: return debounce(key)
        default: return throttle(key)
        }
    }

    private mutating func debounce(_ key: WorkKey) -> WorkTerms {
        let maxWait: Int? = chance(0.7) ? time(1, 4) : nil
        return WorkTerms(
            key: key,
            policy: chance(0.3) ? .cancelInFlight : .concurrent,
            timing: .debounce(milliseconds: time(1, 3), maxWait: maxWait)
        )
    }

    private mutating func throttle(_ key: WorkKey) -> WorkTerms {
        WorkTerms(key: key, timing: .throttle(milliseconds: time(1, 4), latest: chance(0.7)))
    }

    private mutating func piece(_ queue: Int) -> WorkPiece {
        var piece = plainPiece()
        if chance(0.7) { piece.terms = terms(queue) }
        return piece
    }

    private mutating func plainPiece(isTimer: Bool? = nil) -> WorkPiece {
        var piece = WorkPiece(index: index(), terms: nil, body: .timer(milliseconds: time(1, 2)))
        var wrappers: [WorkPiece.Wrapper] = []
        if chance(0.2) { wrappers.append(.delay(milliseconds: time(0, 2))) }
        if chance(0.2) {
            wrappers.append(.limit(tenths: 25 + numbers.number(below: 4) * 50, isHandled: chance(0.5)))
        }
        let isRetried = chance(0.3)
        if isRetried { wrappers.append(.retry(attempts: 2 + numbers.number(below: 2), pause: time(0, 2))) }
        for index in wrappers.indices { wrappers.swapAt(index, numbers.number(below: wrappers.count)) }
        piece.wrappers = wrappers
        if !(isTimer ?? chance(0.1)) {
            let beats = (0..<1 + numbers.number(below: 2)).map { _ in
                WorkPiece.Beat(
                    pause: time(0, 2),
                    isAwaited: chance(0.3),
                    next: isRetried || !chance(0.15) ? nil : next()
                )
            }
            let failures = chance(isRetried ? 0.8 : 0.2) ? 1 + numbers.number(below: 2) : 0
            piece.body = .script(beats, failures: failures, isCaught: chance(0.6))
        }
        return piece
    }

    private mutating func next() -> WorkRequest? {
        lastIndex < 40 && chance(0.5) ? request(isOutermost: false) : nil
    }

    /// One of some multiples of five.
    private mutating func time(_ least: Int, _ most: Int) -> Int {
        5 * (least + numbers.number(below: most - least + 1))
    }
}

extension EffectPolicy {
    fileprivate var isWaitedFor: Bool {
        (1...2).contains { self == .oldest($0, overflow: .suspend) }
    }
}

extension Work {
    /// Whether it is, or contains, a group that may have to wait.
    fileprivate var mayWait: Bool {
        switch self {
        case .piece, .send, .cancel: false
        case .group(_, let terms, let inner): terms.timing != nil || terms.policy.isWaitedFor || inner.mayWait
        case .merge(let parts), .concatenate(let parts), .delayed(_, _, let parts): parts.contains(where: \.mayWait)
        case .limited(_, _, let inner), .cancelledOnShutdown(_, let inner): inner.mayWait
        }
    }
}
