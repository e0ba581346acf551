/// Which effects a state asks for, by their keys: a plain value that decides which of them begin and which end.
///
/// An effect is known by its cause. While that stays the same nothing happens, however the effect fares; another cause
/// is another effect.
struct DrivenRuns<Key: Hashable, Cause: Equatable> {
    /// What is to be done when the state has changed.
    struct Step: Equatable {
        /// Whether an effect was asked for before that is so no longer.
        let ends: Bool
        /// What an effect is asked for by.
        let begins: Cause?

        static var nothing: Step { Step(ends: false, begins: nil) }
    }

    private(set) var causes: [Key: Cause] = [:]

    /// Takes note of what the state asks for under a key, if anything.
    mutating func follow(_ cause: Cause?, for key: Key) -> Step {
        let former = causes[key]
        guard former != cause else { return .nothing }
        causes[key] = cause
        return Step(ends: former != nil, begins: cause)
    }

    /// Forgets everything.
    mutating func removeAll() { causes = [:] }
}
