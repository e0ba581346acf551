/// Asks a log by a connection, and once more by another one if the connection has broken off since it was used, which says
/// nothing about the log: servers and firewalls close connections that are idle.
///
/// - Parameters:
///   - wasConnected: Whether the first connection was made before.
///   - disconnect: Drops the connection.
///   - body: Asks the log by the connection that there is, or by a new one.
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
