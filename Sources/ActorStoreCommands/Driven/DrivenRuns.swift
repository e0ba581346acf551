import ActorStore

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
    /// Those keys whose entries have gone since the state was followed, so that what it asks for under them now, it
    /// asks for other ones.
    private var departed: Set<Key> = []

    /// Takes note that the entry of a key has gone, whether another one comes or not.
    ///
    /// - Returns: Whether it has an effect, and had not gone before.
    mutating func leave(_ key: Key) -> Bool { causes[key] != nil && departed.insert(key).inserted }

    /// Whether the entry has gone that has asked under a key, and the state was not followed since.
    func hasLeft(_ key: Key) -> Bool { departed.contains(key) }

    /// Takes note of what the state asks for under a key, if anything.
    mutating func follow(_ cause: Cause?, for key: Key) -> Step {
        let former = causes[key]
        let hasLeft = !departed.isEmpty && departed.remove(key) != nil
        guard former != cause || hasLeft else { return .nothing }
        causes[key] = cause
        return Step(ends: former != nil, begins: cause)
    }

    /// Forgets everything.
    mutating func removeAll() {
        causes = [:]
        departed = []
    }
}
