/// The newest entries of recent writers, which show whether a log still has the entries that were read from it: a plain
/// value.
///
/// The last entry alone is not always sufficient. A log that has lost its end can have a new end with the same last
/// entry, because its writer received no answer and has sent it again. The last entry may also have been deleted behind
/// a snapshot of what other replicas have appended meanwhile.
struct KnownOrigins: Sendable {
    /// The maximum number of entries.
    static var limit: Int { 16 }

    /// One entry per origin, the newest last.
    private(set) var points: [ActionLogPoint] = []

    /// Records the next entry.
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

    /// Removes all entries, because the next ones follow entries that were not read.
    mutating func reset() { points = [] }
}
