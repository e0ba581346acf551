import TreeCollections

extension StoreGroup {
    /// Follows a part of the states of all stores: the current values by key first, and then a version after each change.
    ///
    /// ```swift
    /// for await sizes in rooms.values(of: \.members.count) { show(sizes["lobby"]) }    // TreeDictionary<String, Int>
    /// ```
    ///
    /// Versions share what they have in common: taking one costs what has changed since the one before. An observer who is
    /// busy gets all changes of the meantime at once. A store that comes adds its key, and one that is evicted takes its
    /// own away. The keys change independently of each other: a version need not be one that was there at any moment, but
    /// each value in it was, none goes back, and the newest of each always arrives.
    ///
    /// It keeps neither the group nor a store: it ends when the group is shut down or released, after the newest version,
    /// or when the iterating task is cancelled.
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
        values { store in
            store.view[keyPath]
        } observe: { store, body in
            store.observe(keyPath, fileID: fileID, line: line, body)
        }
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
        read: @escaping @Sendable (Store<State, Action>) -> Value,
        observe: @escaping @Sendable (Store<State, Action>, @escaping @Sendable (Value) -> Void) -> Observation
    ) -> StoreGroupValues<ID, Value> {
        StoreGroupValues { [weak self] in
            let feed = StoreGroupFeed<ID, State, Action, Value>(read: read, observe: observe)
            guard let self, follow(with: feed) else {
                feed.finish()
                return StoreGroupSubscription(feed.news) {}
            }
            return StoreGroupSubscription(feed.news) { [weak self] in self?.leave(feed) }
        }
    }
}

extension StoreGroup {
    /// Has a follower follow all stores, those that there are, and those that come.
    ///
    /// - Returns: whether there can be any more; if not, it follows those that there were.
    private func follow(with follower: StoreGroupFollower<ID, State, Action>) -> Bool {
        // Before the stores are looked through, so that one that comes meanwhile is found by the one or the other.
        isFollowed.store(true, ordering: .sequentiallyConsistent)
        lock.withLock { followers.append(follower) }
        var isClosed = false
        for index in 0..<Self.shardCount {
            let entries: [(ID, Int, Store<State, Action>)] = shards[index].lock.withLock {
                isClosed = isClosed || shards[index].isClosed
                var entries: [(ID, Int, Store<State, Action>)] = []
                shards[index].table.forEach { entry, hash in entries.append((entry.id, hash, entry.store)) }
                return entries
            }
            for (id, hash, store) in entries { follow(store, id, hash, with: follower) }
        }
        if isClosed { follower.finish() }
        return true
    }

    /// Has all followers follow a store that has come.
    func follow(_ store: Store<State, Action>, _ id: ID, _ hash: Int) {
        guard isFollowed.load(ordering: .sequentiallyConsistent) else { return }
        let followers = lock.withLock { self.followers }
        for follower in followers { follow(store, id, hash, with: follower) }
    }

    /// Has a follower follow a store, unless it does already, or one of them has gone.
    private func follow(
        _ store: Store<State, Action>,
        _ id: ID,
        _ hash: Int,
        with follower: StoreGroupFollower<ID, State, Action>
    ) {
        let member = follower.makeMember(id)
        let shard = shard(of: hash)
        let isAdded = shard.pointee.lock.withLock {
            let place = shard.pointee.table.index(of: hash) { $0.store === store }
            return place.flatMap { place in
                shard.pointee.table.update(at: place) { entry in
                    guard !entry.members.contains(where: { $0.follower == member.follower }) else { return false }
                    entry.members.append(member)
                    return true
                }
            }
        }
        guard isAdded == true else { return }
        follower.begin(member, store)
        // It may have left before there was a member to take away.
        if follower.isGone { member.cancel() }
    }

    /// Ends what a follower observes.
    private func leave(_ follower: StoreGroupFollower<ID, State, Action>) {
        follower.leave()
        lock.withLock { followers.removeAll { $0 === follower } }
        let identity = ObjectIdentifier(follower)
        for index in 0..<Self.shardCount {
            // Their ends are looked after outside the lock.
            let members: [StoreGroupMember] = shards[index].lock.withLock {
                var members: [StoreGroupMember] = []
                shards[index].table.forEach { entry, _ in
                    guard let place = entry.members.firstIndex(where: { $0.follower == identity }) else { return }
                    members.append(entry.members.remove(at: place))
                }
                return members
            }
            for member in members { member.cancel() }
        }
    }
}
