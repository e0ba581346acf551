extension StoreCore {
    /// Uses the interceptors that the store comes with, before anything else.
    func useFirst(_ interceptors: [Interceptor<State, Action>]) {
        guard interceptors.count > 0 else { return }
        submit { core in core.installFirst(interceptors) }
    }

    /// The same, in the turn.
    func installFirst(_ interceptors: [Interceptor<State, Action>]) {
        for interceptor in interceptors { install(interceptor, InterceptorIdentity(), at: .innermost) }
    }

    /// Uses an interceptor from now on, after all that was accepted before.
    @usableFromInline
    func use(_ interceptor: Interceptor<State, Action>, at position: InterceptorPosition) -> Interception {
        let identity = InterceptorIdentity()
        submit { core in core.install(interceptor, identity, at: position) }
        return Interception(identity) { [weak self] identity in
            self?.submit { core in core.uninstall(identity) }
        }
    }

    private func install(
        _ interceptor: Interceptor<State, Action>,
        _ identity: InterceptorIdentity,
        at position: InterceptorPosition
    ) {
        guard !lifecycle.isEnded, hasState else { return }
        let installed = InstalledInterceptor(interceptor, identity, in: WeakStore(core: self))
        interceptors.insert(installed, at: position)
        extras.insert(.interceptors)
        if interceptor.keepsActions { keepsActions = true }
    }

    private func uninstall(_ identity: InterceptorIdentity) {
        guard let removed = interceptors.uninstall(identity) else { return }
        extras.set(.interceptors, to: interceptors.count > 0)
        removed.retire(in: self)
    }

    /// Takes all interceptors out, because the store has ended.
    func uninstallInterceptors() {
        guard interceptors.count > 0 else { return }
        let removed = interceptors
        interceptors = []
        extras.remove(.interceptors)
        for interceptor in removed { interceptor.retire(in: self) }
    }
}

extension TreeRoot {
    /// Counts an action that an interceptor has stopped.
    @usableFromInline
    final func noteRejection() { rejectedActions.addRelaxed(1) }

    /// Publishes an error of an interceptor. In the turn.
    @usableFromInline
    final func report(_ error: any Error, ofInterceptor name: String) {
        report(StoreFailure(error: error, origin: .interceptor(named: name)))
    }
}

extension Array {
    /// Puts an interceptor into the chain.
    @usableFromInline
    mutating func insert<State, Action>(_ interceptor: Element, at position: InterceptorPosition)
    where Element == InstalledInterceptor<State, Action> {
        let end = last?.staysInnermost == true ? count - 1 : count
        insert(interceptor, at: position == .outermost ? 0 : end)
    }
}
