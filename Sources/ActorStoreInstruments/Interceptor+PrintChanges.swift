import ActorStore

extension Interceptor {
    /// Returns an interceptor that prints each action and its changes of the state.
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
    /// It works in debug and release builds, and is meant for interactive use: it retains a copy of the state while an
    /// action is reduced, so the action copies the collections that it changes, and it examines everything that is not
    /// equal. ``logger(level:filter:describe:to:)`` does neither.
    ///
    /// - Parameters:
    ///   - filter: Returns whether an action is printed; by default all are.
    ///   - output: Writes the text, several lines without a line break at the end; by default to standard error. Runs
    ///     within the store's turn, in the order of the actions.
    /// - Returns: An interceptor.
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
