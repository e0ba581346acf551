extension StoreCore {
    /// Begins to observe a part of the state.
    @inlinable
    func subscribe<Value: Equatable & Sendable>(
        to keyPath: KeyPath<State, Value> & Sendable,
        policy: BufferingPolicy
    ) -> Subscription<Value> {
        let group = join(keyPath)
        return subscribe(to: group, of: keyPath, policy: policy, watcher: watcher(of: keyPath, for: group))
    }

    /// How changes of a part are found. Inlinable, so that the types are known in the closure: it runs after each turn.
    @inlinable
    func watcher<Value: Equatable & Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        for group: Broadcast<Value>
    ) -> Watcher<State> {
        if let part = StoredPart(keyPath) {
            return Watcher(group: group) { state in
                if part.load(from: state) != group.newest { group.publish(part.load(from: state)) }
            }
        }
        return Watcher(group: group) { state in
            let value = state.pointee[keyPath: keyPath]
            if value != group.newest { group.publish(value) }
        }
    }

    @usableFromInline
    func join<Value: Equatable & Sendable>(_ keyPath: KeyPath<State, Value> & Sendable) -> Broadcast<Value> {
        groups.join(keyPath)
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
        return Subscription(broadcast: group, slot: slot, leave: leaving(group, of: keyPath))
    }

    /// Has `body` called with the current value, and with each other one after it.
    @inlinable
    func observe<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Observation {
        let group = join(keyPath)
        return observe(group, of: keyPath, watcher: watcher(of: keyPath, for: group), body)
    }

    @usableFromInline
    func observe<Value: Equatable & Sendable>(
        _ group: Broadcast<Value>,
        of keyPath: KeyPath<State, Value> & Sendable,
        watcher: Watcher<State>,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Observation {
        let observer = ClosureObserver(body)
        let leave = leaving(group, of: keyPath)
        submit { core in
            core.watch(group, of: keyPath, with: watcher)
            group.add(observer)
        }
        return Observation { [weak self] in
            observer.cancel()
            self?.submit { _ in group.remove(observer) }
            leave()
        }
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
        updateFlags()
    }

    /// What an observer of a part does when it goes.
    private func leaving<Value: Sendable>(
        _ group: Broadcast<Value>,
        of keyPath: KeyPath<State, Value> & Sendable
    ) -> @Sendable () -> Void {
        { [weak self] in
            guard let self, self.groups.leave(keyPath) else { return }
            self.submit { core in core.unwatch(group) }
        }
    }

    private func unwatch(_ group: AnyObject) {
        watchers.removeAll { $0.group === group }
        updateFlags()
    }

    /// Begins to observe actions.
    func subscribeToActions(policy: BufferingPolicy) -> Subscription<(action: Action, state: State)> {
        let slot = Slot<(action: Action, state: State)>(policy: policy)
        submit { core in
            core.actionBroadcast.activate(slot, withNewest: false)
            core.actionObservers += 1
            core.updateFlags()
        }
        return Subscription(broadcast: actionBroadcast, slot: slot) { [weak self] in
            self?.submit { core in
                core.actionObservers -= 1
                core.updateFlags()
            }
        }
    }

    /// Begins to observe errors; the first observer gets those that happened before, too.
    func subscribeToErrors(policy: BufferingPolicy) -> Subscription<StoreFailure> {
        let slot = Slot<StoreFailure>(policy: policy)
        submit { core in
            core.failureBroadcast.activate(slot, withNewest: false)
            core.failures.flush()
        }
        return Subscription(broadcast: failureBroadcast, slot: slot) {}
    }
}
