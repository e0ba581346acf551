/// Which pieces of work a store has on its hands, begun or not, by number and by identity. A plain value.
struct EffectRegistry {
    private(set) var active: [UInt64: EffectHandle] = [:]
    /// Work of the store's own reducer that has an identity, and all of its children's; nil until there is some.
    private var ownPlace: EffectPlace?
    /// The ends of children that an effect asks for, until it has begun as far as it can.
    private var departures: [EffectDeparture] = []
    private(set) var lastNumber: UInt64 = 0
    /// How much of it neither waits for other work nor has ended, with its last action reduced.
    private var running = 0

    var count: Int { active.count }

    /// How many identities are in use.
    var numberOfIdentities: Int { places.reduce(0) { $0 + $1.numberOfIdentities } }

    /// How many identities have queues.
    var numberOfQueues: Int { places.reduce(0) { $0 + $1.queues.count } }

    /// Of how many identities the intervals are known.
    var numberOfThrottles: Int { places.reduce(0) { $0 + $1.throttles.count } }

    /// At how many places there is something to know.
    var numberOfPlaces: Int { places.count }

    private var places: [EffectPlace] { ownPlace?.andDescendants ?? [] }

    /// Whether nothing runs, or waits for its turn in a queue, besides some pieces of work. Groups that have begun and steps of
    /// a concatenation that have not need not be asked, because what they wait for is: when that ends something else has
    /// begun, or they have gone.
    ///
    /// - Complexity: O(1), or O(*n*) with *n* pieces of work if there are exceptions.
    func isEmpty(except exceptions: HeldUpEffects) -> Bool {
        if exceptions.isEmpty { return running == 0 }
        return running == 0 || active.values.allSatisfy { !$0.isCounted || exceptions.contains($0) }
    }

    /// Counts a piece of work that has begun, also if it waits, among those that run.
    mutating func count(_ job: EffectJob) {
        guard active[job.number] != nil else { return }
        job.isCounted = true
        running += 1
    }

    /// Counts a piece of work no longer that has gone, or is a group that has begun.
    mutating func uncount(_ handle: EffectHandle) {
        guard handle.isCounted else { return }
        handle.isCounted = false
        running -= 1
    }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func insert(_ handle: EffectHandle) {
        active[handle.number] = handle
        handle.place?.insert(handle)
    }

    /// Where the effects of a reducer are known, once there are any with identities, or of a child.
    func place(at path: EffectPath) -> EffectPlace? { ownPlace?.child(at: path) }

    /// The same, from now on.
    mutating func makePlace(at path: EffectPath) -> EffectPlace {
        let ownPlace = ownPlace ?? EffectPlace()
        self.ownPlace = ownPlace
        return ownPlace.makeChild(at: path)
    }

    mutating func remove(_ handle: EffectHandle) {
        guard active.removeValue(forKey: handle.number) != nil else { return }
        uncount(handle)
        forgetIdentity(of: handle)
    }

    /// Finds a piece of work no longer by its identity or its child, because it has been cancelled: one identity can have
    /// many of them, which no later cancellation or policy concerns.
    private func forgetIdentity(of handle: EffectHandle) { handle.place?.remove(handle) }

    /// The work with this identity that has begun and neither ended nor been cancelled. What waits for its time or in a
    /// queue has not begun.
    ///
    /// - Parameter groups: What is not asked for, because the one who asks is a part of it.
    func running(_ id: EffectID, at place: EffectPlace, besides groups: [EffectJob]) -> [EffectHandle] {
        onHand(id, at: place, besides: groups) { !$0.waitsForItsTime && !$0.waitsInQueue }
    }

    /// The work with this identity that waits for its time, and has not been cancelled.
    ///
    /// - Parameter groups: What is not asked for, because the one who asks is a part of it.
    func waiting(_ id: EffectID, at place: EffectPlace, besides groups: [EffectJob]) -> [EffectHandle] {
        onHand(id, at: place, besides: groups) { $0.waitsForItsTime }
    }

    private func onHand(
        _ id: EffectID,
        at place: EffectPlace,
        besides groups: [EffectJob],
        where isIncluded: (EffectHandle) -> Bool
    ) -> [EffectHandle] {
        var handles: [EffectHandle] = []
        for number in place.numbers(of: id) {
            guard let handle = active[number] else { continue }
            if handle.isRunning, isIncluded(handle), !groups.contains(where: { $0 === handle }) {
                handles.append(handle)
            }
            // By way of its tracker.
            if handle.isCancelled { forgetIdentity(of: handle) }
        }
        return handles
    }

    /// The same, where a group stands for what is in it, so that all of it counts as one.
    func runningWholes(_ id: EffectID, at place: EffectPlace, besides groups: [EffectJob]) -> [EffectHandle] {
        let running = running(id, at: place, besides: groups)
        guard running.count > 1 else { return running }
        return running.filter { handle in
            let around = (handle as? EffectJob)?.node?.groups(of: id, at: place) ?? []
            return !around.contains { group in group.isRunning && !groups.contains { $0 === group } }
        }
    }

    /// Marks a piece of work, and what it consists of, as cancelled.
    ///
    /// - Returns: Those whose tasks have still to be cancelled.
    mutating func cancel(_ handle: EffectHandle) -> [EffectHandle] {
        var cancelled: [EffectHandle] = []
        for number in handle.number...handle.lastMember {
            guard let member = active[number] else { continue }
            if member.cancel() { cancelled.append(member) }
            forgetIdentity(of: member)
        }
        return cancelled
    }

    /// Marks a piece of work as cancelled if it still waits.
    ///
    /// - Returns: Whether it has a task that has still to be cancelled.
    mutating func cancelIfWaiting(_ handle: EffectHandle) -> Bool {
        let hasTask = handle.cancelIfWaiting()
        if handle.isCancelled { forgetIdentity(of: handle) }
        return hasTask
    }

    /// Marks all work as cancelled that was asked for after a number.
    ///
    /// - Parameter spared: Work whose tasks go on.
    /// - Returns: Those whose tasks have still to be cancelled.
    mutating func cancelAll(after number: UInt64 = 0, sparing spared: [EffectHandle] = []) -> [EffectHandle] {
        guard number < lastNumber else { return [] }
        let handles =
            number == 0 ? Array(active.values) : (number + 1...lastNumber).compactMap { active[$0] }
        return handles.filter { handle in
            forgetIdentity(of: handle)
            (handle as? EffectJob)?.node?.root.isCancelled = true
            if spared.contains(where: { $0 === handle }) {
                handle.spare()
                return false
            }
            return handle.cancel()
        }
    }

    /// Marks all work with this identity as cancelled.
    ///
    /// - Parameters:
    ///   - exceptions: The numbers of the canceller and of what comes after it in the effect that it is a part of.
    ///   - groups: The groups that the canceller is a part of. They go on, with what else is in them.
    /// - Returns: Those whose tasks have still to be cancelled.
    mutating func cancel(
        _ id: EffectID,
        at place: EffectPlace,
        except exceptions: ClosedRange<UInt64>,
        besides groups: [EffectJob]
    ) -> [EffectHandle] {
        place.numbers(of: id).flatMap { candidate -> [EffectHandle] in
            guard let handle = active[candidate], !exceptions.contains(candidate),
                !groups.contains(where: { $0 === handle })
            else { return [] }
            return cancel(handle)
        }
    }

    /// Takes note that an effect asks for the end of children that have gone. What it asks for next is that of others.
    mutating func leave(_ gone: EffectCancellation) {
        let places = ownPlace?.children(coveredBy: gone) ?? []
        // Where effects outlive their children, they stay those of the place.
        if !gone.sparesWork { for place in places { place.leave() } }
        departures.append(EffectDeparture(gone: gone, places: places, number: nextNumber()))
    }

    mutating func takeDepartures() -> [EffectDeparture] {
        defer { departures = [] }
        return departures
    }

    /// Marks the work of children that have gone as cancelled, as far as it was asked for before. What goes on can no longer
    /// dismiss them.
    ///
    /// - Returns: Those whose tasks have still to be cancelled.
    mutating func cancel(_ departure: EffectDeparture) -> [EffectHandle] {
        defer { if !departure.gone.sparesWork { for place in departure.places { place.forgetIntervals() } } }
        return departure.places.flatMap(\.numbers).flatMap { candidate -> [EffectHandle] in
            guard candidate < departure.number, let handle = active[candidate] else { return [] }
            guard handle.isDetached || departure.gone.sparesWork else { return cancel(handle) }
            // A child further out is still there.
            if handle.presentationDepth >= departure.gone.depth { handle.endPresentation() }
            return []
        }
    }
}

/// The end of children that an effect asks for.
struct EffectDeparture {
    let gone: EffectCancellation
    /// Where their effects are known.
    let places: [EffectPlace]
    /// When it was asked for, in the order of all that is asked for.
    let number: UInt64
}
