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
