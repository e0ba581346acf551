import ActorStore

/// The lease of effects of a replica: claims, the work that starts with a lease, and its end.
extension Replica {
    /// The next claim to the log; nil if there is nothing to claim.
    var leaseClaim: LeaseClaim? { shared.withLock { $0.leaseClaim } }

    /// The lease, if this replica holds it by its own clock.
    var lease: ActionLogLease? {
        // Under the lock, here and below, so that times follow each other as the calls do: a lease that one call has
        // seen ended is not renewed by another one.
        shared.withLock { $0.lease?.held(at: ContinuousClock.now) }
    }

    /// Returns the time at which a lease of this replica ends unless it is renewed; nil if it has ended.
    private func deadline(of lease: ActionLogLease) -> ContinuousClock.Instant? {
        shared.withLock { $0.lease?.deadline(of: lease) }
    }

    /// Records the log's answer to a claim.
    func noteLease(_ answer: ActionLogLease, askedAt moment: ContinuousClock.Instant) {
        switch shared.withLock({ $0.lease?.note(answer, askedAt: moment, now: ContinuousClock.now) }) {
        case nil, .some(.none): break
        case .acquired(let lease):
            // An entry of the log, so that all replicas agree where the lease begins.
            var header = EntryHeader(.opening)
            header.lease = lease.token
            note(header)
            endInTime(lease)
        case .lost: cancelEffects()
        }
    }

    /// Ends effects with the lease, even if the thread that calls the log is blocked.
    private func endInTime(_ lease: ActionLogLease) {
        Task.detached(priority: .high) { [weak self] in
            // A later lease has its own task.
            while let deadline = self?.deadline(of: lease) {
                try? await Task.sleep(until: deadline, clock: .continuous)
                guard let self, shared.withLock({ $0.lease?.expire(at: ContinuousClock.now) }) == true else { continue }
                cancelEffects()
                shared.withLock { $0.lease?.noteCancelledEffects() }
            }
        }
    }

    /// Runs a closure with each lease that this replica gets, once the store has reduced the entries before it; also
    /// with the current one.
    func onLease(_ begin: @escaping @Sendable (_ token: UInt64) -> Void) {
        let token = leaseDuties.withLock { duties in
            duties.begin.append(begin)
            return duties.token
        }
        if let token, lease?.token == token { begin(token) }
    }

    /// Records that the store has reduced the entries before a lease of this replica.
    func announceLease(_ token: UInt64) {
        let begin = leaseDuties.withLock { duties in
            duties.token = token
            return duties.begin
        }
        for begin in begin { begin(token) }
    }

    func cancelEffects() { root.withLock { $0 }?.cancelEffectsSoon() }

    /// Gives the lease up.
    func loseLease() -> ActionLogLease? { shared.withLock { $0.lease?.lose() } }
}
