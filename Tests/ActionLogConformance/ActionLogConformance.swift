import ActorStorePersistence
import Foundation

/// Something that every engine of an ``ActionLog`` has to do, tried on an empty log.
public struct ConformanceCheck: Sendable, CustomStringConvertible {
    /// The sentence that a failure contradicts.
    public let description: String
    /// Whether it needs a log that can lose its end.
    public let needsLoss: Bool
    private let body: @Sendable (LogLaboratory) throws -> Void

    init(_ description: String, needsLoss: Bool = false, _ body: @escaping @Sendable (LogLaboratory) throws -> Void) {
        self.description = description
        self.needsLoss = needsLoss
        self.body = body
    }

    /// Tries it.
    ///
    /// - Throws: A ``ConformanceFailure`` if the log does something else.
    public func run(in laboratory: LogLaboratory) throws { try body(laboratory) }

    /// All of them.
    public static let all: [ConformanceCheck] = entries + conditions + snapshots + leases + sequences
}

/// What a log did instead.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// What it did, and what it should have done.
    public let description: String
}

/// Fails unless two values are the same.
func expect<Value: Equatable>(_ value: Value, is expected: Value, _ what: String) throws {
    if value != expected { throw ConformanceFailure(description: "\(what): \(value), and not \(expected)") }
}

/// Fails unless a closure throws an error with one of some codes.
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

/// Entries of an origin with some numbers, each with a payload of its own.
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
