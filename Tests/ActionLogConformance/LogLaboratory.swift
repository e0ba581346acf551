import ActorStorePersistence
import Foundation

/// An engine under test, with the means of a check to affect it from outside.
public struct LogLaboratory: Sendable {
    /// The empty log.
    public let log: any ActionLog
    /// Makes the log lose its entries after a position, like a server that comes back without its newest entries; nil
    /// if that is impossible.
    public let loseEnd: (@Sendable (_ position: UInt64) throws -> Void)?
    /// Lets time pass, so that leases expire.
    public let sleep: @Sendable (Duration) throws -> Void

    /// Creates a laboratory for an engine.
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
