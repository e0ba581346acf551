extension StoreCore {
    /// Uses the interceptors that the store comes with, before anything else.
    func useFirst(_ interceptors: [Interceptor<State, Action>]) {
        guard interceptors.count > 0 else { return }
        submit { core in
            for interceptor in interceptors { core.install(interceptor, InterceptorIdentity(), at: .innermost) }
        }
    }

    /// Uses an interceptor from now on, after all that was accepted before.
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
        guard !lifecycle.isEnded, loading?.error == nil else { return }
        let installed = InstalledInterceptor(
            name: interceptor.name,
            identity: identity,
            active: interceptor.setUp(WeakStore(core: self))
        )
        interceptors.insert(installed, at: position == .outermost ? 0 : interceptors.count)
        updateFlags()
    }

    private func uninstall(_ identity: InterceptorIdentity) {
        guard let index = interceptors.firstIndex(where: { $0.identity === identity }) else { return }
        let removed = interceptors.remove(at: index)
        updateFlags()
        removed.active.onRemoval?()
    }

    /// Counts an action that an interceptor has stopped.
    @usableFromInline
    func noteRejection() { rejectedActions.add(1, ordering: .relaxed) }

    /// Publishes an error of an interceptor. In the turn.
    @usableFromInline
    func report(_ error: any Error, ofInterceptor name: String) {
        failures.report(StoreFailure(error: error, origin: .interceptor(named: name)))
    }

    /// Takes all interceptors out, because the store has ended.
    func uninstallInterceptors() {
        guard interceptors.count > 0 else { return }
        let removed = interceptors
        interceptors = []
        for interceptor in removed { interceptor.active.onRemoval?() }
    }
}
