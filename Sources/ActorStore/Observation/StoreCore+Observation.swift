extension StoreCore {
    /// Begins to observe something.
    @usableFromInline
    func subscribe<Value: Sendable>(
        to observed: Observed<State, Value>,
        policy: BufferingPolicy,
        at source: SourceLocation
    ) -> Subscription<Value> {
        let (group, subject) = join(observed)
        let watcher = observed.makeWatcher(group)
        let slot = makeSlot(of: Value.self, policy, source)
        submit { core in
            core.suspension = slot.suspension ?? core.suspension
            core.watch(group, with: watcher)
            group.activate(slot, withNewest: true, revision: core.revision.load(ordering: .relaxed))
        }
        return Subscription(broadcast: group, slot: slot, subject: subject, owner: self)
    }

    /// Has `body` called with the current value, and with each other one after it.
    @usableFromInline
    func observe<Value: Sendable>(
        _ observed: Observed<State, Value>,
        at source: SourceLocation,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Observation {
        let (group, subject) = join(observed)
        let observer = ClosureObserver(
            group: group,
            subject: subject,
            owner: self,
            source: groupTable.number(of: source),
            body
        )
        begin(observer, in: group, watcher: observed.makeWatcher(group))
        return Observation(of: observer)
    }

    /// The same, bound to an object that is not kept alive: it ends when there is something to tell and the object is gone.
    @usableFromInline
    func observe<Value: Sendable, Owner: AnyObject & Sendable>(
        _ observed: Observed<State, Value>,
        owner: Owner,
        at source: SourceLocation,
        _ body: @escaping @Sendable (Owner, Value) -> Void
    ) -> Observation {
        let binding = ObservationBinding(owner: owner)
        let (group, subject) = join(observed)
        let number = groupTable.number(of: source)
        let observer = ClosureObserver(group: group, subject: subject, owner: self, source: number) { value in
            guard let owner = binding.owner else { return binding.observer?.cancelObservation() ?? () }
            body(owner, value)
        }
        binding.observer = observer
        begin(observer, in: group, watcher: observed.makeWatcher(group))
        return Observation(of: observer, endsWhenReleased: false)
    }

    private func begin<Value: Sendable>(
        _ observer: ClosureObserver<Value>,
        in group: Broadcast<Value>,
        watcher: Watcher<State>
    ) {
        submit { core in
            core.watch(group, with: watcher)
            group.add(observer, revision: core.revision.load(ordering: .relaxed))
        }
    }

    private func join<Value: Sendable>(_ observed: Observed<State, Value>) -> (Broadcast<Value>, ObservedSubject) {
        guard let key = observed.key else {
            return (Broadcast(areEqual: observed.areEqual, keepsNewest: true), .unshared)
        }
        return (groupTable.join(key, areEqual: observed.areEqual), .shared(key))
    }

    func makeSlot<Element: Sendable>(
        of type: Element.Type,
        _ policy: BufferingPolicy,
        _ source: SourceLocation?
    ) -> Slot<Element> {
        Slot(
            policy: policy,
            source: source.map(groupTable.number) ?? 0,
            suspension: policy.suspendsStore ? makeSuspension() : nil
        )
    }

    /// The table of groups, made when the first observer comes.
    var groupTable: GroupTable {
        groups.load() ?? groups.storeIfNil(GroupTable())
    }

    /// Has the store look out for changes on behalf of a group from now on.
    private func watch<Value: Sendable>(_ group: Broadcast<Value>, with watcher: Watcher<State>) {
        guard !group.isWatched else { return }
        group.isWatched = true
        withUnsafePointer(to: &state) { watcher.start($0) }
        guard !lifecycle.isEnded else { return group.finish() }
        watch(watcher)
    }

    func watch(_ watcher: Watcher<State>) {
        watchers.append(watcher)
        filters.append(watcher.filter)
        updateFlags()
    }

    func unwatch(_ group: AnyObject) {
        guard let index = watchers.firstIndex(where: { $0.group === group }) else { return }
        watchers.remove(at: index)
        filters.remove(at: index)
        updateFlags()
    }

    /// Begins to observe actions.
    func subscribeToActions(
        policy: BufferingPolicy,
        at source: SourceLocation?
    ) -> Subscription<(action: Action, state: State)> {
        let broadcast: Broadcast<(action: Action, state: State)> = groupTable.actionGroup()
        let slot = makeSlot(of: (action: Action, state: State).self, policy, source)
        submit { core in
            core.suspension = slot.suspension ?? core.suspension
            core.actionGroup = broadcast
            broadcast.activate(slot, withNewest: false, revision: core.revision.load(ordering: .relaxed))
            guard !core.lifecycle.isEnded else { return broadcast.finish() }
            core.actionObservers += 1
            core.updateFlags()
        }
        return Subscription(broadcast: broadcast, slot: slot, subject: .actions, owner: self)
    }

    /// Begins to observe errors; the first observer gets those that happened before, too.
    func subscribeToErrors(policy: BufferingPolicy) -> Subscription<StoreFailure> {
        let broadcast = groupTable.failureGroup()
        let slot = makeSlot(of: StoreFailure.self, policy, nil)
        submit { core in
            broadcast.activate(slot, withNewest: false, revision: core.revision.load(ordering: .relaxed))
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
        case .shared(.entry(let keyPath, let key)):
            guard groupTable.leave(.entry(keyPath, key)) else { return }
            submit { core in core.unwatch(keyPath, key, group) }
        case .shared(let key):
            if groupTable.leave(key) { submit { core in core.unwatch(group) } }
        case .unshared:
            submit { core in core.unwatch(group) }
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
