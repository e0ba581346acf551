import ActorStorePersistence
import Foundation

/// A property of every engine of an ``ActionLog``, checked on an empty log.
public struct ConformanceCheck: Sendable, CustomStringConvertible {
    /// The sentence contradicted by a failure.
    public let description: String
    /// Whether it needs a log that can lose its end.
    public let needsLoss: Bool
    private let body: @Sendable (LogLaboratory) throws -> Void

    init(_ description: String, needsLoss: Bool = false, _ body: @escaping @Sendable (LogLaboratory) throws -> Void) {
        self.description = description
        self.needsLoss = needsLoss
        self.body = body
    }

    /// Runs the check.
    ///
    /// - Throws: A ``ConformanceFailure`` if the log violates it.
    public func run(in laboratory: LogLaboratory) throws { try body(laboratory) }

    /// All checks.
    public static let all: [ConformanceCheck] = entries + conditions + snapshots + leases + sequences
}

/// A violation by a log.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The actual and the expected behaviour.
    public let description: String
}

/// Fails unless two values are the same.
func expect<Value: Equatable>(_ value: Value, is expected: Value, _ what: String) throws {
    if value != expected { throw ConformanceFailure(description: "\(what): \(value), and not \(expected)") }
}

/// Fails unless a closure throws an error with one of several codes.
func expect(_ codes: ActionLogError.Code..., from what: String, _ body: () throws -> Void) throws {
    do {
        try body()
    } catch let error as ActionLogError where codes.contains(error.code) {
        return
    } catch {
        throw ConformanceFailure(description: "\(what) threw \(error), and not \(codes)")
    }
    throw ConformanceFailure(description: "\(what) did not throw \(codes)")
}

/// Entries of an origin with the given numbers, each with its own payload.
func group(_ origin: String, _ numbers: ClosedRange<UInt64>) -> [ActionLogEntry] {
    numbers.map { number in
        ActionLogEntry(
            ActionLogEntry.Identity(origin: origin, number: number),
            header: #"{"of":"\#(origin)"}"#,
            payload: Data("\(origin) \(number)".utf8)
        )
    }
}

func identity(_ origin: String, _ number: UInt64) -> ActionLogEntry.Identity {
    ActionLogEntry.Identity(origin: origin, number: number)
}
