extension TreeRoot {
    /// Begins to observe something.
    @usableFromInline
    final func subscribe<State: Sendable, Value: Sendable>(
        to observed: Observed<State, Value>,
        in place: StateLocation,
        through host: (any DependentObserverHost)?,
        policy: BufferingPolicy,
        at source: CodeLocation
    ) -> Subscription<Value> {
        let place = place.ofOneObserver
        let (group, observed) = (join(observed, place), ObservedSource(observed, in: place))
        let subscriber = makeSubscriber(of: Value.self, policy, source)
        let stay = host.map { DependentRegistration(of: DependentSequence(group, subscriber), at: $0) }
        inTurn { [self] in
            if subscriber.suspension != nil { extras.insert(.suspension) }
            watch(group, observed)
            let withNewest = observed.replay == .current && hasState
            group.activate(subscriber, withNewest: withNewest, revision: revision.loadRelaxed())
            if withNewest { group.endIfNewestIsLast() }
            // Behind that, so that what has ended already leaves it the newest element.
            stay?.begin()
        }
        return Subscription(broadcast: group, subscriber: subscriber, root: self, keeping: stay)
    }

    /// Has `body` called with the current value, and with each other one after it.
    ///
    /// - Parameters:
    ///   - isDriver: Whether it is a part of the store, and no use of it.
    ///   - then: Called in the turn in which the observation begins, after `body`.
    @usableFromInline
    final func observe<State: Sendable, Value: Sendable>(
        _ observed: Observed<State, Value>,
        in place: StateLocation,
        through host: (any DependentObserverHost)?,
        isDriver: Bool = false,
        at source: CodeLocation,
        then: ((StoreObservation) -> Void)? = nil,
        finish: (@Sendable () -> Void)? = nil,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> StoreObservation {
        let place = place.ofOneObserver
        let (group, number) = (join(observed, place), number(of: source))
        let observed = ObservedSource(observed, in: place)
        let observer = ClosureObserver(
            group: group,
            root: self,
            source: number,
            host: host,
            isDriver: isDriver,
            finish: finish,
            body
        )
        let observation = StoreObservation(of: observer)
        inTurn { [self] in
            add(observer, observed, host, hasState ? observed.replay : .none)
            then?(observation)
        }
        return observation
    }

    /// Has `body` called with each value after the current one, in the turns after this one. In a turn that ends with
    /// ``startDrivenEffects()``.
    final func observeAfterThisTurn<State: Sendable, Value: Sendable>(
        _ observed: Observed<State, Value>,
        in place: StateLocation,
        through host: (any DependentObserverHost)?,
        at source: CodeLocation,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Postponement {
        let place = place.ofOneObserver
        let (group, observed) = (join(observed, place), ObservedSource(observed, in: place))
        let observer = ClosureObserver(
            group: group,
            root: self,
            source: number(of: source),
            host: host,
            isDriver: true,
            body
        )
        drivenWork.observations.append { [self] in
            guard !observer.isCancelled else { return }
            add(observer, observed, host, .none)
        }
        return Postponement { observer.cancelInTurn(isEnd: $0) }
    }

    private func add<Value: Sendable>(
        _ observer: ClosureObserver<Value>,
        _ observed: ObservedSource<Value>,
        _ host: (any DependentObserverHost)?,
        _ replay: Replay
    ) {
        watch(observer.group, observed)
        observer.group.add(observer, replay, revision: revision.loadRelaxed())
        if replay == .current { observer.group.endIfNewestIsLast() }
        if !observer.group.isFinished { host?.admit(observer) }
    }

    private func join<State: Sendable, Value: Sendable>(
        _ observed: Observed<State, Value>,
        _ place: StateLocation
    ) -> Broadcast<Value> {
        observerCount.addRelaxed(1)
        let (subject, areEqual, source) = (observed.subject, observed.areEqual, place.source)
        guard let part = observed.part else {
            let group = Broadcast(
                areEqual: areEqual,
                keepsNewest: true,
                subject: subject,
                source: source,
                deferred: deferred
            )
            if let isLast = observed.isLast {
                // In a turn of its own, because observers are being told when the last value comes.
                group.limit = BroadcastLimit(isLast) { [weak self, weak group] in self?.inTurn { group?.finish() } }
            }
            return group
        }
        let key = GroupKey(offset: place.offset + observed.byteRange.offset, part: part)
        return source.groups.join(key, subject: subject, areEqual: areEqual, in: source, deferred: deferred)
    }

    /// Has the store look out for changes on behalf of a group from now on.
    private func watch<Value: Sendable>(_ group: Broadcast<Value>, _ observed: ObservedSource<Value>) {
        guard !group.isWatched else { return refresh(group, observed) }
        group.isWatched = true
        observed.watch(group, observed.place, self)
        let source = observed.place.source
        if hasEnded(source) { source.finishObservations(in: self) }
    }

    /// Has a group that is shared begin for a new observer with what is stored now: that can differ from what the
    /// others were told last by what `==` does not compare, such as everything but an identity.
    private func refresh<Value: Sendable>(_ group: Broadcast<Value>, _ observed: ObservedSource<Value>) {
        guard group.hasNewest else { return }
        let place = observed.place
        if let refresh = observed.refresh { return refresh(group, place) }
        guard let offset = observed.storedOffset else { return }
        let filter = ByteFilter(offset: offset, size: MemoryLayout<Value>.size, last: group.place)
        place.source.withState { state in
            guard filter.mayHaveChanged(in: state) else { return }
            // Sound: the part says that a `Value` is stored there, at rest.
            group.start(with: (state + offset).assumingMemoryBound(to: Value.self).pointee)
        }
    }

    private func hasEnded(_ source: ObservableStorage) -> Bool {
        source.isFinished || lifecycle.isEnded || (source as? DerivedStorage)?.hasEnded == true
    }

    final func makeSubscriber<Element: Sendable>(
        of type: Element.Type,
        _ policy: BufferingPolicy,
        _ source: CodeLocation?
    ) -> Subscriber<Element> {
        Subscriber(
            policy: policy,
            source: source.map(number) ?? 0,
            suspension: policy.suspendsStore ? makeSuspension() : nil
        )
    }

    private func number(of source: CodeLocation) -> UInt32 { observers.number(of: source) }

    /// Begins to observe errors; the first observer gets those that happened before, too.
    final func subscribeToErrors(policy: BufferingPolicy) -> Subscription<StoreFailure> {
        let group = observers.failureGroup(deferred)
        let subscriber = makeSubscriber(of: StoreFailure.self, policy, nil)
        observerCount.addRelaxed(1)
        inTurn { [self] in
            group.activate(subscriber, withNewest: false, revision: revision.loadRelaxed())
            failures.flush(to: group)
            if lifecycle.isEnded { group.finish() }
        }
        return Subscription(broadcast: group, subscriber: subscriber, root: self)
    }

    /// Takes note that an observer has gone.
    final func leave(_ group: any ObservedGroup & Sendable) {
        observerCount.subtractRelaxed(1)
        guard let source = group.source else { return }
        switch group.subject {
        case .actions:
            inTurn { source.actionObserverLeft() }
        case .failures:
            break
        default:
            guard let key = group.key else { return inTurn { [self] in source.unwatch(group, in: self) } }
            if source.groups.leave(key) { inTurn { [self] in source.unwatch(group, of: key, in: self) } }
        }
    }

    /// Takes note that an observer has gone. In the turn, and without a message, which would come behind all others,
    /// and which the thread that ends a store would release with all that it holds.
    ///
    /// - Parameter isEnd: Whether that is because what it observes through has ended.
    final func leaveInTurn(_ group: any ObservedGroup, isEnd: Bool) {
        observerCount.subtractRelaxed(1)
        // Nobody is looked out for any more where all has ended.
        guard let source = group.source, !source.isFinished else { return }
        switch group.subject {
        case .actions:
            source.actionObserverLeft()
        case .failures:
            break
        default:
            guard let key = group.key else { return source.unwatch(group, isEnd: isEnd, in: self) }
            if source.groups.leave(key) { source.unwatch(group, of: key, isEnd: isEnd, in: self) }
        }
    }
}

extension ObservableStorage {
    /// Looks out for changes on behalf of a group no longer, whether it is one of entries of a table or not.
    fileprivate final func unwatch(_ group: AnyObject, of key: GroupKey, isEnd: Bool = false, in root: TreeRoot) {
        if case .entry(let table, let entry) = key.part {
            unwatch(entry, of: GroupKey(offset: key.offset, part: table), group, isEnd: isEnd, in: root)
        } else {
            unwatch(group, isEnd: isEnd, in: root)
        }
    }
}

extension StoreCore {
    /// Begins to observe actions.
    func subscribeToActions(
        policy: BufferingPolicy,
        at source: CodeLocation?
    ) -> Subscription<(action: Action, state: State)> {
        let group: Broadcast<(action: Action, state: State)> = groups.actionGroup(of: self, deferred: deferred)
        let subscriber = makeSubscriber(of: (action: Action, state: State).self, policy, source)
        observerCount.addRelaxed(1)
        submit { core in
            if subscriber.suspension != nil { core.extras.insert(.suspension) }
            core.actionGroup = group
            group.activate(subscriber, withNewest: false, revision: core.revision.loadRelaxed())
            guard !core.lifecycle.isEnded else { return group.finish() }
            core.actionObservers += 1
        }
        return Subscription(broadcast: group, subscriber: subscriber, root: self)
    }

    /// Has `body` called with each action, and `end` at the end, of the store or of what it is observed through.
    ///
    /// - Parameter asksForChanges: Whether `body` is to be called with nil after each change that no action has made,
    ///   too.
    @usableFromInline
    func observeActions(
        asksForChanges: Bool,
        through host: (any DependentObserverHost)?,
        _ body: @escaping ScopeNode<State, Action>.ActionObserver,
        _ end: @escaping @Sendable () -> Void
    ) -> StoreObservation {
        let group: Broadcast<(action: Action, state: State)> = groups.actionGroup(of: self, deferred: deferred)
        let observer = ClosureObserver(group: group, root: self, source: 0, host: host, finish: end) { pair in
            body(pair.action) { pair.state }
        }
        observerCount.addRelaxed(1)
        submit { core in
            core.actionGroup = group
            guard !core.lifecycle.isEnded else { return observer.end() }
            group.add(observer, revision: core.revision.loadRelaxed())
            core.actionObservers += 1
            if asksForChanges { core.addRenewal(of: observer) { [unowned core] in body(nil) { core.state } } }
            host?.admit(observer)
        }
        return StoreObservation(of: observer)
    }
}

/// Where observers find the values that they observe. Less than all of ``Observed``, because it is kept for each observer
/// until the turn in which that begins.
private struct ObservedSource<Value: Sendable> {
    let place: StateLocation
    /// Where in memory a `Value` is stored, if one is.
    let storedOffset: Int?
    let replay: Replay
    let watch: @Sendable (_ group: Broadcast<Value>, _ place: StateLocation, _ root: TreeRoot) -> Void
    let refresh: (@Sendable (_ group: Broadcast<Value>, _ place: StateLocation) -> Void)?

    init<State: Sendable>(_ observed: Observed<State, Value>, in place: StateLocation) {
        self.place = place
        storedOffset = if case .stored = observed.part { place.offset + observed.byteRange.offset } else { nil }
        replay = observed.replay
        watch = observed.watch
        refresh = observed.refresh
    }
}
