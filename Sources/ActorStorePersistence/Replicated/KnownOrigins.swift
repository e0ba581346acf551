/// The newest entries of those who have written lately, by which it shows whether a log still has what was read from it:
/// a plain value.
///
/// The last entry alone does not tell in each case. A log that has lost its end can have got another one that ends with
/// the same entry, because its writer had no answer and has sent it again; and the last entry may have been deleted
/// behind a snapshot of what others have made of the log meanwhile.
struct KnownOrigins: Sendable {
    /// How many are kept.
    static var limit: Int { 16 }

    /// One for each origin, the newest last.
    private(set) var points: [ActionLogPoint] = []

    /// Takes note of the next entry.
    mutating func note(_ point: ActionLogPoint) {
        guard let origin = point.identity?.origin else { return }
        if let last = points.last, last.identity?.origin == origin {
            points[points.count - 1] = point
            return
        }
        points.removeAll { $0.identity?.origin == origin }
        points.append(point)
        if points.count > Self.limit { points.removeFirst() }
    }

    /// Forgets all of them, because the next entries come after ones that were not read.
    mutating func reset() { points = [] }
}
