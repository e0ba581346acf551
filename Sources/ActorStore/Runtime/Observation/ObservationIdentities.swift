/// The observations of a tree that have a name, of which there is one for each.
final class ObservationIdentities: @unchecked Sendable {
    // Sound: all variables are touched only under `lock`, which is one to sleep on: looking a name up calls its hash
    // function.
    private struct Entry {
        weak var observation: Observation?
        let ticket: UInt64
    }

    private let lock = BlockingLock()
    private var entries: [ObservationIdentity: Entry] = [:]
    /// How many times a name was asked for.
    private var lastTicket: UInt64 = 0
    private var sweep = SweepThreshold()

    /// Takes an observation out.
    ///
    /// - Returns: The observation, if there was one, and a number for the one that is to take its place, which grows.
    func remove(_ identity: ObservationIdentity) -> (observation: Observation?, ticket: UInt64) {
        // Its name is released after the lock, too.
        let (removed, ticket) = lock.withLock {
            lastTicket += 1
            return (entries.index(forKey: identity).map { entries.remove(at: $0) }, lastTicket)
        }
        return (removed?.value.observation, ticket)
    }

    /// Puts an observation in, unless one with a greater number is there.
    ///
    /// - Returns: The one that has to end: the one that was there, or this one.
    func insert(_ observation: Observation, as identity: ObservationIdentity, ticket: UInt64) -> Observation? {
        // Released after the lock: the last reference to an observation can go meanwhile, and what its closure holds is
        // code of users, and so is a name.
        var seen: [Observation] = []
        var former: [ObservationIdentity: Entry] = [:]
        defer { withExtendedLifetime((seen, former)) {} }
        return lock.withLock {
            if sweep.isReached(by: entries.count) {
                former = entries
                entries = entries.filter { entry in
                    guard let observation = entry.value.observation else { return false }
                    seen.append(observation)
                    return true
                }
                sweep.reset(after: entries.count)
            }
            if let present = entries[identity], present.ticket > ticket { return observation }
            return entries.updateValue(Entry(observation: observation, ticket: ticket), forKey: identity)?.observation
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
    init(store: ObservableStorage, name: some Hashable & Sendable) {
        self.store = ObjectIdentifier(store)
        self.name = ExactIdentity(unwrapping: name)
    }
}
