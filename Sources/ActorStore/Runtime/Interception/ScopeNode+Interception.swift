extension ScopeNode {
    /// Has a child use an interceptor from now on, after all that was accepted before.
    @inlinable
    func use(_ interceptor: Interceptor<State, Action>, at position: InterceptorPosition) -> Interception {
        let node = interceptableNode(for: interceptor.name)
        let identity = InterceptorIdentity()
        // The node is kept until then, so that there is a store for the interceptor to prepare for.
        root.inTurn { [self] in
            guard !node.lifecycle.isEnded else { return }
            let interceptors = interceptors(of: node)
            let installed = InstalledInterceptor(interceptor, identity, in: WeakStore(scopeNode: self))
            interceptors.interceptors.insert(installed, at: position)
        }
        return Interception(identity) { [weak node] identity in
            guard let node else { return }
            node.root.inTurn { Self.uninstall(identity, from: node) }
        }
    }

    /// The interceptors of the child that this is the node of, which may have been none so far. In the turn.
    @inlinable
    func interceptors(of node: any InterceptableNode<Action>) -> ChildInterceptors<State, Action> {
        if let present = node.interception?.interceptors as? ChildInterceptors<State, Action> { return present }
        let interceptors = ChildInterceptors(self)
        node.interception = ChildInterception(interceptors) { action, next in interceptors.run(action, next) }
        return interceptors
    }

    @usableFromInline
    static func uninstall(_ identity: InterceptorIdentity, from node: any InterceptableNode<Action>) {
        guard
            let interceptors = node.interception?.interceptors as? ChildInterceptors<State, Action>,
            let removed = interceptors.interceptors.uninstall(identity)
        else { return }
        if interceptors.interceptors.isEmpty { node.interception = nil }
        removed.retire(in: node.root)
    }

    @usableFromInline
    func interceptableNode(for name: String) -> any InterceptableNode<Action> {
        guard isChild, let node = node as? any InterceptableNode<Action> else {
            fatalError(
                """
                The interceptor "\(name)" was added to "\(self.name)", which is a scope. Add it to the root or the child \
                that this is a scope of.
                """
            )
        }
        return node
    }
}
