/// The jobs that could run next, in no particular order.
///
/// A plain value; ``SimulationExecutor`` has the lock around it.
struct JobPool<Job> {
    /// When something may run.
    enum Moment {
        case any
        /// Not in the middle of another job.
        case outermost
        /// When there is nothing else to run.
        case quiet
    }

    /// Something to run.
    struct Entry {
        let job: Job
        /// The serial executor on which it has to run, if it must not run beside others of the same one.
        var domain: ObjectIdentifier?
        var moment = Moment.any
    }

    private var entries: [Entry] = []
    /// Those that wait until the others have run, each of which counts as one of the others when it goes on.
    private var patient: [Entry] = []

    var isEmpty: Bool { entries.isEmpty && patient.isEmpty }

    mutating func add(_ entry: Entry) {
        if entry.moment == .quiet { patient.append(entry) } else { entries.append(entry) }
    }

    /// Takes a job out that may run now.
    ///
    /// - Parameters:
    ///   - depth: How many jobs are being interrupted.
    ///   - busy: The serial executors of those.
    ///   - generator: Decides which one.
    /// - Returns: the job, which of those that may run it is, and how many they are; nil if there is none.
    mutating func take(
        depth: Int,
        busy: [ObjectIdentifier],
        using generator: inout SimulationGenerator
    ) -> (entry: Entry, choice: Int, count: Int)? {
        guard depth > 0 else {
            // One at a time: what it starts comes before the others that are patient.
            let source = entries.isEmpty ? \Self.patient : \Self.entries
            let count = self[keyPath: source].count
            guard count > 0 else { return nil }
            let choice = generator.number(below: count)
            return (Self.remove(at: choice, from: &self[keyPath: source]), choice, count)
        }
        let eligible = entries.indices.filter { index in
            let entry = entries[index]
            return entry.moment == .any && entry.domain.map { !busy.contains($0) } ?? true
        }
        guard !eligible.isEmpty else { return nil }
        let choice = generator.number(below: eligible.count)
        return (Self.remove(at: eligible[choice], from: &entries), choice, eligible.count)
    }

    /// Takes all jobs out.
    mutating func takeAll() -> [Entry] {
        defer { (entries, patient) = ([], []) }
        return entries + patient
    }

    /// By putting the last one in its place: the order does not matter, as long as it is the same each time.
    private static func remove(at index: Int, from entries: inout [Entry]) -> Entry {
        entries.swapAt(index, entries.count - 1)
        return entries.removeLast()
    }
}
