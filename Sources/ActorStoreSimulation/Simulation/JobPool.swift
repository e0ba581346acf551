/// The jobs that could run next, in no particular order.
///
/// A plain value; ``SimulationExecutor`` has the lock around it.
struct JobPool<Job> {
    /// The moments at which a job may run.
    enum Moment {
        case any
        /// Not in the middle of another job.
        case outermost
        /// When no other job can run.
        case quiet
    }

    /// A job with its conditions.
    struct Entry {
        let job: Job
        /// The serial executor on which it must run, if it must not overlap with other jobs of that executor.
        var domain: ObjectIdentifier?
        var moment = Moment.any
    }

    private var entries: [Entry] = []
    /// The jobs that wait until the others have run. When one of them runs, its continuations count as others.
    private var patient: [Entry] = []

    var isEmpty: Bool { entries.isEmpty && patient.isEmpty }

    mutating func add(_ entry: Entry) {
        if entry.moment == .quiet { patient.append(entry) } else { entries.append(entry) }
    }

    /// Removes and returns a job that may run now.
    ///
    /// - Parameters:
    ///   - depth: The number of interrupted jobs.
    ///   - busy: The serial executors of the interrupted jobs.
    ///   - generator: Decides which job.
    /// - Returns: The job, its number among the jobs that may run, and their number; nil if no job may run.
    mutating func take(
        depth: Int,
        busy: [ObjectIdentifier],
        using generator: inout SimulationGenerator
    ) -> (entry: Entry, choice: Int, count: Int)? {
        guard depth > 0 else {
            // One at a time: the jobs that it starts precede the other waiting ones.
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

    /// Removes and returns all jobs.
    mutating func takeAll() -> [Entry] {
        defer { (entries, patient) = ([], []) }
        return entries + patient
    }

    /// Moves the last job to the index of the removed one: the order does not matter, as long as it is the same each
    /// time.
    private static func remove(at index: Int, from entries: inout [Entry]) -> Entry {
        entries.swapAt(index, entries.count - 1)
        return entries.removeLast()
    }
}
