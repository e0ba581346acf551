/// Runs a closure with a connection, and runs it again with a new one if a connection that was in use before is broken.
/// That says nothing about the log: servers and firewalls close idle connections.
///
/// - Parameters:
///   - wasConnected: Whether the first connection existed before.
///   - disconnect: Drops the connection.
///   - body: Uses the existing connection, or a new one.
func askAgain<Answer>(
    ifConnected wasConnected: Bool,
    disconnect: () -> Void,
    _ body: () throws(ActionLogError) -> Answer
) throws(ActionLogError) -> Answer {
    var mayAskAgain = wasConnected
    while true {
        do throws(ActionLogError) {
            return try body()
        } catch {
            guard error.code == .disconnected else { throw error }
            disconnect()
            guard mayAskAgain else { throw error }
            mayAskAgain = false
        }
    }
}

extension ActionLogConnection {
    /// Renews a lease through a new connection: a lease on a file ends with the connection that renewed it last. The
    /// next append or renewal reports whether it was lost.
    func renew(_ lease: ActionLogLease, for duration: Duration) {
        _ = try? claim(LeaseClaim(renewing: lease, for: duration))
    }
}

extension ActionLog {
    /// Releases a lease, through a new connection if the existing one is broken or interrupted. Otherwise the next
    /// holder would have to wait until the lease ends.
    func release(_ lease: ActionLogLease, by connection: (any ActionLogConnection)? = nil) {
        if let connection, (try? connection.release(lease)) != nil { return }
        try? connect().release(lease)
    }
}
