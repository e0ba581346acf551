extension StoreCore {
    /// Begins to observe a part of the state.
    @inlinable
    func subscribe<Value: Equatable & Sendable>(
        to keyPath: KeyPath<State, Value> & Sendable,
        policy: BufferingPolicy
    ) -> Subscription<Value> {
        let group = join(keyPath, areEqual: ==)
        return subscribe(to: group, of: keyPath, policy: policy, watcher: watcher(of: keyPath, for: group))
    }

    /// How changes of a part are found. Inlinable, so that the types are known in the closure: it runs after each turn.
    @inlinable
    func watcher<Value: Equatable & Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        for group: Broadcast<Value>
    ) -> Watcher<State> {
        if let part = StoredPart(keyPath) {
            return Watcher(group: group, filter: PartFilter(part, last: group.place)) { state in
                if part.load(from: state) != group.newest { group.publish(part.load(from: state)) }
            }
        }
        return Watcher(group: group, filter: .passing) { state in
            let value = state.pointee[keyPath: keyPath]
            if value != group.newest { group.publish(value) }
        }
    }

    @usableFromInline
    func join<Value: Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        areEqual: @escaping @Sendable (Value, Value) -> Bool
    ) -> Broadcast<Value> {
        groupTable.join(keyPath, areEqual: areEqual)
    }

    @usableFromInline
    func subscribe<Value: Equatable & Sendable>(
        to group: Broadcast<Value>,
        of keyPath: KeyPath<State, Value> & Sendable,
        policy: BufferingPolicy,
        watcher: Watcher<State>
    ) -> Subscription<Value> {
        let slot = Slot<Value>(policy: policy)
        submit { core in
            core.watch(group, of: keyPath, with: watcher)
            group.activate(slot, withNewest: true)
        }
        return Subscription(broadcast: group, slot: slot, subject: .part(keyPath), owner: self)
    }

    /// Has `body` called with the current value, and with each other one after it.
    @inlinable
    func observe<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Observation {
        let group = join(keyPath, areEqual: ==)
        return observe(group, of: keyPath, watcher: watcher(of: keyPath, for: group), body)
    }

    @usableFromInline
    func observe<Value: Equatable & Sendable>(
        _ group: Broadcast<Value>,
        of keyPath: KeyPath<State, Value> & Sendable,
        watcher: Watcher<State>,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Observation {
        let observer = ClosureObserver(group: group, subject: .part(keyPath), owner: self, body)
        submit { core in
            core.watch(group, of: keyPath, with: watcher)
            group.add(observer)
        }
        return Observation(of: observer)
    }

    /// The table of groups, made when the first observer comes.
    private var groupTable: GroupTable {
        groups.load() ?? groups.storeIfNil(GroupTable())
    }

    /// Has the store look out for changes of a group's part from now on.
    private func watch<Value: Equatable & Sendable>(
        _ group: Broadcast<Value>,
        of keyPath: KeyPath<State, Value> & Sendable,
        with watcher: Watcher<State>
    ) {
        guard !group.isWatched else { return }
        group.isWatched = true
        group.start(with: state[keyPath: keyPath])
        guard !lifecycle.isEnded else { return group.finish() }
        watchers.append(watcher)
        filters.append(watcher.filter)
        updateFlags()
    }

    private func unwatch(_ group: AnyObject) {
        guard let index = watchers.firstIndex(where: { $0.group === group }) else { return }
        watchers.remove(at: index)
        filters.remove(at: index)
        updateFlags()
    }

    /// Begins to observe actions.
    func subscribeToActions(policy: BufferingPolicy) -> Subscription<(action: Action, state: State)> {
        let broadcast: Broadcast<(action: Action, state: State)> = groupTable.actionGroup()
        let slot = Slot<(action: Action, state: State)>(policy: policy)
        submit { core in
            core.actionGroup = broadcast
            broadcast.activate(slot, withNewest: false)
            guard !core.lifecycle.isEnded else { return broadcast.finish() }
            core.actionObservers += 1
            core.updateFlags()
        }
        return Subscription(broadcast: broadcast, slot: slot, subject: .actions, owner: self)
    }

    /// Begins to observe errors; the first observer gets those that happened before, too.
    func subscribeToErrors(policy: BufferingPolicy) -> Subscription<StoreFailure> {
        let broadcast = groupTable.failureGroup()
        let slot = Slot<StoreFailure>(policy: policy)
        submit { core in
            broadcast.activate(slot, withNewest: false)
            core.failures.flush(to: broadcast)
            if core.lifecycle.isEnded { broadcast.finish() }
        }
        return Subscription(broadcast: broadcast, slot: slot, subject: .failures, owner: self)
    }
}

extension StoreCore: ObservationOwner {
    func inTurn(_ task: @escaping @Sendable () -> Void) {
        submit { _ in task() }
    }

    func leave(_ subject: ObservedSubject, _ group: AnyObject & Sendable) {
        switch subject {
        case .part(let keyPath):
            if groupTable.leave(keyPath) { submit { core in core.unwatch(group) } }
        case .actions:
            submit { core in
                core.actionObservers -= 1
                core.updateFlags()
            }
        case .failures:
            break
        }
    }
}
