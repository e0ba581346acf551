extension TreeRoot {
    /// Starts an observation as a sequence.
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
            // Registered last, so that an observation through a host that has ended still receives the newest element.
            stay?.begin()
        }
        return Subscription(broadcast: group, subscriber: subscriber, root: self, keeping: stay)
    }

    /// Calls `body` with the current value, unless `observed` skips it, and with each change.
    ///
    /// - Parameters:
    ///   - isDriver: Whether the observer is a part of the store, and does not count as a use of it.
    ///   - then: Called after `body`, within the turn in which the observation starts.
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

    /// Calls `body` with each value after the current one, within the turns after this one. Called within a turn that
    /// ends with ``startDrivenEffects()``.
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
                // Ends in a separate turn, because observers are being notified when the last value arrives.
                group.limit = BroadcastLimit(isLast) { [weak self, weak group] in self?.inTurn { group?.finish() } }
            }
            return group
        }
        let key = GroupKey(offset: place.offset + observed.byteRange.offset, part: part)
        return source.groups.join(key, subject: subject, areEqual: areEqual, in: source, deferred: deferred)
    }

    /// Starts detecting changes on behalf of a group.
    private func watch<Value: Sendable>(_ group: Broadcast<Value>, _ observed: ObservedSource<Value>) {
        guard !group.isWatched else { return refresh(group, observed) }
        group.isWatched = true
        observed.watch(group, observed.place, self)
        let source = observed.place.source
        if hasEnded(source) { source.finishObservations(in: self) }
    }

    /// Updates a shared group to the stored value for a new observer. It can differ from the value that was published
    /// last in what `==` does not compare, such as everything but an identity.
    private func refresh<Value: Sendable>(_ group: Broadcast<Value>, _ observed: ObservedSource<Value>) {
        guard group.hasNewest else { return }
        let place = observed.place
        if let refresh = observed.refresh { return refresh(group, place) }
        guard let offset = observed.storedOffset else { return }
        let filter = ByteFilter(offset: offset, size: MemoryLayout<Value>.size, last: group.place)
        place.source.withState { state in
            guard filter.mayHaveChanged(in: state) else { return }
            // Sound: the part says that a `Value` is stored there, and the state is at rest.
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

    /// Starts observing errors; the first observer also receives earlier ones.
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

    /// Unregisters an observer.
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

    /// Unregisters an observer without a message. A message would be queued behind all others, and the thread that ends
    /// a store would release it with everything that it retains. Called within the turn.
    ///
    /// - Parameter isEnd: Whether the observer ends because what it observes through has ended.
    final func leaveInTurn(_ group: any ObservedGroup, isEnd: Bool) {
        observerCount.subtractRelaxed(1)
        // Storage that has ended detects no changes.
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
    /// Stops detecting changes on behalf of a group, whether it is a group of an entry or not.
    fileprivate final func unwatch(_ group: AnyObject, of key: GroupKey, isEnd: Bool = false, in root: TreeRoot) {
        if case .entry(let table, let entry) = key.part {
            unwatch(entry, of: GroupKey(offset: key.offset, part: table), group, isEnd: isEnd, in: root)
        } else {
            unwatch(group, isEnd: isEnd, in: root)
        }
    }
}

extension StoreCore {
    /// Starts observing actions.
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

    /// Calls `body` with each action, and `end` when the store, or what it is observed through, ends.
    ///
    /// - Parameter asksForChanges: Whether `body` is also called with nil after each change that was not made by an
    ///   action.
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

/// Where an observer finds the values that it observes. It contains less than ``Observed``, because it is retained for
/// each observer until the turn in which the observation starts.
private struct ObservedSource<Value: Sendable> {
    let place: StateLocation
    /// The offset of the stored `Value`; nil if the value is computed.
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
