/// The registered jobs of a store, whether they have begun or not, by number and by identity. A plain value.
struct EffectRegistry {
    private(set) var active: [UInt64: EffectJob] = [:]
    /// The place of the jobs of the store's own reducer that have an identity, and of all jobs of its children; nil
    /// until there are any.
    private var ownPlace: EffectPlace?
    /// The removals of children that the current effect has reported, until it has begun as far as it can.
    private var departures: [EffectDeparture] = []
    private(set) var lastNumber: UInt64 = 0
    /// The number of jobs that do not wait for others, and have not ended with their last action reduced.
    private var running = 0

    var count: Int { active.count }

    /// The number of identities in use.
    var numberOfIdentities: Int { places.reduce(0) { $0 + $1.numberOfIdentities } }

    /// The number of identities with queues.
    var numberOfQueues: Int { places.reduce(0) { $0 + $1.queues.count } }

    /// The number of identities with a known interval.
    var numberOfThrottles: Int { places.reduce(0) { $0 + $1.throttles.count } }

    /// The number of places in use.
    var numberOfPlaces: Int { places.count }

    private var places: [EffectPlace] { ownPlace?.andDescendants ?? [] }

    /// Returns whether nothing runs, or waits in a queue, besides `exceptions`. Groups that have begun and steps of a
    /// concatenation that have not begun need no check, because what they wait for is checked: when that ends,
    /// something else has begun, or they have been removed.
    ///
    /// - Complexity: O(1); with exceptions O(*n*), where *n* is the number of jobs.
    func isEmpty(except exceptions: HeldUpEffects) -> Bool {
        if exceptions.isEmpty { return running == 0 }
        return running == 0 || active.values.allSatisfy { !$0.isCounted || exceptions.contains($0) }
    }

    /// A job that runs, and waits for no other; nil if there is no such job.
    ///
    /// - Complexity: O(*n*), where *n* is the number of jobs that wait for others.
    var independent: EffectJob? { running == 0 ? nil : active.values.first { $0.isCounted && $0.isIndependent } }

    /// Counts a job that has begun as running, even if it waits.
    mutating func count(_ job: EffectJob) {
        guard active[job.number] === job else { return }
        job.isCounted = true
        running += 1
    }

    /// Stops counting a job that has been removed, or is a group that has begun.
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

    /// Records that a job begins, with its work or with a wait.
    func begin(_ job: EffectJob) { job.place?.begin(job) }

    /// Returns the place of the effects at a path; nil if no effect of that child, or no own effect with an identity,
    /// has been registered.
    func place(at path: EffectPath) -> EffectPlace? { ownPlace?.child(at: path) }

    /// Returns the place of the effects at a path, and creates it if necessary.
    mutating func makePlace(at path: EffectPath) -> EffectPlace {
        let ownPlace = ownPlace ?? EffectPlace()
        self.ownPlace = ownPlace
        return ownPlace.makeChild(at: path)
    }

    /// Removes a job. The numbers of other stores are independent, so the job itself is compared.
    mutating func remove(_ job: EffectJob) {
        guard let index = active.index(forKey: job.number), active[index].value === job else { return }
        active.remove(at: index)
        uncount(job)
        forgetIdentity(of: job)
    }

    /// Records that a job has ended before its last action was reduced: until then it can be cancelled.
    func end(_ job: EffectJob) { job.place?.end(job) }

    /// Removes the identity of a cancelled job. One identity can have many of them, and they are irrelevant to later
    /// cancellations and policies.
    private func forgetIdentity(of job: EffectJob) { job.place?.remove(job) }

    /// Returns the jobs with this identity that have begun, and have neither ended nor been cancelled. Jobs that wait
    /// for their time or in a queue have not begun.
    ///
    /// - Parameter groups: Groups to exclude, because the caller is a part of them.
    func running(_ id: EffectID, at place: EffectPlace, besides groups: [EffectJob]) -> [EffectJob] {
        onHand(id, at: place, besides: groups) { !$0.waitsForItsTime && !$0.waitsInQueue }
    }

    /// Returns the jobs with this identity that wait for their time, and have not been cancelled.
    ///
    /// - Parameter groups: Groups to exclude, because the caller is a part of them.
    func waiting(_ id: EffectID, at place: EffectPlace, besides groups: [EffectJob]) -> [EffectJob] {
        onHand(id, at: place, besides: groups) { $0.waitsForItsTime }
    }

    /// - Returns: The jobs in the order of registration.
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
            // It may have been cancelled through its tracker.
            if job.isCancelled { forgetIdentity(of: job) }
        }
        jobs.sort { $0.number < $1.number }
        return jobs
    }

    /// Returns the running jobs with this identity, where a group represents its members, so that all of them count as
    /// one.
    func runningWholes(_ id: EffectID, at place: EffectPlace, besides groups: [EffectJob]) -> [EffectJob] {
        let running = running(id, at: place, besides: groups)
        guard running.count > 1 else { return running }
        return running.filter { job in
            let around = job.node?.groups(of: id, at: place) ?? []
            return !around.contains { group in group.isRunning && !groups.contains { $0 === group } }
        }
    }

    /// Marks a job and its parts as cancelled.
    ///
    /// - Returns: The jobs whose tasks must be cancelled.
    mutating func cancel(_ job: EffectJob) -> [EffectJob] {
        var cancelled: [EffectJob] = []
        for number in job.number...job.lastMember {
            guard let member = active[number] else { continue }
            if member.cancel() { cancelled.append(member) }
            forgetIdentity(of: member)
        }
        return cancelled
    }

    /// Marks a job as cancelled if it still waits.
    ///
    /// - Returns: `true` if it has a task that must be cancelled.
    mutating func cancelIfWaiting(_ job: EffectJob) -> Bool {
        let hasTask = job.cancelIfWaiting()
        if job.isCancelled { forgetIdentity(of: job) }
        return hasTask
    }

    /// Returns all jobs after a number, in order.
    private func jobs(after number: UInt64) -> [EffectJob] {
        guard number < lastNumber else { return [] }
        return number == 0 ? active.inOrder : (number + 1...lastNumber).compactMap { active[$0] }
    }

    /// Marks all jobs after a number as cancelled.
    ///
    /// - Parameter spared: Jobs whose tasks continue.
    /// - Returns: The jobs whose tasks must be cancelled.
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

    /// Whether there are jobs that a shutdown cancels although it lets effects finish.
    var hasWorkCancelledOnShutdown: Bool { active.values.contains(where: \.options.isCancelledOnShutdown) }

    /// Marks the jobs after a number as cancelled that a shutdown cancels although it lets effects finish.
    ///
    /// - Parameter spared: Jobs that continue, with the groups that they are a part of.
    /// - Returns: The jobs whose tasks must be cancelled.
    mutating func cancelOnShutdown(after number: UInt64, sparing spared: [EffectJob]) -> [EffectJob] {
        jobs(after: number).filter(\.options.isCancelledOnShutdown).flatMap { job in
            spared.contains { (job.number...job.lastMember).contains($0.number) && active[$0.number] === $0 }
                ? [] : cancel(job)
        }
    }

    /// Marks all jobs with this identity as cancelled, including ended ones whose actions have not all been reduced.
    ///
    /// - Parameters:
    ///   - exceptions: The numbers of the canceller and of what comes after it in the same effect. These are spared
    ///     unless they have begun: what comes after the canceller in a merge may run already.
    ///   - groups: The groups that the canceller is a part of. They continue, with their other members.
    /// - Returns: The jobs whose tasks must be cancelled.
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
        // In order of registration; the order of a set is random.
        return candidates.sorted { $0.number < $1.number }.flatMap { cancel($0) }
    }

    /// Records a removal of children, as reported by an effect. Later effects at the same path belong to new children.
    mutating func leave(_ gone: EffectCancellation) {
        let places = ownPlace?.takeChildren(coveredBy: gone) ?? []
        // If effects outlive their children, they keep the place.
        if !gone.sparesWork { for place in places { place.leave() } }
        departures.append(EffectDeparture(gone: gone, places: places, number: nextNumber()))
    }

    mutating func takeDepartures() -> [EffectDeparture] {
        defer { departures = [] }
        return departures
    }

    /// Marks the jobs of removed children as cancelled, if they were registered before the removal. Jobs that continue
    /// can no longer dismiss the children.
    ///
    /// - Returns: The jobs whose tasks must be cancelled.
    mutating func cancel(_ departure: EffectDeparture) -> [EffectJob] {
        defer { if !departure.gone.sparesWork { for place in departure.places { place.forgetIntervals() } } }
        return departure.places.flatMap(\.numbers).sorted().flatMap { candidate -> [EffectJob] in
            guard candidate < departure.number, let job = active[candidate] else { return [] }
            guard job.isDetached || departure.gone.sparesWork else { return cancel(job) }
            // A child further out still exists.
            if job.presentationDepth >= departure.gone.depth { job.endPresentation() }
            return []
        }
    }
}

extension EffectRegistry {
    /// Marks the jobs of children as cancelled that are no longer in the state, however they were removed. Jobs that
    /// continue can no longer dismiss them. Their places are abandoned unless they are also used for an existing child,
    /// and the intervals that they began are discarded.
    ///
    /// - Returns: The jobs whose tasks must be cancelled.
    /// - Complexity: O(*n*), where *n* is the number of jobs.
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
        // The remaining intervals belong to existing children.
        for place in places where !place.throttles.isEmpty {
            for place in place.andAncestors { stillUsed.insert(ObjectIdentifier(place)) }
        }
        // A place that both use now belongs to the new child, whose jobs are found there.
        for place in left where !stillUsed.contains(ObjectIdentifier(place)) { place.leave() }
        return cancelled
    }
}

/// A removal of children, as reported by an effect.
struct EffectDeparture {
    let gone: EffectCancellation
    /// The places of their effects.
    let places: [EffectPlace]
    /// The position of the report in the order of all numbers.
    let number: UInt64
}
