import ActorStore

extension StoreGroup {
    /// Evicts the store of a key now, if there is one and it is not in use. Its state is passed to `onEvict`, as if the
    /// store had been idle.
    ///
    /// `onEvict` runs in a task of its own, which is not cancelled with the calling task, so that saving the state is
    /// not interrupted.
    ///
    /// - Returns: True if the store was evicted; false also if its state is already being handed over.
    @discardableResult
    public func evict(_ id: ID) async -> Bool {
        guard let ticket = ticket(for: id), beginHandOver(ticket) else { return false }
        let handOver = Task.detached(executorPreference: configuration.executor, priority: Task.currentPriority) {
            await self.handOverAndRemove(ticket)
        }
        return await handOver.value
    }

    /// The number of positions of a table that are examined while lookups wait.
    private static var placesAtOnce: Int { 64 }

    /// Identifies a store that is to be evicted, without retaining it.
    struct Ticket: Sendable {
        let hash: UInt
        let number: UInt32
    }

    /// Examines all stores of a table, and returns tickets for those that were not used since the last scan. The group
    /// itself scans once in each period.
    ///
    /// - Parameter look: The number of the scan. It must not have been used before.
    func idleStores(inTable index: Int, look: UInt32) -> [Ticket] {
        let table = tables + index
        var tickets: [Ticket] = []
        var (start, hasMore) = (0, true)
        while hasMore {
            let places = start..<start + Self.placesAtOnce
            // Before the scan, so that observers whose objects were released do not make their stores count as used.
            for observers in observers(ofStoresAt: places, of: table) { observers.endUnowned() }
            access.withWriting {
                giveTickets(to: places, of: table, look: look, &tickets)
                hasMore = places.upperBound < table.pointee.stores.capacity
            }
            start = places.upperBound
        }
        return tickets
    }

    /// Examines the stores at some positions. Others may move between two such calls: a store that is missed waits for
    /// the next period, and one that was already examined is recognised by the number of the scan.
    private func giveTickets(
        to places: Range<Int>,
        of table: UnsafeMutablePointer<Table>,
        look: UInt32,
        _ tickets: inout [Ticket]
    ) {
        let entries = table.pointee.stores.entries
        table.pointee.stores.forEachIndex(in: places) { index in
            // The hand-over retains the store, which must not prevent its eviction.
            guard entries[index].look != look, !entries[index].isBeingHandedOver else { return }
            entries[index].look = look
            let revision = entries[index].store.revision
            let wasUsed = table.pointee.stores.isUsed(at: index) || entries[index].revision != revision
            // A store that is in use now also counts as used in the period that begins.
            let isUnused = entries[index].isUnused()
            table.pointee.stores.setUsed(!isUnused, at: index)
            entries[index].revision = revision
            guard isUnused && !wasUsed && !isClosed else { return }
            let hash = table.pointee.stores.hash(at: index)
            tickets.append(Ticket(hash: hash, number: table.pointee.giveTicket(at: index)))
        }
    }

    /// Returns the observers of the stores at some positions, if any.
    private func observers(ofStoresAt places: Range<Int>, of table: UnsafeMutablePointer<Table>) -> [BoundObservers] {
        access.withReading {
            var observers: [BoundObservers] = []
            let entries = table.pointee.stores.entries
            table.pointee.stores.forEachIndex(in: places) { index in
                if let bound = entries[index].store.boundObservers { observers.append(bound) }
            }
            return observers
        }
    }

    /// Returns a ticket for one store, if it is not in use.
    private func ticket(for id: ID) -> Ticket? {
        let hash = HashedEntries<Table.Entry>.hash(of: id)
        // Found outside the lock, and then again by its identity.
        guard let identity = endUnownedObservers(of: id, hash) else { return nil }
        let table = table(of: hash)
        return access.withWriting {
            guard !isClosed,
                let index = table.pointee.index(of: hash, where: { ObjectIdentifier($0.store) == identity }),
                !table.pointee.stores.entries[index].isBeingHandedOver,
                table.pointee.stores.entries[index].isUnused()
            else { return nil }
            table.pointee.stores.setUsed(false, at: index)
            return Ticket(hash: hash, number: table.pointee.giveTicket(at: index))
        }
    }

    /// Ends the observers of a key's store whose objects were released.
    ///
    /// - Returns: The identity of the store; nil if the key has none.
    private func endUnownedObservers(of id: ID, _ hash: UInt) -> ObjectIdentifier? {
        let table = table(of: hash)
        // No reference to a store leaves the lock: it would count as a use, and make another eviction of the key fail.
        var candidates: [(id: ID, identity: ObjectIdentifier, observers: BoundObservers?)] = []
        access.withReading {
            let entries = table.pointee.stores.entries
            table.pointee.stores.forEachIndex(of: hash) { place in
                let observers = entries[place].store.boundObservers
                candidates.append((entries[place].id, ObjectIdentifier(entries[place].store), observers))
            }
        }
        guard let found = candidates.first(where: { $0.id == id }) else { return nil }
        found.observers?.endUnowned()
        return found.identity
    }

    /// Completes an eviction whose hand-over has been registered.
    @discardableResult
    func handOverAndRemove(_ ticket: Ticket) async -> Bool {
        let entry = await handOver(ticket).flatMap { remove(ticket, ifStill: $0) }
        endHandOver(of: entry, ticket)
        return entry != nil
    }

    /// Removes a store that has ended, so that its key gets a new one. If its last state must still be handed over, the
    /// store stays until that is done, and the hand-over begins now, so that the new store is not created from an older
    /// state.
    ///
    /// - Returns: The store if it stays; nil if it was removed.
    @usableFromInline
    func replace(_ store: Store<State, Action>, _ hash: UInt) -> Store<State, Action>? {
        let mustBeKept = eviction.onEvict != nil && store.hasState
        let table = table(of: hash)
        var ticket: Ticket?
        var removed: Table.Entry?
        let stays = access.withWriting {
            guard let index = table.pointee.index(of: hash, where: { $0.store === store }) else { return false }
            // An eviction in progress hands nothing over for a store without a state.
            if isClosed || mustBeKept && table.pointee.stores.entries[index].isBeingHandedOver { return true }
            guard mustBeKept && !table.pointee.stores.entries[index].isBeingEnded else {
                removed = table.pointee.remove(at: index)
                handOvers += 1
                return false
            }
            ticket = Ticket(hash: hash, number: table.pointee.giveTicket(at: index))
            table.pointee.stores.entries[index].isBeingHandedOver = true
            handOvers += 1
            return true
        }
        if let ticket {
            Task.detached(executorPreference: configuration.executor, priority: configuration.priority) { [self] in
                await handOverAndRemove(ticket)
            }
        }
        if let removed { endHandOver(of: removed) }
        return stays ? store : nil
    }

    /// Registers that the state of a store is being handed over. A store has only one hand-over at a time: with two,
    /// the one with the older state could finish last. The ticket is valid until the hand-over has ended.
    ///
    /// - Parameter isIdle: Whether the store must not have been used since it got the ticket, which can be long ago if
    ///   hand-overs of others are slow.
    /// - Returns: True if the store still exists, is not being ended, and has no other hand-over in progress.
    func beginHandOver(_ ticket: Ticket, ifIdle isIdle: Bool = false) -> Bool {
        let table = table(of: ticket.hash)
        return access.withWriting {
            guard !isClosed, let index = table.pointee.index(of: ticket.hash, where: { $0.ticket == ticket.number }),
                !table.pointee.stores.entries[index].isBeingHandedOver,
                !table.pointee.stores.entries[index].isBeingEnded
            else { return false }
            if isIdle, table.pointee.wasUsed(at: index) { return false }
            table.pointee.stores.entries[index].isBeingHandedOver = true
            handOvers += 1
            return true
        }
    }

    /// Registers that a hand-over has ended. The group's observers lose a removed store before that, so that a
    /// shutdown, which waits for this, ends them together with the remaining stores.
    ///
    /// - Parameters:
    ///   - removed: The entry that was removed from its table; nil if the store stays.
    ///   - ticket: The ticket of the hand-over; nil if the state was not handed over.
    func endHandOver(of removed: Table.Entry?, _ ticket: Ticket? = nil) {
        for member in (removed?.members ?? [:]).inOrder { member.leave() }
        let waiters = access.withWriting {
            if let ticket {
                let table = table(of: ticket.hash)
                if let index = table.pointee.index(of: ticket.hash, where: { $0.ticket == ticket.number }) {
                    table.pointee.stores.entries[index].isBeingHandedOver = false
                }
            }
            handOvers -= 1
            defer { handOverWaiters = [] }
            return handOverWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until no hand-over is in progress.
    func waitForHandOvers(isolation: isolated (any Actor)? = #isolation) async {
        await afterHandOver { handOvers == 0 ? () : nil }
    }

    /// Calls `attempt` immediately, and then after each hand-over, until it returns a result.
    ///
    /// - Parameter attempt: Runs under the lock of the tables.
    func afterHandOver<Result>(isolation: isolated (any Actor)? = #isolation, _ attempt: () -> Result?) async -> Result
    {
        while true {
            var result: Result?
            await withUnsafeContinuation { waiter in
                access.withWriting {
                    result = attempt()
                    if result == nil { handOverWaiters.append(waiter) }
                }
                if result != nil { waiter.resume() }
            }
            if let result { return result }
        }
    }

    /// Hands over the state of a store, if the store still exists and its key is not being ended nor the group shut
    /// down. A store whose first state could not be loaded has no state.
    ///
    /// - Returns: The store's revision; nil if it is in use, or is no longer to be handed over. The reference to the
    ///   store does not outlive this call.
    private func handOver(_ ticket: Ticket) async -> UInt64? {
        let table = table(of: ticket.hash)
        let found: (ID, Store<State, Action>)? = access.withReading {
            // Checked here, and not only when the hand-over was requested: its task may have started late.
            guard !isClosed, let index = table.pointee.index(of: ticket.hash, where: { $0.ticket == ticket.number }),
                !table.pointee.stores.entries[index].isBeingEnded
            else { return nil }
            return (table.pointee.stores.entries[index].id, table.pointee.stores.entries[index].store)
        }
        guard let (id, store) = found, let (state, revision) = store.restingState else { return nil }
        if store.hasState, let onEvict = eviction.onEvict {
            await DependencyOverrides.$current.withValue(dependencies) { await onEvict(id, state) }
        }
        return revision
    }

    /// Removes a store, if it was not used since its state was handed over, or has ended.
    private func remove(_ ticket: Ticket, ifStill revision: UInt64) -> Table.Entry? {
        let table = table(of: ticket.hash)
        var visited: IdleStore<State, Action>?
        let removed: Table.Entry? = access.withWriting {
            guard !isClosed, let index = table.pointee.index(of: ticket.hash, where: { $0.ticket == ticket.number })
            else { return nil }
            if table.pointee.stores.entries[index].store.isOver {
                // It may have reduced actions before its end.
                guard table.pointee.stores.entries[index].store.revision == revision,
                    !table.pointee.stores.entries[index].isBeingEnded
                else { return nil }
                return table.pointee.remove(at: index)
            }
            guard !table.pointee.stores.isUsed(at: index),
                table.pointee.stores.entries[index].isUnused(),
                let idle = table.pointee.stores.entries[index].store.visitIfIdle()
            else { return nil }
            visited = idle
            guard idle.closeIfUntouched(since: revision) else { return nil }
            table.pointee.evicted += 1
            return table.pointee.remove(at: index)
        }
        // Outside the lock, because this runs work that other threads have left meanwhile.
        visited?.leave()
        return removed
    }
}

extension StoreGroupEntry {
    /// Whether the store is not in use: there is no other reference to it, so that nothing can be sent to it; no work
    /// is in progress in it; no effect runs; and it has no observers except those of the group, and those that drive
    /// its effects.
    ///
    /// Call it while no thread reads the table, so that no other thread can obtain a reference.
    fileprivate mutating func isUnused() -> Bool {
        isKnownUniquelyReferenced(&store) && store.isIdle
    }
}
