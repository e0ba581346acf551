import ActorStore

/// Rules about events outside the store.
extension ObserverRule {
    /// Returns a rule that sends an action for each element of an asynchronous sequence.
    ///
    /// A task iterates over the sequence for as long as the store uses the rule. The task ends with the store, which it
    /// does not retain. Each action is dispatched before the next element is requested, which gives the sequence
    /// back-pressure. An action that an interceptor stops, with any error, or that does not fit into a full mailbox
    /// does not end the task. An error of the sequence ends it, and reaches `Store.errors`.
    ///
    /// - Parameters:
    ///   - sequence: The sequence. It is evaluated once for each store that uses the rule, in the rule's task.
    ///   - action: Returns the action to send for an element, or nil to send none. Runs in the task, off the store.
    /// - Returns: A rule for the elements of the sequence.
    public static func on<Elements: AsyncSequence & SendableMetatype>(
        _ sequence: @autoclosure @escaping @Sendable () -> Elements,
        _ action: @escaping @Sendable (_ element: Elements.Element) -> Action?
    ) -> ObserverRule where Elements.AsyncIterator: SendableMetatype {
        ObserverRule { setting in
            let task = setting.startTask {
                var elements = sequence().makeAsyncIterator()
                // Checked before an element is consumed, because the sequence may be shared: the last action can have
                // ended the rule.
                while !setting.end.isNoted, let element = try await elements.next(isolation: #isolation) {
                    guard let action = action(element) else { continue }
                    guard await setting.dispatch(action) else { break }
                }
            }
            return RunningRule(task: task)
        }
    }

    /// Returns a rule that sends actions from callbacks.
    ///
    /// ```swift
    /// .source { send in
    ///     let registration = directory.onChange { path in send(.changed(path)) }
    ///     return { registration.cancel() }
    /// }
    /// ```
    ///
    /// - Parameter connect: Registers the callback, and returns a closure that removes it. It runs once for each store
    ///   that uses the rule, within the store's turn. `send` can be called from any thread, immediately or later, and
    ///   does not retain the store. The returned closure is called once, when the store no longer uses the rule, or has
    ///   ended.
    /// - Returns: A rule that sends what the callbacks pass to `send`.
    public static func source(
        _ connect: @escaping @Sendable (_ send: Send<Action>) -> @Sendable () -> Void
    ) -> ObserverRule {
        ObserverRule { setting in RunningRule(end: connect(Send(isOver: { setting.end.isNoted }) { setting.send($0) }))
        }
    }
}
