import ActorStore

/// What a replica does about the lease of effects: it asks for it, begins with it what has to go on, and ends that with it.
extension Replica {
    /// What to ask the log for; nil if nothing.
    var leaseClaim: LeaseClaim? { shared.withLock { $0.leaseClaim } }

    /// The lease, for as long as this replica has it by its own clock.
    var lease: ActionLogLease? {
        let now = ContinuousClock.now
        return shared.withLock { $0.lease?.held(at: now) }
    }

    /// When a lease of this replica ends unless it is renewed; nil if it has ended.
    private func deadline(of lease: ActionLogLease) -> ContinuousClock.Instant? {
        shared.withLock { $0.lease?.deadline(of: lease) }
    }

    /// The log has answered a claim.
    func noteLease(_ answer: ActionLogLease, askedAt moment: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        switch shared.withLock({ $0.lease?.note(answer, askedAt: moment, now: now) }) {
        case nil, .some(.none): break
        case .acquired(let lease):
            // An entry of the log, so that all replicas agree on what came before it.
            var header = EntryHeader(.opening)
            header.lease = lease.token
            note(header)
            endInTime(lease)
        case .lost: cancelEffects()
        }
    }

    /// Effects end with the lease whatever the thread does that talks to the log.
    private func endInTime(_ lease: ActionLogLease) {
        Task.detached(priority: .high) { [weak self] in
            // A later lease has another task.
            while let deadline = self?.deadline(of: lease) {
                try? await Task.sleep(until: deadline, clock: .continuous)
                let now = ContinuousClock.now
                if self?.shared.withLock({ $0.lease?.expire(at: now) }) == true { self?.cancelEffects() }
            }
        }
    }

    /// Has something be begun with each lease that this replica gets, once the store has reduced what came before it; also
    /// with the one that it has.
    func onLease(_ begin: @escaping @Sendable (_ token: UInt64) -> Void) {
        let token = leaseDuties.withLock { duties in
            duties.begin.append(begin)
            return duties.token
        }
        if let token, lease?.token == token { begin(token) }
    }

    /// The store has reduced what came before a lease of this replica.
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
