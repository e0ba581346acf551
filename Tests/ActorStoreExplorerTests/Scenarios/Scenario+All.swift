extension Scenario {
    /// All that `make explore` takes through many schedules.
    static let all: [Scenario] =
        sending + handOvers + overload + suspension + observation + effects + shutdown + lifetimes + services
}
