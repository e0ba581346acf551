extension StoreGroup {
    /// Lets the store of a key go now, if there is one and nobody uses it; its state goes to `onEvict`, as if it had been idle
    /// for long.
    ///
    /// - Returns: whether it is gone.
    @discardableResult
    public func evict(_ id: ID) async -> Bool {
        guard let ticket = ticket(for: id) else { return false }
        return await evict(ticket)
    }

    /// Lets all stores go that nobody has used since this was called last; the group itself calls it once in each period.
    func evictIdle() async {
        for index in 0..<Self.shardCount {
            for ticket in idleStores(in: shards + index) { await evict(ticket) }
            shards[index].lock.withLock { shards[index].table.shrink() }
        }
    }

    /// A store that is to go, and the way to it, which does not keep it.
    private struct Ticket: Sendable {
        let hash: Int
        let number: UInt32
    }

    /// Looks at all stores of a shard, and gives tickets to those that were not used since the last look.
    private func idleStores(in shard: UnsafeMutablePointer<Shard>) -> [Ticket] {
        shard.pointee.lock.withLock {
            var tickets: [Ticket] = []
            shard.pointee.table.forEach { entry, hash in
                let revision = entry.store.revision
                let wasUsed = entry.isUsed || entry.revision != revision
                // One that is being used now counts as used also in the period that begins.
                entry.isUsed = !entry.isUnused
                entry.revision = revision
                guard !wasUsed && !entry.isUsed else { return }
                shard.pointee.lastTicket &+= 1
                entry.ticket = shard.pointee.lastTicket
                tickets.append(Ticket(hash: hash, number: entry.ticket))
            }
            return tickets
        }
    }

    /// A ticket for one store, if nobody uses it.
    private func ticket(for id: ID) -> Ticket? {
        let hash = HashedEntries<Shard.Entry>.hash(of: id)
        let shard = shard(of: hash)
        // Found outside the lock, and then again by its identity.
        guard let identity = findAmongAll(id, hash).map({ ObjectIdentifier($0) }) else { return nil }
        return shard.pointee.lock.withLock {
            let place = shard.pointee.table.index(of: hash) { ObjectIdentifier($0.store) == identity }
            guard let place else { return nil }
            shard.pointee.lastTicket &+= 1
            let number = shard.pointee.lastTicket
            return shard.pointee.table.update(at: place) { entry in
                guard entry.isUnused else { return nil }
                entry.isUsed = false
                entry.ticket = number
                return Ticket(hash: hash, number: number)
            } ?? nil
        }
    }

    @discardableResult
    private func evict(_ ticket: Ticket) async -> Bool {
        guard let last = await handOver(ticket), let entry = remove(ticket, ifStill: last) else { return false }
        for member in entry.members { member.leave() }
        return true
    }

    /// Hands the state of a store over, which is still there.
    ///
    /// - Returns: its revision, or nil if it is used. The reference to the store does not outlive this.
    private func handOver(_ ticket: Ticket) async -> UInt64? {
        let shard = shard(of: ticket.hash)
        let found: (ID, Store<State, Action>)? = shard.pointee.lock.withLock {
            let place = shard.pointee.table.index(of: ticket.hash) { $0.ticket == ticket.number }
            return place.flatMap { shard.pointee.table.entries[$0] }.map { ($0.id, $0.store) }
        }
        guard let (id, store) = found, let (state, revision) = store.restingState else { return nil }
        await eviction.onEvict?(id, state)
        return revision
    }

    /// Takes a store out, if it was not used since its state was handed over.
    private func remove(_ ticket: Ticket, ifStill revision: UInt64) -> Shard.Entry? {
        let shard = shard(of: ticket.hash)
        return shard.pointee.lock.withLock {
            let place = shard.pointee.table.index(of: ticket.hash) { $0.ticket == ticket.number }
            guard let place else { return nil }
            let isIdle = shard.pointee.table.update(at: place) { entry in
                !entry.isUsed && entry.isUnused && entry.store.revision == revision
            }
            guard isIdle == true else { return nil }
            shard.pointee.version += 1
            shard.pointee.departures += 1
            shard.pointee.evicted += 1
            return shard.pointee.table.remove(at: place)
        }
    }
}

extension StoreGroupEntry {
    /// Whether nobody uses the store: there is no reference to it but this one, so that nothing can be sent to it, nothing is
    /// being done in it, no effect runs, and nobody observes it but the group.
    ///
    /// Under the lock of the shard, because nobody else can come by a reference then.
    var isUnused: Bool {
        mutating get {
            guard isKnownUniquelyReferenced(&store) else { return false }
            let root = store.root
            return root.gate.isFree && root.runningEffects.load(ordering: .acquiring) == 0
                && root.observerCount.load(ordering: .acquiring) <= members.count
        }
    }
}

extension Store {
    /// The state and its revision, or nil if anything is going on in the store, or begins to, or there are children.
    fileprivate nonisolated var restingState: (state: State, revision: UInt64)? {
        guard case .root(let core) = backing, core.gate.beginIfIdle() else { return nil }
        core.gate.endWriting()
        let isResting = core.nodes.isEmpty && !core.hasEffects(except: nil)
        let (state, revision) = (core.state, core.revision.load(ordering: .relaxed))
        core.leave()
        return isResting ? (state, revision) : nil
    }
}

extension TurnGate {
    /// Whether nobody owns the turn, or waits for it, or reads.
    fileprivate var isFree: Bool { TurnWord(bits: word.load(ordering: .acquiring)).takenIfIdle != nil }
}
