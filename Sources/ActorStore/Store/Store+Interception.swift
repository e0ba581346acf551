extension Store {
    /// Has actions pass through an interceptor from now on.
    ///
    /// ```swift
    /// let maintenance = store.use(Interceptor("maintenance") { _, _, _ in })    // Swallows everything,
    /// maintenance.remove()                                                      // until now.
    /// ```
    ///
    /// It takes its place in the order of everything that is asked of the store: actions accepted before this call do
    /// not pass through it, those accepted afterwards do. From within a turn, such as in an observer, it takes its
    /// place after that turn. A store that has ended ignores it.
    ///
    /// A store without interceptors reduces faster; when the last one has been removed it does so again.
    ///
    /// Interceptors stand at a root or at a child, where all actions come by that are reduced there: those of its own,
    /// and those of the stores below it that go up to it, in the form that they have there. An action passes through
    /// those of the store that it is sent to first, then through those of its parent, and so on up to the root; when
    /// all of them have let it through it is reduced, from below. So each of them can stop it before any store has
    /// changed, and sees, after it has called `next`, what all stores have made of it.
    ///
    /// Calling this on a scope, which has no actions of its own, is a programmer error, and traps.
    ///
    /// - Parameters:
    ///   - interceptor: May be used by several stores, or several times by one.
    ///   - position: Its place in the chain: by default the innermost, after those that the store was created with.
    /// - Returns: a token that can be ignored; the interceptor stays until ``Interception/remove()`` is called.
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

    /// Has what is dispatched from now on pass through an asynchronous interceptor before it is accepted; see
    /// ``AsyncInterceptor`` for which actions it sees.
    ///
    /// They are asked one after the other, in the order in which they were added. An action that they let through comes
    /// to the ``Interceptor``s after them. They are asked at once, whatever the store does meanwhile; but while a store
    /// loads its first state, when that is there. A store without one pays nothing for them.
    ///
    /// Calling this on a child or a scope is a programmer error, and traps.
    ///
    /// - Parameter interceptor: May be used by several stores, or several times by one.
    /// - Returns: a token that can be ignored; the interceptor stays until ``Interception/remove()`` is called. A
    ///   dispatch that has begun before that still passes through it.
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
