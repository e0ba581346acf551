@testable import ReplicationWorkload

/// The violations of a history.
enum HistoryViolation: Error, Hashable, CustomStringConvertible {
    /// An acknowledged action is missing in the last state.
    case lost(writer: String, number: Int, last: Int)
    /// The last state has an action that was never begun, or one behind another of unknown outcome.
    case invented(writer: String, number: Int)
    /// An action came twice, or out of order.
    case disordered(String)
    /// There are two states of one revision.
    case split(revision: UInt64)
    /// A revision is not behind that of an operation that had ended before.
    case stale(process: String, revision: UInt64, known: UInt64, isRead: Bool)
    /// Two processes had a lease with one token.
    case shared(token: UInt64, holders: [String])
    /// An owed operation is still open at the end, or was never done.
    case undone(String)
    /// A line of a process is invalid.
    case unreadable(String)
    /// Nothing was acknowledged, so the history proves nothing.
    case empty

    var description: String {
        switch self {
        case .lost(let writer, let number, let last):
            "\(writer) \(number) was acknowledged, and the last state has \(last) of its actions."
        case .invented(let writer, let number): "The last state has \(writer) \(number), which was not sent."
        case .disordered(let action): "An action came twice, or out of order: \(action)."
        case .split(let revision): "There are two states of revision \(revision)."
        case .stale(let process, let revision, let known, let isRead):
            """
            \(isRead ? "A read" : "An action") of \(process) has revision \(revision), though revision \(known) was known \
            before it began.
            """
        case .shared(let token, let holders): "The token \(token) was given to \(holders.joined(separator: " and "))."
        case .undone(let key): "\(key) was owed, and not done."
        case .unreadable(let line): "A line makes no sense: \(line)"
        case .empty: "Nothing was acknowledged."
        }
    }
}

/// Checks a history for violations: a plain value.
///
/// A loss of a server divides the history into eras, each with its own order. An operation that began before a server
/// was back, and ended after it was killed, can be in either.
struct HistoryChecker {
    private let history: History
    private let outcome: History.Outcome
    private(set) var violations: Set<HistoryViolation> = []

    init(_ history: History, _ outcome: History.Outcome) {
        (self.history, self.outcome) = (history, outcome)
        if history.acknowledged == 0 { violations.insert(.empty) }
        for line in history.unreadable { violations.insert(.unreadable(line)) }
        checkWriters()
        checkPoints()
        checkLeases()
        checkDuties()
    }

    // MARK: The actions of the last state

    private mutating func checkWriters() {
        for action in outcome.disorders { violations.insert(.disordered(action)) }
        var begun: [String: Int] = [:]
        var acknowledged: [String: Int] = [:]
        for dispatch in history.dispatches {
            let writer = dispatch.writer
            begun[writer] = max(begun[writer] ?? 0, dispatch.number)
            guard let end = dispatch.end else { continue }
            acknowledged[writer] = max(acknowledged[writer] ?? 0, dispatch.number)
            let last = outcome.newest[writer] ?? 0
            if dispatch.number > last, !isExcused(from: dispatch.begin, to: end) {
                violations.insert(.lost(writer: writer, number: dispatch.number, last: last))
            }
        }
        for (writer, last) in outcome.newest {
            // A writer has at most one pending action of unknown outcome.
            let most = min(begun[writer] ?? 0, (acknowledged[writer] ?? 0) + 1)
            if last > most { violations.insert(.invented(writer: writer, number: last)) }
        }
    }

    /// Whether a server may have lost what was acknowledged at that time.
    private func isExcused(from begin: UInt64, to end: UInt64) -> Bool {
        history.losses.contains { $0.mark <= end && begin <= $0.restart }
    }

    // MARK: The order of everything

    /// An observation of the state at a time.
    private struct Observation {
        let process: String
        let begin: UInt64
        let end: UInt64
        let point: StatePoint
        let isRead: Bool
    }

    private var observations: [Observation] {
        let reads = history.reads.map {
            Observation(process: $0.process, begin: $0.begin, end: $0.end, point: $0.point, isRead: true)
        }
        return reads
            + history.dispatches.compactMap { dispatch in
                guard let end = dispatch.end, let point = dispatch.point else { return nil }
                return Observation(
                    process: dispatch.process,
                    begin: dispatch.begin,
                    end: end,
                    point: point,
                    isRead: false
                )
            }
    }

    /// The number of losses before an operation; nil if it may be on either side of one.
    private func era(of observation: Observation) -> Int? {
        var era = 0
        for loss in history.losses {
            if observation.begin > loss.restart { era += 1 } else if observation.end >= loss.kill { return nil }
        }
        return era
    }

    private mutating func checkPoints() {
        var eras: [[Observation]] = Array(repeating: [], count: history.losses.count + 1)
        for observation in observations { if let era = era(of: observation) { eras[era].append(observation) } }
        for (era, observations) in eras.enumerated() {
            var digests: [UInt64: UInt64] = [:]
            if era == history.losses.count { digests[outcome.point.revision] = outcome.point.digest }
            for observation in observations { note(observation.point, in: &digests) }
            checkOrder(of: observations)
            guard era == history.losses.count else { continue }
            for observation in observations where observation.point.revision > outcome.point.revision {
                let (process, revision) = (observation.process, outcome.point.revision)
                violations.insert(
                    .stale(process: process, revision: revision, known: observation.point.revision, isRead: true)
                )
            }
        }
    }

    private mutating func note(_ point: StatePoint, in digests: inout [UInt64: UInt64]) {
        if let known = digests.updateValue(point.digest, forKey: point.revision), known != point.digest {
            violations.insert(.split(revision: point.revision))
        }
    }

    /// An operation that begins after the end of another one must follow it: an action comes after it, and a read
    /// includes it.
    private mutating func checkOrder(of observations: [Observation]) {
        let ends = observations.sorted { $0.end < $1.end }
        var (index, known): (Int, UInt64) = (0, 0)
        for observation in observations.sorted(by: { $0.begin < $1.begin }) {
            while index < ends.count, ends[index].end < observation.begin {
                known = max(known, ends[index].point.revision)
                index += 1
            }
            let least = observation.isRead ? known : known + 1
            guard observation.point.revision < least else { continue }
            violations.insert(
                .stale(
                    process: observation.process,
                    revision: observation.point.revision,
                    known: known,
                    isRead: observation.isRead
                )
            )
        }
    }

    // MARK: Leases, and what has to be done

    private mutating func checkLeases() {
        for (token, holders) in history.holders where holders.count > 1 {
            violations.insert(.shared(token: token, holders: holders.sorted()))
        }
    }

    private mutating func checkDuties() {
        if outcome.owed > 0 { violations.insert(.undone("\(outcome.owed) entries")) }
        for dispatch in history.dispatches where dispatch.isOwing {
            let key = "\(dispatch.writer)#\(dispatch.number)"
            guard (outcome.newest[dispatch.writer] ?? 0) >= dispatch.number, history.done[key] == nil else { continue }
            violations.insert(.undone(key))
        }
    }
}
