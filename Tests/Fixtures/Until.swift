import Testing

/// Waits for a condition that nothing notifies of.
///
/// - Parameters:
///   - place: Where the test waits. If the condition does not hold within five minutes, an issue names this place.
///   - condition: What must hold.
nonisolated(nonsending) func until(
    _ place: Testing.SourceLocation = #_sourceLocation,
    _ condition: nonisolated(nonsending) () async throws -> Bool
) async rethrows {
    let end = ContinuousClock.now + .seconds(300)
    while try await !condition() {
        guard ContinuousClock.now < end else {
            Issue.record("The awaited condition does not hold after five minutes.", sourceLocation: place)
            return
        }
        await Task.yield()
    }
}
