import ActorStore
import ActorStoreComposition

/// A clock that a test does not expect to be used: an issue is reported when it is, which fails a test that has a
/// ``TestStore``.
///
/// ```swift
/// static let testValue: any Clock<Duration> = UnimplementedClock()
/// ```
public struct UnimplementedClock: Clock {
    /// The same as that of a ``TestClock``.
    public typealias Instant = TestClock.Instant

    private let name: String
    private let fileID: String
    private let line: UInt

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - name: Names it in the issue.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    public init(_ name: String = "UnimplementedClock", fileID: String = #fileID, line: UInt = #line) {
        self.name = name
        self.fileID = fileID
        self.line = line
    }

    /// Reports an issue, and says zero.
    public var now: Instant {
        report("now")
        return Instant(offset: .zero)
    }

    /// It has no finer moments than a `Duration` has.
    public var minimumResolution: Duration { .zero }

    /// Reports an issue, and throws an `UnimplementedError`.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        report("sleep")
        throw UnimplementedError(name: "\(name).sleep")
    }

    private func report(_ function: String) {
        StoreIssueReporter.report("\(name).\(function) was called, and is not implemented.", fileID: fileID, line: line)
    }
}
