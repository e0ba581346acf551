import Foundation
import Testing

/// Expects that eight times as much work takes no more than sixteen times as long.
///
/// Eight small pieces of work are compared with a large one, each in one stretch, of which the shortest of several
/// counts: the machine has other work, too. `COSTS=none` has the work done once and not measured, for sanitizers.
///
/// - Parameter prepare: Prepares so much work, and returns what does it, whose time is measured.
func expectLinear(
    _ prepare: (_ count: Int) -> () throws -> Void,
    at location: Testing.SourceLocation = #_sourceLocation
) throws {
    let clock = ContinuousClock()
    try prepare(1_000)()
    if ProcessInfo.processInfo.environment["COSTS"] == "none" { return }
    var (few, many) = (Duration.seconds(1_000), Duration.seconds(1_000_000))
    for _ in 0..<20 where many >= few * 2 {
        let pieces = (0..<8).map { _ in prepare(1_000) }
        few = min(few, try clock.measure { for piece in pieces { try piece() } })
        let piece = prepare(8_000)
        many = min(many, try clock.measure { try piece() })
    }
    #expect(many < few * 2, "8 × 1,000 take \(few), 8,000 take \(many)", sourceLocation: location)
}
