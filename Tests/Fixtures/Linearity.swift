import Foundation
import Testing

/// Expects that eight times the work takes at most sixteen times as long.
///
/// The machine has other load, so a long stretch of time is interrupted more often than a short one. Therefore eight
/// small pieces of work are compared with a large one, and the shortest of several attempts counts. Quadratic work
/// takes eight times as long in the large piece, which more attempts do not change. Each small piece is prepared right
/// before it is done, like the large one: what the preparation has begun continues during both.
///
/// Under a sanitizer, which makes some operations slower than others, `COSTS=none` runs the work once without measuring
/// it.
///
/// - Parameter prepare: Prepares a number of operations, and returns the measured closure.
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
