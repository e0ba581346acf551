import ActorStore

/// The effects that a state requests, by key: a plain value that decides which effects begin and which end.
///
/// An effect is identified by its cause. While the cause stays the same, nothing happens, however the effect ends;
/// another cause is another effect.
struct DrivenRuns<Key: Hashable, Cause: Equatable> {
    /// The reaction to a change of the state.
    struct Step: Equatable {
        /// Whether an effect that was requested before is no longer requested.
        let ends: Bool
        /// The cause of the effect that begins, if any.
        let begins: Cause?

        static var nothing: Step { Step(ends: false, begins: nil) }
    }

    private(set) var causes: [Key: Cause] = [:]
    /// The keys whose entries were removed since the state was last followed. What the state now requests under these
    /// keys are other effects.
    private var departed: Set<Key> = []

    /// Records that the entry of a key was removed, whether or not another one is added.
    mutating func leave(_ key: Key) -> Bool { causes[key] != nil && departed.insert(key).inserted }

    /// Whether the entry that requested an effect under a key was removed, and the state was not followed since.
    func hasLeft(_ key: Key) -> Bool { departed.contains(key) }

    /// Records the cause that the state has under a key, if any, and returns what is to be done.
    mutating func follow(_ cause: Cause?, for key: Key) -> Step {
        let former = causes[key]
        let hasLeft = !departed.isEmpty && departed.remove(key) != nil
        guard former != cause || hasLeft else { return .nothing }
        causes[key] = cause
        return Step(ends: former != nil, begins: cause)
    }

    /// Removes all records.
    mutating func removeAll() {
        causes = [:]
        departed = []
    }
}
