import Foundation

/// The baseline of a replicated store: the database's own means to notify other processes of writes.
protocol SignalFeed: Sendable {
    /// Creates the written stream, once for all writers and followers.
    func create() throws

    /// Begins writing.
    func beginPublishing() throws

    /// Writes bytes, which are on the disk when it returns, and notifies the followers.
    func publish(_ bytes: Data) throws

    /// Begins following: later writes are seen.
    func beginFollowing() throws

    /// Calls a closure with each write, without end.
    func follow(_ body: (Data) throws -> Void) throws
}
