import ActorStore

extension Interceptor {
    /// Prints each action with what it changed in the state.
    ///
    /// ```swift
    /// let store = Store(initialState: s, reducer: r, interceptors: [.printChanges()])
    /// // #12 order(item: 7, quantity: 2)
    /// //   State(
    /// // -   available: 20
    /// // +   available: 18
    /// //     … (2 unchanged)
    /// //   )
    /// ```
    ///
    /// It is the same in debug and in release builds, and made for looking on: it keeps a copy of the state while an
    /// action is reduced, so that the action copies the collections that it changes, and it looks through everything
    /// that is not equal. ``logger(level:filter:describe:to:)`` does neither.
    ///
    /// - Parameters:
    ///   - filter: Which actions are printed; all unless something else is said.
    ///   - output: Where the text goes, several lines without a line break at the end; standard error unless something
    ///     else is said. Called in the turn, in the order of the actions.
    public static func printChanges(
        filter: @escaping @Sendable (_ action: Action) -> Bool = { _ in true },
        to output: @escaping @Sendable (_ text: String) -> Void = StandardError.writeLine
    ) -> Interceptor {
        Interceptor("printChanges") { action, context, next in
            guard filter(action) else { return try next(action) }
            let before = context.state
            context.retire(before)
            let name = ValueDescription(of: action).line
            do {
                try next(action)
            } catch {
                output("#\(context.revision) \(name)\n  (was not let through: \(error))")
                throw error
            }
            let difference = ValueDifference(from: before, to: context.state)
            output("#\(context.revision) \(name)\n\(difference.isEmpty ? "  (nothing changed)" : "\(difference)")")
        }
    }
}
