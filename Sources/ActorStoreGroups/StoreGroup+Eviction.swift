import ActorStore

extension StoreGroup {
    /// Lets the store of a key go now, if there is one and nobody uses it; its state goes to `onEvict`, as if it had
    /// been idle for long.
    ///
    /// `onEvict` runs in a task of its own, which is not cancelled with the calling task: what it writes must be
    /// written.
    ///
    /// - Returns: whether it is gone. It is not if its state is being handed over already.
    @discardableResult
    public func evict(_ id: ID) async -> Bool {
        guard let ticket = ticket(for: id), beginHandOver(ticket) else { return false }
        let handOver = Task.detached(executorPreference: configuration.executor, priority: Task.currentPriority) {
            await self.handOverAndRemove(ticket)
        }
        return await handOver.value
    }

    /// How many places of a table are looked at while nobody can find a store.
    private static var placesAtOnce: Int { 64 }

    /// A store that is to go, and the way to it, which does not keep it.
    struct Ticket: Sendable {
        let hash: UInt
        let number: UInt32
    }

    /// Looks at all stores of a table, and gives tickets to those that were not used since the last look. The group
    /// itself looks once in each period.
    ///
    /// - Parameter look: The number of the look, which no earlier one had.
    func idleStores(inTable index: Int, look: UInt32) -> [Ticket] {
        let table = tables + index
        var tickets: [Ticket] = []
        var (start, hasMore) = (0, true)
        while hasMore {
            let places = start..<start + Self.placesAtOnce
            // Before the look, so that observers whose objects have gone do not make their stores count as used.
            for observers in observers(ofStoresAt: places, of: table) { observers.endUnowned() }
            access.withWriting {
                giveTickets(to: places, of: table, look: look, &tickets)
                hasMore = places.upperBound < table.pointee.stores.capacity
            }
            start = places.upperBound
        }
        return tickets
    }

    /// Looks at the stores at some places. Others may change their places between two such looks: one that is missed
    /// waits for the next period, and one that was seen already is known by the number of the look.
    private func giveTickets(
        to places: Range<Int>,
        of table: UnsafeMutablePointer<Table>,
        look: UInt32,
        _ tickets: inout [Ticket]
    ) {
        let entries = table.pointee.stores.entries
        table.pointee.stores.forEachIndex(in: places) { index in
            // The hand-over has a reference, which must not keep it from going.
            guard entries[index].look != look, !entries[index].isBeingHandedOver else { return }
            entries[index].look = look
            let revision = entries[index].store.revision
            let wasUsed = table.pointee.stores.isUsed(at: index) || entries[index].revision != revision
            // One that is being used now counts as used also in the period that begins.
            let isUnused = entries[index].isUnused()
            table.pointee.stores.setUsed(!isUnused, at: index)
            entries[index].revision = revision
            guard isUnused && !wasUsed && !isClosed else { return }
            let hash = table.pointee.stores.hash(at: index)
            tickets.append(Ticket(hash: hash, number: table.pointee.giveTicket(at: index)))
        }
    }

    /// The observers of the stores at some places, as far as there are any.
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

    /// A ticket for one store, if nobody uses it.
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

    /// Ends the observers of a key's store whose objects have gone.
    ///
    /// - Returns: Which store it is; nil if the key has none.
    private func endUnownedObservers(of id: ID, _ hash: UInt) -> ObjectIdentifier? {
        let table = table(of: hash)
        // No reference to a store leaves the lock: it would be a use, by which another eviction of the key would fail.
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

    /// What an eviction does once it has taken note that it hands the state over.
    @discardableResult
    func handOverAndRemove(_ ticket: Ticket) async -> Bool {
        let entry = await handOver(ticket).flatMap { remove(ticket, ifStill: $0) }
        endHandOver(of: entry, ticket)
        return entry != nil
    }

    /// Takes a store out that is over, so that its key gets a new one. If its last state is still to be handed over it
    /// stays until that has been done, which begins now, so that the new store is not made of an older state.
    ///
    /// - Returns: the store if it stays.
    @usableFromInline
    func replace(_ store: Store<State, Action>, _ hash: UInt) -> Store<State, Action>? {
        let mustBeKept = eviction.onEvict != nil && store.hasState
        let table = table(of: hash)
        var ticket: Ticket?
        var removed: Table.Entry?
        let stays = access.withWriting {
            guard let index = table.pointee.index(of: hash, where: { $0.store === store }) else { return false }
            // An eviction that is under way keeps nothing of one that has no state.
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

    /// Takes note that the state of a store is being handed over. One at a time does that: of two at the same time, the
    /// one with the older state could be the last to be heard. The ticket stays what it is until that has ended.
    ///
    /// - Parameter isIdle: Whether the store must not have been used since it got the ticket, which can be long ago if
    ///   others are handed over slowly.
    /// - Returns: whether the store is still there and goes on, and nobody else hands its state over.
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

    /// Takes note that a store has been handed over. The observers of the group lose one that was taken out before, so
    /// that a shutdown, which waits for this, ends them with the stores that are left.
    ///
    /// - Parameters:
    ///   - removed: What was taken out of its table; nil if the store stays.
    ///   - ticket: By which its state was handed over; nil if that was not.
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

    /// Waits until no store is being handed over.
    func waitForHandOvers(isolation: isolated (any Actor)? = #isolation) async {
        await afterHandOver { handOvers == 0 ? () : nil }
    }

    /// Tries something at once, and then each time that a state has been handed over, until it gives a result.
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

    /// Hands the state of a store over, which is still there, unless its key is being ended, or the group shut down.
    /// One whose first state could not be loaded has none.
    ///
    /// - Returns: its revision, or nil if it is used, or is not handed over any more. The reference to the store does
    ///   not outlive this.
    private func handOver(_ ticket: Ticket) async -> UInt64? {
        let table = table(of: ticket.hash)
        let found: (ID, Store<State, Action>)? = access.withReading {
            // Here, and not only when it was asked for: the task of it may have begun late.
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

    /// Takes a store out, if it was not used since its state was handed over, or is over.
    private func remove(_ ticket: Ticket, ifStill revision: UInt64) -> Table.Entry? {
        let table = table(of: ticket.hash)
        var visited: IdleStore<State, Action>?
        let removed: Table.Entry? = access.withWriting {
            guard !isClosed, let index = table.pointee.index(of: ticket.hash, where: { $0.ticket == ticket.number })
            else { return nil }
            if table.pointee.stores.entries[index].store.isOver {
                // It may have reduced something before its end.
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
        // Outside the lock, because what others have left meanwhile is done now.
        visited?.leave()
        return removed
    }
}

extension StoreGroupEntry {
    /// Whether nobody uses the store: there is no reference to it but this one, so that nothing can be sent to it,
    /// nothing is being done in it, no effect runs, and nobody observes it but the group, and what drives its effects.
    ///
    /// While nobody reads the table, because nobody else can come by a reference then.
    fileprivate mutating func isUnused() -> Bool {
        isKnownUniquelyReferenced(&store) && store.isIdle
    }
}
