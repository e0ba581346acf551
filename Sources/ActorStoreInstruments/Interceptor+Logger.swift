import ActorStore

extension Interceptor {
    /// Logs what becomes of each action, in the order of the actions.
    ///
    /// ```swift
    /// let store = Store(initialState: s, reducer: r, interceptors: [.logger(level: .debug), authorise])
    /// // [debug] store #12: order(item: 7, quantity: 2)
    /// // [warning] store #12: refund(order: 3) was not let through: The interceptor "authorise" did not …
    /// ```
    ///
    /// It knows of the actions that come to it and of what the interceptors after it make of them, so put it first. An
    /// entry is written when the action has been reduced or stopped, before the observers are told.
    ///
    /// - Parameters:
    ///   - level: The level of entries about actions that were reduced. Those that were stopped have at least
    ///     ``LogLevel/warning``.
    ///   - filter: Which actions are logged; all unless something else is said. Runs in the turn, before the action.
    ///   - describe: What is shown of an action: its label and payload unless something else is said. To hide parts of
    ///     it, make their types `Redactable`, or describe it otherwise here. Runs in the turn.
    ///   - sink: Where entries go; standard error unless something else is said. Called in the turn, one entry after
    ///     the other, so it must not block for long.
    public static func logger(
        level: LogLevel = .info,
        filter: @escaping @Sendable (_ action: Action) -> Bool = { _ in true },
        describe: @escaping @Sendable (_ action: Action) -> String = { String(redacting: $0) },
        to sink: @escaping @Sendable (_ entry: LogEntry) -> Void = LogEntry.writeToStandardError
    ) -> Interceptor {
        Interceptor("logger") { action, context, next in
            guard filter(action) else { return try next(action) }
            func log(_ level: LogLevel, _ message: String) {
                sink(
                    LogEntry(
                        level: level,
                        storeName: context.storeName,
                        revision: context.revision,
                        message: message
                    )
                )
            }
            do {
                try next(action)
            } catch {
                log(max(level, .warning), "\(describe(action)) was not let through: \(error)")
                throw error
            }
            log(level, describe(action))
        }
    }
}
