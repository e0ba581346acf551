/// What replicas say about a log that has lost its end.
extension ActionLogError {
    /// The log does not have what a replica has appended.
    static func lostOwn(of origin: String, from first: UInt64, through last: UInt64, in log: String) -> ActionLogError {
        ActionLogError(
            .lostEntries,
            in: log,
            """
            The log has lost what it had acknowledged: entries \(first) to \(last) of \(origin), and what came after \
            the first of them. Open the replicas anew to go on with what it has.
            """
        )
    }

    /// The log does not have what a barrier waits for.
    static func lost(_ positions: ClosedRange<UInt64>, in log: String) -> ActionLogError {
        ActionLogError(
            .lostEntries,
            in: log,
            at: positions.upperBound,
            """
            The log has lost entries that it had when this barrier began, those from \(positions.lowerBound) to \
            \(positions.upperBound), before this replica could read them. Ask again to wait for what the log has.
            """
        )
    }

    /// The log does not have what a replica has reduced.
    static func lost(_ last: UInt64, after end: UInt64, in log: String) -> ActionLogError {
        ActionLogError(
            .lostEntries,
            in: log,
            at: last,
            """
            The log has lost entries that it had acknowledged and that this replica has reduced: it ends at \(end), and \
            does not have the entry that was at \(last). Open the replica anew to go on with what the log has; this \
            one's state can be read until then.
            """
        )
    }
}
