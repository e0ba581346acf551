/// Which pieces of work a store has on its hands, begun or not, by number and by identity. A plain value.
struct EffectRegistry {
    private(set) var active: [UInt64: EffectJob] = [:]
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

    /// Whether nothing runs, or waits for its turn in a queue, besides some pieces of work. Groups that have begun and
    /// steps of a concatenation that have not need not be asked, because what they wait for is: when that ends
    /// something else has begun, or they have gone.
    ///
    /// - Complexity: O(1), or O(*n*) with *n* pieces of work if there are exceptions.
    func isEmpty(except exceptions: HeldUpEffects) -> Bool {
        if exceptions.isEmpty { return running == 0 }
        return running == 0 || active.values.allSatisfy { !$0.isCounted || exceptions.contains($0) }
    }

    /// Work that runs, and waits for no other work; nil if there is none.
    ///
    /// - Complexity: O(*n*) with *n* pieces of work that wait for others.
    var independent: EffectJob? { running == 0 ? nil : active.values.first { $0.isCounted && $0.isIndependent } }

    /// Counts a piece of work that has begun, also if it waits, among those that run.
    mutating func count(_ job: EffectJob) {
        guard active[job.number] === job else { return }
        job.isCounted = true
        running += 1
    }

    /// Counts a piece of work no longer that has gone, or is a group that has begun.
    mutating func uncount(_ job: EffectJob) {
        guard job.isCounted else { return }
        job.isCounted = false
        running -= 1
    }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// - Parameter isPlanned: Whether it is a part of an effect, for which ``begin(_:)`` is called when it begins.
    mutating func insert(_ job: EffectJob, isPlanned: Bool) {
        active[job.number] = job
        job.place?.insert(job, isPlanned: isPlanned)
    }

    /// Takes note that a piece of work begins, with its work or with waiting.
    func begin(_ job: EffectJob) { job.place?.begin(job) }

    /// Where the effects of a reducer are known, once there are any with identities, or of a child.
    func place(at path: EffectPath) -> EffectPlace? { ownPlace?.child(at: path) }

    /// The same, from now on.
    mutating func makePlace(at path: EffectPath) -> EffectPlace {
        let ownPlace = ownPlace ?? EffectPlace()
        self.ownPlace = ownPlace
        return ownPlace.makeChild(at: path)
    }

    /// Takes a piece of work off. Only the one that it has: the numbers of another store are its own.
    mutating func remove(_ job: EffectJob) {
        guard let index = active.index(forKey: job.number), active[index].value === job else { return }
        active.remove(at: index)
        uncount(job)
        forgetIdentity(of: job)
    }

    /// Takes note that a piece of work has ended, and that actions of it have still to be reduced: until then it can be
    /// cancelled.
    func end(_ job: EffectJob) { job.place?.end(job) }

    /// Finds a piece of work no longer by its identity or its child, because it has been cancelled: one identity can
    /// have many of them, which no later cancellation or policy concerns.
    private func forgetIdentity(of job: EffectJob) { job.place?.remove(job) }

    /// The work with this identity that has begun and neither ended nor been cancelled. What waits for its time or in a
    /// queue has not begun.
    ///
    /// - Parameter groups: What is not asked for, because the one who asks is a part of it.
    func running(_ id: EffectID, at place: EffectPlace, besides groups: [EffectJob]) -> [EffectJob] {
        onHand(id, at: place, besides: groups) { !$0.waitsForItsTime && !$0.waitsInQueue }
    }

    /// The work with this identity that waits for its time, and has not been cancelled.
    ///
    /// - Parameter groups: What is not asked for, because the one who asks is a part of it.
    func waiting(_ id: EffectID, at place: EffectPlace, besides groups: [EffectJob]) -> [EffectJob] {
        onHand(id, at: place, besides: groups) { $0.waitsForItsTime }
    }

    /// - Returns: It in the order in which it was asked for.
    private func onHand(
        _ id: EffectID,
        at place: EffectPlace,
        besides groups: [EffectJob],
        where isIncluded: (EffectJob) -> Bool
    ) -> [EffectJob] {
        var jobs: [EffectJob] = []
        for number in place.numbersOfBegun(id) {
            guard let job = active[number] else { continue }
            if job.isRunning, isIncluded(job), !groups.contains(where: { $0 === job }) {
                jobs.append(job)
            }
            // By way of its tracker.
            if job.isCancelled { forgetIdentity(of: job) }
        }
        jobs.sort { $0.number < $1.number }
        return jobs
    }

    /// The same, where a group stands for what is in it, so that all of it counts as one.
    func runningWholes(_ id: EffectID, at place: EffectPlace, besides groups: [EffectJob]) -> [EffectJob] {
        let running = running(id, at: place, besides: groups)
        guard running.count > 1 else { return running }
        return running.filter { job in
            let around = job.node?.groups(of: id, at: place) ?? []
            return !around.contains { group in group.isRunning && !groups.contains { $0 === group } }
        }
    }

    /// Marks a piece of work, and what it consists of, as cancelled.
    ///
    /// - Returns: Those whose tasks have still to be cancelled.
    mutating func cancel(_ job: EffectJob) -> [EffectJob] {
        var cancelled: [EffectJob] = []
        for number in job.number...job.lastMember {
            guard let member = active[number] else { continue }
            if member.cancel() { cancelled.append(member) }
            forgetIdentity(of: member)
        }
        return cancelled
    }

    /// Marks a piece of work as cancelled if it still waits.
    ///
    /// - Returns: Whether it has a task that has still to be cancelled.
    mutating func cancelIfWaiting(_ job: EffectJob) -> Bool {
        let hasTask = job.cancelIfWaiting()
        if job.isCancelled { forgetIdentity(of: job) }
        return hasTask
    }

    /// All work that was asked for after a number, in its order.
    private func jobs(after number: UInt64) -> [EffectJob] {
        guard number < lastNumber else { return [] }
        return number == 0 ? active.inOrder : (number + 1...lastNumber).compactMap { active[$0] }
    }

    /// Marks all work as cancelled that was asked for after a number.
    ///
    /// - Parameter spared: Work whose tasks go on.
    /// - Returns: Those whose tasks have still to be cancelled.
    mutating func cancelAll(after number: UInt64 = 0, sparing spared: [EffectJob] = []) -> [EffectJob] {
        let spared = Set(spared.map(ObjectIdentifier.init))
        return jobs(after: number).filter { job in
            forgetIdentity(of: job)
            job.node?.root.isCancelled = true
            if spared.contains(ObjectIdentifier(job)) {
                job.spare()
                return false
            }
            return job.cancel()
        }
    }

    /// Whether there is work that a shutdown cancels although it lets effects finish.
    var hasWorkCancelledOnShutdown: Bool { active.values.contains(where: \.options.isCancelledOnShutdown) }

    /// Marks work as cancelled that a shutdown cancels although it lets effects finish, and that was asked for after a
    /// number.
    ///
    /// - Parameter spared: Work that goes on, with the groups that it is a part of.
    /// - Returns: Those whose tasks have still to be cancelled.
    mutating func cancelOnShutdown(after number: UInt64, sparing spared: [EffectJob]) -> [EffectJob] {
        jobs(after: number).filter(\.options.isCancelledOnShutdown).flatMap { job in
            spared.contains { (job.number...job.lastMember).contains($0.number) && active[$0.number] === $0 }
                ? [] : cancel(job)
        }
    }

    /// Marks all work with this identity as cancelled, also that which has ended, as long as actions of it have still
    /// to be reduced.
    ///
    /// - Parameters:
    ///   - exceptions: The numbers of the canceller and of what comes after it in the effect that it is a part of. That
    ///     is spared as long as it has not begun: what stands after it in a merge may run already.
    ///   - groups: The groups that the canceller is a part of. They go on, with what else is in them.
    /// - Returns: Those whose tasks have still to be cancelled.
    mutating func cancel(
        _ id: EffectID,
        at place: EffectPlace,
        except exceptions: ClosedRange<UInt64>,
        besides groups: [EffectJob]
    ) -> [EffectJob] {
        let candidates = place.numbers(of: id, exceptPlanned: exceptions).compactMap { number -> EffectJob? in
            guard let job = active[number], job.hasBegun || !exceptions.contains(number) else { return nil }
            return groups.contains { $0 === job } ? nil : job
        }
        // In their order, and not in that of a set, which is another one in each of them.
        return candidates.sorted { $0.number < $1.number }.flatMap { cancel($0) }
    }

    /// Takes note that an effect asks for the end of children that have gone. What it asks for next is that of others.
    mutating func leave(_ gone: EffectCancellation) {
        let places = ownPlace?.takeChildren(coveredBy: gone) ?? []
        // Where effects outlive their children, they stay those of the place.
        if !gone.sparesWork { for place in places { place.leave() } }
        departures.append(EffectDeparture(gone: gone, places: places, number: nextNumber()))
    }

    mutating func takeDepartures() -> [EffectDeparture] {
        defer { departures = [] }
        return departures
    }

    /// Marks the work of children that have gone as cancelled, as far as it was asked for before. What goes on can no
    /// longer dismiss them.
    ///
    /// - Returns: Those whose tasks have still to be cancelled.
    mutating func cancel(_ departure: EffectDeparture) -> [EffectJob] {
        defer { if !departure.gone.sparesWork { for place in departure.places { place.forgetIntervals() } } }
        return departure.places.flatMap(\.numbers).sorted().flatMap { candidate -> [EffectJob] in
            guard candidate < departure.number, let job = active[candidate] else { return [] }
            guard job.isDetached || departure.gone.sparesWork else { return cancel(job) }
            // A child further out is still there.
            if job.presentationDepth >= departure.gone.depth { job.endPresentation() }
            return []
        }
    }
}

extension EffectRegistry {
    /// Marks the work as cancelled of children that are no longer in a state, whoever has taken them away. What goes on
    /// can no longer dismiss them. Their places are left, unless something of a child that is there is known in them,
    /// and the intervals are forgotten that they have begun.
    ///
    /// - Returns: Those whose tasks have still to be cancelled.
    /// - Complexity: O(*n*) with *n* pieces of work.
    mutating func cancelWork(ofChildrenMissingBy search: inout ChildSearch) -> [EffectJob] {
        var cancelled: [EffectJob] = []
        var left: [EffectPlace] = []
        var stillUsed: Set<ObjectIdentifier> = []
        for number in active.values.filter(\.isOfChild).map(\.number).sorted() {
            guard let job = active[number] else { continue }
            if job.way.presentationIsOver(by: &search) { job.endPresentation() }
            guard let depth = job.way.depthOfMissingChild(by: &search) else {
                for place in job.place?.andAncestors ?? [] { stillUsed.insert(ObjectIdentifier(place)) }
                continue
            }
            if let place = job.place?.ancestor(atDepth: depth) { left.append(place) }
            if !job.isDetached { cancelled += cancel(job) }
        }
        for place in places { place.forgetIntervals { $0.way.hasGone(by: &search) } }
        // Those that are left are the intervals of children that are there.
        for place in places where !place.throttles.isEmpty {
            for place in place.andAncestors { stillUsed.insert(ObjectIdentifier(place)) }
        }
        // A place in which both are known is that of the successor from now on: what it has asked for is found there.
        for place in left where !stillUsed.contains(ObjectIdentifier(place)) { place.leave() }
        return cancelled
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
