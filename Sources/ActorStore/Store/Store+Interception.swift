extension Store {
    /// Has actions pass through an interceptor from now on.
    ///
    /// ```swift
    /// let maintenance = store.use(Interceptor("maintenance") { _, _, _ in })    // Swallows everything,
    /// maintenance.remove()                                                      // until now.
    /// ```
    ///
    /// It takes its place in the order of everything that is asked of the store: actions accepted before this call do not
    /// pass through it, those accepted afterwards do. From within a turn, such as in an observer, it takes its place
    /// after that turn. A store that has ended ignores it.
    ///
    /// A store without interceptors reduces faster; when the last one has been removed it does so again.
    ///
    /// Interceptors stand at the root of a tree, where all actions come by that go up to it, those of its children in the
    /// form that they have there. Calling this on a child or a scope is a programmer error, and traps.
    ///
    /// - Parameters:
    ///   - interceptor: May be used by several stores, or several times by one.
    ///   - position: Its place in the chain: by default the innermost, after those that the store was created with.
    /// - Returns: a token that can be ignored; the interceptor stays until ``Interception/remove()`` is called.
    @discardableResult
    public nonisolated func use(
        _ interceptor: Interceptor<State, Action>,
        at position: InterceptorPosition = .innermost
    ) -> Interception {
        guard case .root(let core) = backing else {
            preconditionFailure(
                """
                The interceptor "\(interceptor.name)" was given to "\(name)", which is a child or a scope. \
                Interceptors stand at the root of a tree of stores: use it there.
                """
            )
        }
        return core.use(interceptor, at: position)
    }
}
