extension Scenario {
    /// All scenarios that `make explore` runs through many schedules.
    static let all: [Scenario] =
        sending + handOvers + overload + mailboxes + suspension + observation + timedObservation + waits + effects
        + effectTiming + timeouts + drivenEffects + shutdown + lifetimes + isolation + trees + groups + interception
        + loading + services + peers + deadlines + runTime + groupLives + combinedObservers + combinedEffects
        + combinedGroups + combinedLoading + cancellations + callers + evictions
}

extension Stage {
    /// Ends the run with a failure unless the error is one of these.
    func expect<Failure: Error & Equatable>(_ error: any Error, isAmong expected: [Failure]) {
        expect((error as? Failure).map(expected.contains) ?? false, "Something failed: \(error)")
    }
}
