/// The rule for how long the writer waits for more entries before it takes the next group: a plain value.
///
/// Tasks whose wait a group has ended mostly dispatch again at once. A writer that takes the first of their entries
/// leaves the others to the next group, so that every other group has one entry, and each task waits for two groups. So
/// the writer waits while more entries arrive, until their number reaches that of the resumed tasks, and at most half
/// as long as the last group took. It does not wait for a single task, nor after a group of less than a millisecond:
/// with such a log, tasks run while the writer writes, and another group costs no more than the wait.
struct GroupGathering {
    /// The interval between two checks.
    static let step = Duration.microseconds(50)
    /// The duration of a group from which a wait for the next one pays.
    private static let leastGroup = Duration.milliseconds(1)
    /// The maximum wait, however long the last group took.
    private static let limit = Duration.milliseconds(10)

    private let expected: Int
    private let end: Duration
    private var seen: Int?

    /// Creates a rule for the next group.
    ///
    /// - Parameters:
    ///   - released: The number of tasks that the last group has resumed.
    ///   - duration: The duration of the last group.
    init(released: Int, lastGroup duration: Duration) {
        expected = released
        end = duration < Self.leastGroup ? .zero : min(duration / 2, Self.limit)
    }

    /// Returns whether to check again after another interval.
    ///
    /// - Parameters:
    ///   - count: The number of entries that can be taken.
    ///   - elapsed: The time that the writer has waited.
    mutating func goesOn(with count: Int, after elapsed: Duration) -> Bool {
        defer { seen = count }
        // A single task finds the writer asleep, and wakes it.
        guard expected > 1, count < expected, elapsed + Self.step <= end else { return false }
        return seen.map { count > $0 } ?? true
    }
}
