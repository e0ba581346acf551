@testable import ReplicationWorkload

/// The operations and observations of processes with stores: a plain value. Times are nanoseconds of one clock.
struct History: Sendable {
    /// The next action of a writer, whose numbers are 1, 2, 3 and so on.
    struct Dispatch: Sendable, Equatable {
        let process: String
        let writer: String
        let number: Int
        let begin: UInt64
        /// The time of its acknowledgement; nil without one.
        var end: UInt64?
        /// The revision of its reduction, if it was requested.
        var point: StatePoint?
        /// Whether it owes an operation.
        var isOwing = false
    }

    /// A read state, which must not be older than what was acknowledged before the read began.
    struct Read: Sendable, Equatable {
        let process: String
        let begin: UInt64
        let end: UInt64
        let point: StatePoint
    }

    /// A server that has come back without the end of its log.
    struct Loss: Sendable, Equatable {
        /// The last time whose data it kept.
        let mark: UInt64
        /// The time of its kill.
        let kill: UInt64
        /// The time of its restart.
        let restart: UInt64
    }

    /// The final state of all processes.
    struct Outcome: Sendable, Equatable {
        var newest: [String: Int]
        var disorders: [String]
        var point: StatePoint
        /// The number of owed operations.
        var owed: Int
    }

    var dispatches: [Dispatch] = []
    var reads: [Read] = []
    /// In their order.
    var losses: [Loss] = []
    /// The holders of the lease with each token.
    var holders: [UInt64: Set<String>] = [:]
    /// The number of times that each owed operation was done.
    var done: [String: Int] = [:]
    /// Invalid lines.
    var unreadable: [String] = []

    init() {}

    /// Adds the output of a process.
    mutating func add(_ lines: [String], of process: String) {
        // Each writer has one dispatch at a time.
        var open: [Substring: Int] = [:]
        for line in lines where !add(line.split(separator: " "), of: process, &open) { unreadable.append(line) }
    }

    private mutating func add(_ words: [Substring], of process: String, _ open: inout [Substring: Int]) -> Bool {
        switch words.first {
        case "begin" where words.count >= 4:
            guard let begin = UInt64(words[1]), let number = Int(words[3]) else { return false }
            open[words[2]] = dispatches.count
            dispatches.append(
                Dispatch(
                    process: process,
                    writer: String(words[2]),
                    number: number,
                    begin: begin,
                    isOwing: words.last == "owing"
                )
            )
        case "end" where words.count >= 4:
            guard let end = UInt64(words[1]), let number = Int(words[3]), let index = open[words[2]],
                dispatches[index].number == number
            else { return false }
            dispatches[index].end = end
            if words.count >= 6 {
                guard let point = Self.point(words[4], words[5]) else { return false }
                dispatches[index].point = point
            }
        case "read":
            guard words.count == 5, let begin = UInt64(words[1]), let end = UInt64(words[2]),
                let point = Self.point(words[3], words[4])
            else { return false }
            reads.append(Read(process: process, begin: begin, end: end, point: point))
        case "lease":
            guard words.count == 3, let token = UInt64(words[1]) else { return false }
            holders[token, default: []].insert(String(words[2]))
        case "did":
            guard words.count == 3 else { return false }
            done[String(words[1]), default: 0] += 1
        case "joined", "unknown", "reopening", "stopped", "idle", "state", "failed:": break
        default: return false
        }
        return true
    }

    private static func point(_ revision: Substring, _ digest: Substring) -> StatePoint? {
        guard let revision = UInt64(revision), let digest = UInt64(digest) else { return nil }
        return StatePoint(revision: revision, digest: digest)
    }

    /// The number of acknowledged actions.
    var acknowledged: Int { dispatches.count { $0.end != nil } }
}

extension History.Outcome {
    init(_ state: Tally.State) {
        self.init(
            newest: state.newest,
            disorders: state.disorders,
            point: state.point,
            owed: state.owed.count + state.reminders.count
        )
    }
}
