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

/// Lets other tasks run, where a test expects that nothing happens.
///
/// An expectation after it shows that a defect has not appeared while other tasks ran. It does not show that the defect
/// cannot appear: a task may have had no thread meanwhile, or may wait for time, for a thread outside of the pool
/// or for another process. To wait for what must happen, use `until`.
///
/// - Parameter yields: How often the calling task yields. Tests of interleavings use a different number in each round.
package nonisolated(nonsending) func letOtherTasksRun(yields: Int = 100) async {
    for _ in 0..<yields { await Task.yield() }
}
