import Foundation
import Testing

/// Expects that eight times as much work takes no more than sixteen times as long.
///
/// The machine has other work, too, so that a long stretch of time is interrupted more often than a short one.
/// Therefore eight small pieces of work are compared with a large one, and the shortest of several attempts counts.
/// What is quadratic takes eight times as long in the large piece, which more attempts do not change. Each small piece
/// is prepared right before it is done, as the large one is: what the preparation has begun goes on during both.
///
/// Under a sanitizer, which makes some operations slower than others, `COSTS=none` has the work done once and not
/// measured.
///
/// - Parameter prepare: Prepares so much work, and returns what does it, whose time is measured.
func expectLinear(
    _ prepare: (_ count: Int) async throws -> () async throws -> Void,
    at location: Testing.SourceLocation = #_sourceLocation
) async throws {
    let clock = ContinuousClock()
    try await prepare(1_000)()
    if ProcessInfo.processInfo.environment["COSTS"] == "none" { return }
    var (few, many) = (Duration.seconds(1_000), Duration.seconds(1_000_000))
    for _ in 0..<40 where many >= few * 2 {
        var total = Duration.zero
        for _ in 0..<8 {
            let piece = try await prepare(1_000)
            total += try await clock.measure { try await piece() }
        }
        few = min(few, total)
        let piece = try await prepare(8_000)
        many = min(many, try await clock.measure { try await piece() })
    }
    #expect(many < few * 2, "8 × 1,000 take \(few), 8,000 take \(many)", sourceLocation: location)
}
