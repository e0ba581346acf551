import ActorStorePersistence
import Foundation

/// An engine that is checked, with what a check may do to it from outside.
public struct LogLaboratory: Sendable {
    /// The log, which is empty.
    public let log: any ActionLog
    /// Has the log lose what came after a position, as a server does that comes back without its newest entries; nil if
    /// that cannot be done to it.
    public let loseEnd: (@Sendable (_ position: UInt64) throws -> Void)?
    /// Lets time pass, by which leases end.
    public let sleep: @Sendable (Duration) throws -> Void

    /// Puts an engine into a laboratory.
    public init(
        _ log: any ActionLog,
        loseEnd: (@Sendable (UInt64) throws -> Void)? = nil,
        sleep: @escaping @Sendable (Duration) throws -> Void
    ) {
        self.log = log
        self.loseEnd = loseEnd
        self.sleep = sleep
    }
}
