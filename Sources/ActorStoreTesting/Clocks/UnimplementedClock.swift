import ActorStore
import ActorStoreComposition

/// A clock that a test does not expect to be used. Its use is an issue, which fails a test that has a ``TestStore``.
///
/// ```swift
/// static let testValue: any Clock<Duration> = UnimplementedClock()
/// ```
public struct UnimplementedClock: Clock {
    /// The instant of a ``TestClock``.
    public typealias Instant = TestClock.Instant

    private let name: String
    private let fileID: String
    private let line: UInt

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - name: The name of the clock in issues.
    ///   - fileID: The file of the clock in issues; by default the caller's.
    ///   - line: The line of the clock in issues; by default the caller's.
    public init(_ name: String = "UnimplementedClock", fileID: String = #fileID, line: UInt = #line) {
        self.name = name
        self.fileID = fileID
        self.line = line
    }

    /// Reports an issue, and returns zero.
    public var now: Instant {
        report("now")
        return Instant(offset: .zero)
    }

    /// The resolution of a `Duration`.
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
