import ActorStore

extension Interceptor {
    /// Returns an interceptor that logs the outcome of each action, in the order of the actions.
    ///
    /// ```swift
    /// let store = Store(initialState: s, reducer: r, interceptors: [.logger(level: .debug), authorise])
    /// // [debug] store #12: order(item: 7, quantity: 2)
    /// // [warning] store #12: refund(order: 3) was not let through: The interceptor "authorise" did not …
    /// ```
    ///
    /// It logs the actions that reach it, and the decisions of later interceptors, so put it first. An entry is written
    /// when the action has been reduced or stopped, before observers are notified.
    ///
    /// - Parameters:
    ///   - level: The level of entries about actions that were reduced. Entries about stopped actions have at least
    ///     ``LogLevel/warning``.
    ///   - filter: Returns whether an action is logged; by default all are. Runs within the store's turn, before the
    ///     action.
    ///   - describe: Returns the text for an action; by default its label and payload. To hide parts of an action, make
    ///     their types `Redactable`, or describe it differently here. Runs within the store's turn.
    ///   - sink: Writes an entry; by default to standard error. Runs within the store's turn, one entry at a time, so
    ///     it must not block for long.
    /// - Returns: An interceptor.
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
