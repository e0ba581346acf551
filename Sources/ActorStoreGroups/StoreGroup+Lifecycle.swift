import ActorStore

extension StoreGroup {
    /// Shuts down all stores concurrently; see `Store.shutdown(drain:within:reserving:clock:isolation:)`.
    ///
    /// From the moment of the call, no stores are created. For keys without a store, `send` returns
    /// `SendOutcome.refused(_:)` with `StoreError.shutDown`, and `dispatch` throws that error. (The subscript creates a
    /// store that refuses actions, because it must return one.) When this method returns, all stores have ended, and so
    /// have the observations of the group, after the newest version. The stores keep their last states until the group
    /// is released; they are not evicted. A store whose first state was not loaded has no last state, and is removed.
    ///
    /// After this call, `onEvict` is not called again. Without a limit, this method returns only when calls that had
    /// begun before have returned, also if its task is cancelled. So if you save the last states afterwards, you save
    /// the newest ones. With a limit, such a call can still be saving an older state: let it stop when its task is
    /// cancelled, or let the storage refuse an older state, for example by a revision in the state.
    ///
    /// If an effect of one of the stores calls this, the end of its own store does not cancel that effect, and the
    /// effects of the other stores are still finished. Effects of several stores that call this do not wait for each
    /// other. The same holds for an effect that calls this and an effect that calls ``end(_:drain:)`` for its store.
    ///
    /// ```swift
    /// for (room, report) in await rooms.shutdown(drain: .finishEffects, within: .seconds(25)) {
    ///     logger.error("\(room): \(report)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - drain: What happens to running effects; with a limit, what happens to them first.
    ///   - limit: The total time limit; nil for no limit. It applies equally to each store, because all are shut down
    ///     concurrently, and to the calls of `onEvict` in progress. Calls that take longer continue, in a cancelled
    ///     task if the group started the eviction; they are not in the result.
    ///   - reserve: The part of the limit that is reserved for effects that have to be cancelled; by default a tenth.
    ///   - clock: The clock for the limit. Tests can pass their own.
    /// - Returns: Reports of the work that is still running, by the keys of its stores. Empty if nothing is, as is
    ///   always the case without a limit. An effect of one of the stores that calls this is not included.
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

    /// Shuts down all stores.
    ///
    /// - Parameters:
    ///   - wait: Waits for the end of one store.
    ///   - waitForHandOvers: Waits for the calls of `onEvict` in progress.
    /// - Returns: Reports of the work that is still running, by the keys of its stores.
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

    /// Starts the shutdown of all stores. If an effect requests it, all stores record that effect before the end of any
    /// store has consequences, and all shutdowns have started before effects are cancelled because of `drain`: an
    /// effect that is cancelled, also by the end of its store, passes its cancellation on to other stores whose ends it
    /// awaits.
    private func beginShutdown(
        of stores: [(ID, UInt, Store<State, Action>)],
        _ drain: ShutdownDrain
    ) -> [(ID, MemberShutdown)] {
        let shutdowns = stores.map { id, _, store in (id, MemberShutdown(of: store, in: ending)) }
        // The caller's own store first: otherwise it would repeatedly check an effect that waits for others.
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
        // No child tasks: neither `onEvict` nor a clock that is slow to react to cancellation must delay this.
        let promise = Promise<Void>()
        // It may continue after this returns, and must then not be part of the calling effect.
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

    /// Stops the creation of stores.
    ///
    /// - Returns: The existing stores.
    private func close() -> [(ID, UInt, Store<State, Action>)] {
        // The evicting task is cancelled later, because `onEvict` must not run in a cancelled task.
        access.withWriting { isClosed = true }
        let stores = (0..<Self.tableCount).flatMap { index in
            compactMapStores(inTable: index) { id, hash, store in (id, hash, store) }
        }
        // A thread that creates a store puts it into its table before it adds the observers. So they are added here,
        // too.
        for (id, hash, store) in stores { follow(store, id, hash) }
        return stores
    }

    /// Maps the stores of a table, their keys and the hashes of these. The closure must not call user code.
    ///
    /// - Complexity: O(*n*), where *n* is the number of stores of the table.
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

    /// Removes the stores whose first state was not loaded, so that their placeholder states are not taken for last
    /// states.
    private func removeStoresWithoutState(among stores: [(ID, UInt, Store<State, Action>)]) {
        for (_, hash, store) in stores where !store.hasState {
            let table = table(of: hash)
            let removed = access.withWriting {
                table.pointee.index(of: hash) { $0.store === store }.map { table.pointee.remove(at: $0) }
            }
            for member in (removed?.members ?? [:]).inOrder {
                // The loading of a store may still be in progress.
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
        // Finishes when the last store has ended, as it has. But a thread that creates a store may still be about to
        // add observers.
        for follower in followers.inOrder { follower.finishWithStores() }
    }

    /// Ends one store, even if it is in use; see `Store.shutdown(drain:within:reserving:clock:isolation:)`. The next
    /// request for the key creates a new store.
    ///
    /// If the store's state is being handed over to `onEvict`, this waits until that is done; the key gets no new store
    /// before. So if you save the last state afterwards, you save the newest one. The key is free as soon as the store
    /// has ended, and not only when that state has been saved: if the key may be requested meanwhile, use ``evict(_:)``
    /// instead.
    ///
    /// If several callers end the same store, each gets its last state: have only one of them save it.
    ///
    /// If an effect of the store calls this, the end of the store does not cancel that effect, so that it can save the
    /// returned state.
    ///
    /// - Parameters:
    ///   - id: The key.
    ///   - drain: What happens to running effects.
    /// - Returns: The last state, which is not passed to `onEvict`; nil if there was no store, or if it never had a
    ///   state because that was still being loaded, or could not be loaded.
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
        // Not a snapshot, which traps if a simulation resumes this in the middle of a reducer.
        return store.hasState ? await store.state : nil
    }
}
