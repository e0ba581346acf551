import ActorStore

/// Rules about what happens outside the store.
extension ObserverRule {
    /// Asks for an action for each element of an asynchronous sequence.
    ///
    /// A task iterates over the sequence as long as the store uses the rule. It ends with the store, which it does not
    /// keep alive. Each action is dispatched before the next element is asked for, so that the sequence goes no faster
    /// than the store; one that an interceptor stops, whatever it throws, or for which a full mailbox has no room, does
    /// not end it. An error that the sequence throws does, and reaches `Store.errors`.
    ///
    /// - Parameters:
    ///   - sequence: Made anew for each store that uses the rule, in its task.
    ///   - action: Makes an action of an element, or nil. Runs in the task, off the store.
    public static func on<Elements: AsyncSequence & SendableMetatype>(
        _ sequence: @autoclosure @escaping @Sendable () -> Elements,
        _ action: @escaping @Sendable (_ element: Elements.Element) -> Action?
    ) -> ObserverRule where Elements.AsyncIterator: SendableMetatype {
        ObserverRule { setting in
            let task = setting.startTask {
                var elements = sequence().makeAsyncIterator()
                // Looked at before an element is taken, which others may share: the last one can have ended the rule.
                while !setting.end.isNoted, let element = try await elements.next(isolation: #isolation) {
                    guard let action = action(element) else { continue }
                    guard await setting.dispatch(action) else { break }
                }
            }
            return RunningRule(task: task)
        }
    }

    /// Sends actions for what somebody else reports by calling back.
    ///
    /// ```swift
    /// .source { send in
    ///     let registration = directory.onChange { path in send(.changed(path)) }
    ///     return { registration.cancel() }
    /// }
    /// ```
    ///
    /// - Parameter connect: Called once for each store that uses the rule, in its turn. What it is given can be called
    ///   from any thread, at once or later, and does not keep the store alive. What it returns is called once, when the
    ///   store uses the rule no longer, or has ended.
    public static func source(
        _ connect: @escaping @Sendable (_ send: Send<Action>) -> @Sendable () -> Void
    ) -> ObserverRule {
        ObserverRule { setting in RunningRule(end: connect(Send(isOver: { setting.end.isNoted }) { setting.send($0) }))
        }
    }
}
