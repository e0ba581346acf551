import ActorStore
import TreeCollections

extension StoreGroup {
    /// Returns an asynchronous sequence of the values of a part of all stores, by key: first the current values, and
    /// then a version after each change.
    ///
    /// ```swift
    /// for await sizes in rooms.values(of: \.members.count) { show(sizes["lobby"]) }    // TreeDictionary<String, Int>
    /// ```
    ///
    /// Versions share what they have in common: taking one costs as much as what has changed since the previous one. A
    /// busy observer receives all changes of the meantime at once. A new store adds its key, and an evicted store
    /// removes its key. The keys change independently: a version need not correspond to one moment, but each value in
    /// it was current at some moment, no value goes back to an older one, and the newest value of each key always
    /// arrives.
    ///
    /// The first version includes what was dispatched before the observation began. The call itself does not wait. The
    /// first version waits for the stores that are reducing an action when the observation begins, and then for what
    /// they had accepted before. It does not wait for a store that loads its first state; its key is added in a later
    /// version.
    ///
    /// The observation retains neither the group nor a store. It ends when the group is shut down or released, after
    /// the newest version, or when the iterating task is cancelled.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    /// - Returns: A sequence of versions.
    /// - Complexity: O(*n*) to begin and to end, where *n* is the number of stores, with an observer in each of them.
    @inlinable
    public func values<Value: Equatable & Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreGroupValues<ID, Value> {
        values(of: FollowablePart(keyPath, at: CodeLocation(fileID: fileID, line: line)))
    }

    /// Returns an asynchronous sequence of the changes in a part of all stores: first all current values, as
    /// insertions, and then differences.
    ///
    /// The observation begins, ends and keeps up as with ``values(of:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    /// - Returns: A sequence of differences.
    /// - Complexity: O(*n*) to begin and to end, where *n* is the number of stores, with an observer in each of them.
    @inlinable
    public func changes<Value: Equatable & Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreGroupChanges<ID, Value> {
        StoreGroupChanges(values: values(of: keyPath, fileID: fileID, line: line))
    }

    @usableFromInline
    func values<Value: Equatable & Sendable>(
        of part: FollowablePart<State, StoreGroupMemberChanges<ID, Value>>
    ) -> StoreGroupValues<ID, Value> {
        StoreGroupValues { [weak self] in
            guard let self else {
                let changes = StoreGroupPendingChanges<ID, Value>()
                changes.finish()
                return StoreGroupSubscription(changes) {}
            }
            let feed = StoreGroupFeed<ID, State, Action, Value>(part, number: nextFollowerNumber())
            follow(with: feed)
            return StoreGroupSubscription(feed.changes) { [weak self] in self?.leave(feed) }
        }
    }
}

extension StoreGroup {
    /// Returns a unique number for a follower.
    private func nextFollowerNumber() -> UInt64 {
        lock.withLock {
            lastFollower += 1
            return lastFollower
        }
    }

    /// Adds a follower to all current and future stores.
    private func follow(with follower: any StoreGroupFollower<ID, State, Action>) {
        // Before the stores are enumerated, so that a store created meanwhile is found by one side or the other.
        isFollowed.storeSequentiallyConsistent(true)
        // A follower that is added during a shutdown is finished at the end of the shutdown, with the others.
        let isOver = lock.withLock {
            followers[follower.number] = follower
            return isFollowingOver
        }
        for index in 0..<Self.tableCount {
            for (id, hash, store) in references(inTable: index) { follow(store, id, hash, with: follower) }
        }
        if isOver { follower.finishWithStores() }
        follower.endLook()
    }

    /// Adds all followers to a new store.
    func follow(_ store: Store<State, Action>, _ id: ID, _ hash: UInt) {
        guard isFollowed.loadSequentiallyConsistent() else { return }
        for follower in lock.withLock({ followers }).inOrder { follow(store.reference, id, hash, with: follower) }
    }

    /// Returns references to the stores of a table, with their keys and the hashes of these. A strong reference to a
    /// store would count as a use.
    private func references(inTable index: Int) -> [(ID, UInt, StoreReference<State, Action>)] {
        compactMapStores(inTable: index) { id, hash, store in (id, hash, store.reference) }
    }

    /// Adds a follower to a store, unless it has been added already, or one of them is gone.
    ///
    /// - Complexity: O(1) on average; lookups in the group wait meanwhile.
    private func follow(
        _ store: StoreReference<State, Action>,
        _ id: ID,
        _ hash: UInt,
        with follower: any StoreGroupFollower<ID, State, Action>
    ) {
        let member = follower.makeMember(id)
        let table = table(of: hash)
        let isAdded = access.withWriting {
            guard let index = table.pointee.index(of: hash, where: { store.isInTree(of: $0.store) }),
                !follower.isGone, table.pointee.stores.entries[index].members[follower.number] == nil
            else { return false }
            table.pointee.stores.entries[index].members[follower.number] = member
            return true
        }
        // If the follower leaves from now on, it finds the member and cancels it, and the member does not begin.
        if isAdded { follower.begin(member, in: store) } else { member.discard() }
    }

    /// Ends the observations of a follower.
    private func leave(_ follower: any StoreGroupFollower<ID, State, Action>) {
        follower.leave()
        lock.withLock { followers[follower.number] = nil }
        for index in 0..<Self.tableCount {
            // The members are ended outside the lock.
            let members: [any AnyFollowedPart] = access.withWriting {
                var members: [any AnyFollowedPart] = []
                let entries = tables[index].stores.entries
                tables[index].stores.forEachIndex { place in
                    guard let member = entries[place].members.removeValue(forKey: follower.number) else { return }
                    members.append(member)
                    // Frees the storage of an empty table.
                    if entries[place].members.isEmpty { entries[place].members = [:] }
                }
                return members
            }
            for member in members { member.cancel() }
        }
    }
}
