/// The observations of a tree that have a name, of which there is one for each.
final class ObservationIdentities: @unchecked Sendable {
    // Sound: all variables are touched only under `lock`, which is one to sleep on: looking a name up calls its hash function.
    private struct Entry {
        weak var observation: Observation?
    }

    private let lock = BlockingLock()
    private var entries: [ObservationIdentity: Entry] = [:]
    /// When the table has grown to this it is looked through for those that have gone.
    private var limit = 16

    /// Takes an observation out.
    func remove(_ identity: ObservationIdentity) -> Observation? {
        // Its name is released after the lock, too.
        let removed = lock.withLock { entries.index(forKey: identity).map { entries.remove(at: $0) } }
        return removed?.value.observation
    }

    /// Puts an observation in.
    ///
    /// - Returns: the one that was there.
    func insert(_ observation: Observation, as identity: ObservationIdentity) -> Observation? {
        // Released after the lock: the last reference to an observation can go meanwhile, and what its closure holds is
        // code of users, and so is a name.
        var seen: [Observation] = []
        var former: [ObservationIdentity: Entry] = [:]
        defer { withExtendedLifetime((seen, former)) {} }
        return lock.withLock {
            if entries.count >= limit {
                former = entries
                entries = entries.filter { entry in
                    guard let observation = entry.value.observation else { return false }
                    seen.append(observation)
                    return true
                }
                limit = max(16, 2 * entries.count)
            }
            return entries.updateValue(Entry(observation: observation), forKey: identity)?.observation
        }
    }
}

/// The name of an observation, and the store of the tree in which it is known.
struct ObservationIdentity: Hashable, Sendable {
    private let store: ObjectIdentifier
    private let name: ExactIdentity

    /// - Parameters:
    ///   - store: The root or the child; a scope is known by the store that it is a scope of.
    ///   - name: What the observer calls itself.
    init(store: StateSource, name: some Hashable & Sendable) {
        self.store = ObjectIdentifier(store)
        self.name = ExactIdentity(unwrapping: name)
    }
}
