extension Store {
    /// Adds an interceptor, through which all later actions pass.
    ///
    /// ```swift
    /// let maintenance = store.use(Interceptor("maintenance") { _, _, _ in })    // Swallows everything,
    /// maintenance.remove()                                                      // until now.
    /// ```
    ///
    /// The change takes effect in the order of all operations on the store: actions accepted before this call do not
    /// pass through the interceptor, those accepted afterwards do. If you call this within a turn, such as from an
    /// observer, it takes effect after that turn. A store that has ended ignores it.
    ///
    /// A store without interceptors reduces faster; removing the last one restores this speed.
    ///
    /// Interceptors belong to a root or a child, and receive all actions that are reduced there: the store's own
    /// actions, and those that propagate up from stores below it, converted to the store's action type. An action
    /// passes through the interceptors of the store that it is sent to first, then through those of its parent, and so
    /// on up to the root. If all of them let it through, it is reduced, starting with the store that it was sent to. So
    /// each interceptor can stop an action before any store has changed, and, after it has called `next`, can read the
    /// result of all stores.
    ///
    /// Do not call this on a scope, which has no actions of its own: it traps.
    ///
    /// - Parameters:
    ///   - interceptor: The interceptor. Several stores can use the same one, and a store can use it several times.
    ///   - position: The place in the chain; by default the innermost, after the interceptors that the store was
    ///     created with.
    /// - Returns: A token, which you can ignore. The interceptor stays until ``Interception/remove()`` is called.
    @inlinable
    @discardableResult
    public nonisolated func use(
        _ interceptor: Interceptor<State, Action>,
        at position: InterceptorPosition = .innermost
    ) -> Interception {
        switch backing {
        case .root(let core): core.use(interceptor, at: position)
        case .view(let scopeNode): scopeNode.use(interceptor, at: position)
        }
    }

    /// Adds an asynchronous interceptor, through which all later dispatches pass before they are accepted. See
    /// ``AsyncInterceptor`` for the actions that it receives.
    ///
    /// Asynchronous interceptors are asked one after another, in the order in which they were added. Actions that they
    /// let through then pass through the ``Interceptor``s. They are asked immediately, even if the store is busy, with
    /// one exception: while a store loads its first state, they are asked when loading has ended. A store without
    /// asynchronous interceptors pays nothing for them.
    ///
    /// Do not call this on a child or a scope: it traps.
    ///
    /// - Parameter interceptor: The interceptor. Several stores can use the same one, and a store can use it several
    ///   times.
    /// - Returns: A token, which you can ignore. The interceptor stays until ``Interception/remove()`` is called. A
    ///   dispatch that has started before that still passes through it.
    @discardableResult
    public nonisolated func use(_ interceptor: AsyncInterceptor<State, Action>) -> Interception {
        guard case .root(let core) = backing else {
            fatalError(
                """
                The asynchronous interceptor "\(interceptor.name)" was added to "\(name)", which is a child or a scope. \
                Add it to the root of the tree.
                """
            )
        }
        return core.use(interceptor)
    }
}
