/// The errors of replicas when a log has lost its end.
extension ActionLogError {
    /// The error when the log has lost entries that a replica has appended.
    static func lostOwn(of origin: String, from first: UInt64, through last: UInt64, in log: String) -> ActionLogError {
        ActionLogError(
            .lostEntries,
            in: log,
            """
            The log has lost acknowledged entries: \(first) to \(last) of \(origin), and everything after the first of \
            them. Open the replicas again to continue from what the log has.
            """
        )
    }

    /// The error when the log has lost entries that a barrier waits for.
    static func lost(_ positions: ClosedRange<UInt64>, in log: String) -> ActionLogError {
        ActionLogError(
            .lostEntries,
            in: log,
            at: positions.upperBound,
            """
            The log has lost entries that it had when this barrier began, from \(positions.lowerBound) to \
            \(positions.upperBound), before this replica could read them. Call it again.
            """
        )
    }

    /// The error when the log has lost entries that a replica has reduced.
    static func lost(_ last: UInt64, after end: UInt64, in log: String) -> ActionLogError {
        ActionLogError(
            .lostEntries,
            in: log,
            at: last,
            """
            The log has lost acknowledged entries that this replica has reduced: it ends at \(end), and no longer has \
            the entry at \(last). Open the replica again to continue from what the log has. Until then, this replica's \
            state can be read.
            """
        )
    }
}
