import ActorStore
import TreeCollections

extension StoreGroup {
    /// Follows a part of the states of all stores: the current values by key first, and then a version after each
    /// change.
    ///
    /// ```swift
    /// for await sizes in rooms.values(of: \.members.count) { show(sizes["lobby"]) }    // TreeDictionary<String, Int>
    /// ```
    ///
    /// Versions share what they have in common: taking one costs what has changed since the one before. An observer who
    /// is busy gets all changes of the meantime at once. A store that comes adds its key, and one that is evicted takes
    /// its own away. The keys change independently of each other: a version need not be one that was there at any
    /// moment, but each value in it was, none goes back, and the newest of each always arrives.
    ///
    /// The first version has what was dispatched before the observation began. The call itself waits for nothing; the
    /// first version waits for the stores in which an action is being reduced when the observation begins, and then for
    /// what they had accepted before. It does not wait for a store that loads its first state, whose key comes with a
    /// later version.
    ///
    /// It keeps neither the group nor a store: it ends when the group is shut down or released, after the newest
    /// version, or when the iterating task is cancelled.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    /// - Complexity: O(*n*) to begin and to end, where *n* is the number of stores, with an observer in each of them.
    @inlinable
    public func values<Value: Equatable & Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreGroupValues<ID, Value> {
        values(of: FollowablePart(keyPath, at: CodeLocation(fileID: fileID, line: line)))
    }

    /// Follows what changes in a part of the states of all stores: all current values first, as inserted, and then
    /// differences; otherwise like ``values(of:fileID:line:)``.
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
    /// A number for a follower, which no other one has ever had.
    private func nextFollowerNumber() -> UInt64 {
        lock.withLock {
            lastFollower += 1
            return lastFollower
        }
    }

    /// Has a follower follow all stores, those that there are, and those that come.
    private func follow(with follower: any StoreGroupFollower<ID, State, Action>) {
        // Before the stores are looked through, so that one that comes meanwhile is found by the one or the other.
        isFollowed.storeSequentiallyConsistent(true)
        // One that comes during a shutdown is finished at the end of that, with the others.
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

    /// Has all followers follow a store that has come.
    func follow(_ store: Store<State, Action>, _ id: ID, _ hash: UInt) {
        guard isFollowed.loadSequentiallyConsistent() else { return }
        for follower in lock.withLock({ followers }).inOrder { follow(store.reference, id, hash, with: follower) }
    }

    /// References to the stores of a table, with their keys and the hashes of these. A store itself would be in use by
    /// it.
    private func references(inTable index: Int) -> [(ID, UInt, StoreReference<State, Action>)] {
        compactMapStores(inTable: index) { id, hash, store in (id, hash, store.reference) }
    }

    /// Has a follower follow a store, unless it does already, or one of them has gone.
    ///
    /// - Complexity: O(1) on average, because nobody can find a store of the group meanwhile.
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
        // If it leaves from now on it finds the member, and cancels it, which then does not begin.
        if isAdded { follower.begin(member, in: store) } else { member.discard() }
    }

    /// Ends what a follower observes.
    private func leave(_ follower: any StoreGroupFollower<ID, State, Action>) {
        follower.leave()
        lock.withLock { followers[follower.number] = nil }
        for index in 0..<Self.tableCount {
            // Their ends are looked after outside the lock.
            let members: [any AnyFollowedPart] = access.withWriting {
                var members: [any AnyFollowedPart] = []
                let entries = tables[index].stores.entries
                tables[index].stores.forEachIndex { place in
                    guard let member = entries[place].members.removeValue(forKey: follower.number) else { return }
                    members.append(member)
                    // A table for many of them is not kept for none.
                    if entries[place].members.isEmpty { entries[place].members = [:] }
                }
                return members
            }
            for member in members { member.cancel() }
        }
    }
}
