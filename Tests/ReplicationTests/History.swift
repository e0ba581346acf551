@testable import ReplicationWorkload

/// What processes with stores have done, and have seen: a plain value. Times are nanoseconds of one clock.
struct History: Sendable {
    /// The next action of a writer, whose numbers are 1, 2, 3 and so on.
    struct Dispatch: Sendable, Equatable {
        let process: String
        let writer: String
        let number: Int
        let begin: UInt64
        /// When it was acknowledged; nil if it never was.
        var end: UInt64?
        /// Where it was reduced, if it was asked for that.
        var point: StatePoint?
        /// Whether something has to be done for it.
        var isOwing = false
    }

    /// A state that was read, and that must not be older than what was acknowledged before the read began.
    struct Read: Sendable, Equatable {
        let process: String
        let begin: UInt64
        let end: UInt64
        let point: StatePoint
    }

    /// A server that has come back without the end of its log.
    struct Loss: Sendable, Equatable {
        /// When it still kept what it has now.
        let mark: UInt64
        /// When it was killed.
        let kill: UInt64
        /// When it was started again.
        let restart: UInt64
    }

    /// What all processes have had at the end.
    struct Outcome: Sendable, Equatable {
        var newest: [String: Int]
        var disorders: [String]
        var point: StatePoint
        /// How many things are still owed.
        var owed: Int
    }

    var dispatches: [Dispatch] = []
    var reads: [Read] = []
    /// In their order.
    var losses: [Loss] = []
    /// Who has had the lease with each token.
    var holders: [UInt64: Set<String>] = [:]
    /// How often something that was owed has been done.
    var done: [String: Int] = [:]
    /// Lines that make no sense.
    var unreadable: [String] = []

    init() {}

    /// Adds what a process has printed.
    mutating func add(_ lines: [String], of process: String) {
        // Of each writer there is one dispatch at a time.
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

    /// How many actions were acknowledged.
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
