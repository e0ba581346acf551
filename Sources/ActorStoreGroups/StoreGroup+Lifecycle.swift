import ActorStore

extension StoreGroup {
    /// Ends the life of all stores in order; see `Store.shutdown(drain:within:reserving:clock:isolation:)`.
    ///
    /// From the moment of the call no store is made any more: for keys without one, `send` returns
    /// `SendOutcome.refused(_:)` with `StoreError.shutDown`, and `dispatch` throws that. (The subscript makes one
    /// that refuses actions, because it has to return one.) All stores are shut down at the same time. When this
    /// returns all of them have ended, and so have the observations of the group, after the newest version. The stores,
    /// with their last states, are there until the group is released; they are not evicted. A store whose first state
    /// was not loaded has no last state, and is no longer there.
    ///
    /// No call of `onEvict` begins after that of this, which returns only when those have that had begun before. So
    /// whoever keeps the last states afterwards keeps the newest ones.
    ///
    /// If an effect of one of the stores calls this, the end of its own store does not cancel it: the effects of the
    /// other stores are finished all the same. Effects of several stores that call this do not wait for each other, nor
    /// do one that does and one that calls ``end(_:drain:)`` for its store.
    ///
    /// ```swift
    /// for (room, report) in await rooms.shutdown(drain: .finishEffects, within: .seconds(25)) {
    ///     logger.error("\(room): \(report)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - drain: What happens to running effects; with a limit, what happens to them first.
    ///   - limit: How much time there is in all; nil for as long as it takes. It is the same for each store, because
    ///     all are shut down at the same time, and for the calls of `onEvict` that are under way. Those that take
    ///     longer go on, in a cancelled task if it is the group that has evicted; they are not in the result.
    ///   - reserve: How much of it is left to effects that have to be cancelled; a tenth unless something else is said.
    ///   - clock: Measures the time; a test gives one of its own.
    /// - Returns: what is left running, by the keys of the stores of which something is; empty if nothing is, as it is
    ///   without a limit. An effect of one of the stores that calls this is not among it.
    @discardableResult
    public func shutdown(
        drain: ShutdownDrain,
        within limit: Duration? = nil,
        reserving reserve: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) async -> [ID: ShutdownReport] {
        if let limit { return await shutDown(drain, within: limit, reserving: reserve, clock) }
        return await shutDown(drain) { shutdown in
            await shutdown.wait()
            return nil
        } waitingForHandOvers: {
            await waitForHandOvers()
        }
    }

    private func shutDown(
        _ drain: ShutdownDrain,
        within limit: Duration,
        reserving reserve: Duration?,
        _ clock: some Clock<Duration>
    ) async -> [ID: ShutdownReport] {
        let start = clock.now
        return await shutDown(drain) { shutdown in
            await shutdown.wait(drain, since: start, within: limit, reserving: reserve, clock: clock)
        } waitingForHandOvers: {
            await waitForHandOvers(until: start.advanced(by: limit.boundedWait), clock: clock)
        }
    }

    /// Ends the life of all stores.
    ///
    /// - Parameters:
    ///   - wait: Waits for the end of one store.
    ///   - waitForHandOvers: Waits for the calls of `onEvict` that are under way.
    /// - Returns: what is left running, by the keys of the stores of which something is.
    private func shutDown(
        _ drain: ShutdownDrain,
        _ wait: @escaping @Sendable (MemberShutdown) async -> ShutdownReport?,
        waitingForHandOvers waitForHandOvers: () async -> Void
    ) async -> [ID: ShutdownReport] {
        let stores = close()
        let unfinished = await ending.perform(with: stores.map(\.2)) {
            let shutdowns = beginShutdown(of: stores, drain)
            let unfinished = await withTaskGroup(of: (ID, ShutdownReport?).self) { group in
                for (id, shutdown) in shutdowns {
                    group.addTask { (id, await wait(shutdown)) }
                }
                return await group.reduce(into: [ID: ShutdownReport]()) { reports, ended in
                    if let report = ended.1, !report.isClean { reports[ended.0] = report }
                }
            }
            await waitForHandOvers()
            for (_, shutdown) in shutdowns { shutdown.forgetCaller() }
            return unfinished
        }
        stopEvicting()
        removeStoresWithoutState(among: stores)
        finishFollowers()
        return unfinished
    }

    /// Begins to end the life of all stores. If an effect asks for it, all stores learn that before anything that comes
    /// of the end of one of them; and all shutdowns have begun before effects are cancelled for the sake of `drain`: an
    /// effect that is cancelled, also by the end of its store, passes its cancellation on to other stores for whose ends
    /// it waits.
    private func beginShutdown(
        of stores: [(ID, UInt, Store<State, Action>)],
        _ drain: ShutdownDrain
    ) -> [(ID, MemberShutdown)] {
        let shutdowns = stores.map { id, _, store in (id, MemberShutdown(of: store, in: ending)) }
        // Its own store first, which would otherwise look at an effect again and again that waits for others.
        for (_, shutdown) in shutdowns where shutdown.isAskedForByOwnEffect { shutdown.announce() }
        for (_, shutdown) in shutdowns where !shutdown.isAskedForByOwnEffect { shutdown.announce() }
        for (_, shutdown) in shutdowns { shutdown.begin() }
        if drain == .cancelEffects || Task.isCancelled {
            for (_, shutdown) in shutdowns { shutdown.cancelEffects() }
        }
        return shutdowns
    }

    private func waitForHandOvers<C: Clock>(until deadline: C.Instant, clock: C) async where C.Duration == Duration {
        guard access.withReading({ handOvers > 0 }) else { return }
        // No child tasks: neither `onEvict` nor a clock that takes its time to be cancelled must hold this up.
        let promise = Promise<Void>()
        // It may go on after this, and is then no part of the effect that may have called it.
        Task.detached(executorPreference: configuration.executor, priority: Task.currentPriority) { [self] in
            await waitForHandOvers()
            promise.settle(())
        }
        let alarm = Task(executorPreference: configuration.executor) {
            try? await clock.sleep(until: deadline, tolerance: nil)
            promise.settle(())
        }
        await promise.wait()
        alarm.cancelInBackground(on: configuration.executor)
    }

    /// Makes no more stores.
    ///
    /// - Returns: those that are there.
    private func close() -> [(ID, UInt, Store<State, Action>)] {
        // The task that evicts is cancelled later, because `onEvict` must not run in a task that is cancelled.
        access.withWriting { isClosed = true }
        let stores = (0..<Self.tableCount).flatMap { index in
            compactMapStores(inTable: index) { id, hash, store in (id, hash, store) }
        }
        // Who makes a store puts it into its table before it has it observed: so that is not left to them.
        for (id, hash, store) in stores { follow(store, id, hash) }
        return stores
    }

    /// What a closure, which must call no code of users', makes of the stores of a table, their keys, and the hashes of
    /// these.
    func compactMapStores<Result>(
        inTable index: Int,
        _ transform: (ID, UInt, Store<State, Action>) -> Result?
    ) -> [Result] {
        access.withReading {
            var results: [Result] = []
            let entries = tables[index].stores.entries
            tables[index].stores.forEachIndex { place in
                let hash = tables[index].stores.hash(at: place)
                if let result = transform(entries[place].id, hash, entries[place].store) { results.append(result) }
            }
            return results
        }
    }

    /// Removes the stores whose first state was not loaded, so that nobody takes what stands in for it for a last
    /// state.
    private func removeStoresWithoutState(among stores: [(ID, UInt, Store<State, Action>)]) {
        for (_, hash, store) in stores where !store.hasState {
            let table = table(of: hash)
            let removed = access.withWriting {
                table.pointee.index(of: hash) { $0.store === store }.map { table.pointee.remove(at: $0) }
            }
            for member in (removed?.members ?? [:]).inOrder {
                // The loading of one may still be under way.
                member.cancelAtEnd()
                member.leave()
            }
        }
    }

    private func finishFollowers() {
        let followers = lock.withLock {
            isFollowingOver = true
            return self.followers
        }
        // When the last store has ended, which it has; but who makes one may still be about to have it observed.
        for follower in followers.inOrder { follower.finishWithStores() }
    }

    /// Ends the life of one store in order, whoever uses it; see
    /// `Store.shutdown(drain:within:reserving:clock:isolation:)`. The next one who asks for the key gets a new store.
    ///
    /// If the store's state is being handed over to `onEvict`, this waits for the end of that, and the key gets no new
    /// store before. So whoever keeps the last state afterwards keeps the newest one. The key is free from then on, and
    /// not only when that state has been saved: if others may ask for the key meanwhile, use ``evict(_:)``.
    ///
    /// Several that call it for one store each get its last state: have one of them save it.
    ///
    /// If an effect of the store calls this, the end does not cancel it, so that it can save the state that this
    /// returns.
    ///
    /// - Parameters:
    ///   - id: The key.
    ///   - drain: What happens to running effects.
    /// - Returns: the last state, which does not go to `onEvict`; nil if there was no store, or it never had a state
    ///   because that was still being loaded, or could not be.
    @discardableResult
    public func end(_ id: ID, drain: ShutdownDrain) async -> State? {
        let hash = HashedEntries<Table.Entry>.hash(of: id)
        guard let store = findAmongAll(id, hash) else { return nil }
        let table = table(of: hash)
        access.withWriting {
            guard let index = table.pointee.index(of: hash, where: { $0.store === store }) else { return }
            table.pointee.stores.entries[index].isBeingEnded = true
        }
        await store.shutdown(drain: drain)
        let removed: Table.Entry? = await afterHandOver {
            guard let index = table.pointee.index(of: hash, where: { $0.store === store }) else { return .some(nil) }
            if table.pointee.stores.entries[index].isBeingHandedOver { return nil }
            if isClosed { return .some(nil) }
            handOvers += 1
            return .some(table.pointee.remove(at: index))
        }
        if let removed { endHandOver(of: removed) }
        // Not a snapshot, which traps where a simulation goes on with this in the middle of a reducer.
        return store.hasState ? await store.state : nil
    }
}
