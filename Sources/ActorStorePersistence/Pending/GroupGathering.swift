/// How long the writer waits for more entries before it takes the next group: a plain value.
///
/// The tasks whose wait a group has ended mostly dispatch again at once. A writer that begins with the first of them
/// leaves the others to the group after that, so that every other group has one entry, and each task waits for two
/// groups. So it waits as long as more entries come, until there are as many as tasks that it has released, and at most
/// half as long as the last group has taken: whoever comes alone never waits.
struct GroupGathering {
    /// How long to sleep between two looks.
    static let step = Duration.microseconds(50)
    /// However long the last group has taken.
    private static let limit = Duration.milliseconds(10)

    private let expected: Int
    private let end: Duration
    private var seen: Int?

    /// - Parameters:
    ///   - released: How many tasks the last group has released.
    ///   - duration: How long it has taken.
    init(released: Int, lastGroup duration: Duration) {
        expected = released
        end = min(duration / 2, Self.limit)
    }

    /// Whether to look again after another step.
    ///
    /// - Parameters:
    ///   - count: How many entries are there to be taken.
    ///   - elapsed: How long the writer has waited.
    mutating func goesOn(with count: Int, after elapsed: Duration) -> Bool {
        defer { seen = count }
        // One that comes back finds the writer asleep, and wakes it.
        guard expected > 1, count < expected, elapsed + Self.step <= end else { return false }
        return seen.map { count > $0 } ?? true
    }
}
