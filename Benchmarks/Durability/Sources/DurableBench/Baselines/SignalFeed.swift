import Foundation

/// What stands beside a replicated store: what a database itself offers to tell other processes what was written.
protocol SignalFeed: Sendable {
    /// Makes what is written to, once for all who write or follow.
    func create() throws

    /// Begins to write.
    func beginPublishing() throws

    /// Writes bytes, which are on the disk when it returns, and has the followers come.
    func publish(_ bytes: Data) throws

    /// Begins to follow: what is written from now on is seen.
    func beginFollowing() throws

    /// Calls a closure with what is written, without end.
    func follow(_ body: (Data) throws -> Void) throws
}
