extension Effect {
    /// Returns an effect that runs an asynchronous operation and sends the action that it returns.
    ///
    /// ```swift
    /// return .task { .loaded(try await users.load(id)) } catch: { _ in .loadingFailed }
    /// ```
    ///
    /// - Parameters:
    ///   - id: The identity of the operation, for cancellation and for `policy`. It is local to the store, and within
    ///     the store to the child whose reducer returns the effect.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - priority: The priority of the task; nil for that of the dispatching task, or of the store's configuration if
    ///     the action was sent.
    ///   - fileID: The file in which the effect is written, for diagnostics.
    ///   - line: The line in which the effect is written, for diagnostics.
    ///   - operation: The operation. If it has been cancelled, the action that it returns is dropped and counted.
    ///   - failure: A closure that converts an error of `operation` to an action, or returns nil to ignore it. Without
    ///     it, errors go to ``Store/errors`` and to the ``StoreTask``. Errors of a cancelled operation are ignored.
    /// - Returns: An effect.
    public static func task(
        id: (any Hashable & Sendable)? = nil,
        policy: EffectPolicy = .concurrent,
        priority: TaskPriority? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: @escaping @Sendable () async throws -> Action,
        catch failure: (@Sendable (_ error: any Error) -> Action?)? = nil
    ) -> Effect {
        run(
            id: id,
            policy: policy,
            priority: priority,
            fileID: fileID,
            line: line,
            { send in send(try await operation()) },
            catch: failure
        )
    }

    /// Returns an effect that runs an asynchronous operation, and converts its result, a value or an error, to an
    /// action.
    ///
    /// ```swift
    /// return .task { try await users.load(id) } then: { result in .loaded(result) }
    /// ```
    ///
    /// - Parameters:
    ///   - id: The identity of the operation, for cancellation and for `policy`. It is local to the store, and within
    ///     the store to the child whose reducer returns the effect.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - priority: The priority of the task; nil for that of the dispatching task, or of the store's configuration if
    ///     the action was sent.
    ///   - fileID: The file in which the effect is written, for diagnostics.
    ///   - line: The line in which the effect is written, for diagnostics.
    ///   - operation: The operation.
    ///   - transform: A closure that converts the result to an action, or returns nil to send none. It is not called
    ///     for the error of a cancelled operation. With ``retry(_:clock:random:if:)`` it is called for the error of the
    ///     last attempt only. The error can be the ``TimedOut`` of a ``timeout(after:tolerance:clock:onTimeout:)``
    ///     without an action.
    /// - Returns: An effect.
    public static func task<Value>(
        id: (any Hashable & Sendable)? = nil,
        policy: EffectPolicy = .concurrent,
        priority: TaskPriority? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: @escaping @Sendable () async throws -> Value,
        then transform: @escaping @Sendable (_ result: Result<Value, any Error>) -> Action?
    ) -> Effect {
        run(id: id, policy: policy, priority: priority, fileID: fileID, line: line) { send in
            if let action = transform(.success(try await operation())) { send(action) }
        } catch: { error in
            // Not in the operation, which has to fail for an enclosing retry.
            transform(.failure(error))
        }
    }

    /// Returns an effect that runs an asynchronous operation and sends nothing.
    ///
    /// ```swift
    /// return .fireAndForget { try await audit.write(entry) }
    /// ```
    ///
    /// The store still tracks the operation: a shutdown awaits it, and so does the ``StoreTask`` of the action.
    ///
    /// - Parameters:
    ///   - id: The identity of the operation, for cancellation and for `policy`. It is local to the store, and within
    ///     the store to the child whose reducer returns the effect.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - priority: The priority of the task; nil for that of the dispatching task, or of the store's configuration if
    ///     the action was sent.
    ///   - fileID: The file in which the effect is written, for diagnostics.
    ///   - line: The line in which the effect is written, for diagnostics.
    ///   - operation: The operation. Its errors go to ``catch(_:)``; without one, to ``Store/errors`` and to the
    ///     ``StoreTask``.
    /// - Returns: An effect.
    public static func fireAndForget(
        id: (any Hashable & Sendable)? = nil,
        policy: EffectPolicy = .concurrent,
        priority: TaskPriority? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: @escaping @Sendable () async throws -> Void
    ) -> Effect {
        run(id: id, policy: policy, priority: priority, fileID: fileID, line: line) { _ in try await operation() }
    }
}

extension Effect {
    /// Returns an effect that iterates an asynchronous sequence, and sends an action for each element.
    ///
    /// ```swift
    /// return .sequence(id: "prices", policy: .cancelInFlight, market.prices(of: symbol)) { price in
    ///     .priceChanged(price)
    /// }
    /// ```
    ///
    /// The effect ends when the sequence finishes or throws, or when the effect is cancelled; it then takes no further
    /// element.
    ///
    /// - Parameters:
    ///   - id: The identity of the operation, for cancellation and for `policy`. It is local to the store, and within
    ///     the store to the child whose reducer returns the effect.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - priority: The priority of the task; nil for that of the dispatching task, or of the store's configuration if
    ///     the action was sent.
    ///   - fileID: The file in which the effect is written, for diagnostics.
    ///   - line: The line in which the effect is written, for diagnostics.
    ///   - sequence: The sequence. It is iterated once each time that the effect runs.
    ///   - transform: A closure that converts an element to an action, or returns nil to send none. The next element is
    ///     requested after it returns.
    ///   - failure: A closure that converts an error of the sequence or of `transform` to an action, or returns nil to
    ///     ignore it. Without it, errors go to ``Store/errors`` and to the ``StoreTask``.
    /// - Returns: An effect.
    public static func sequence<S: AsyncSequence & Sendable>(
        id: (any Hashable & Sendable)? = nil,
        policy: EffectPolicy = .concurrent,
        priority: TaskPriority? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        _ sequence: S,
        _ transform: @escaping @Sendable (_ element: S.Element) async throws -> Action?,
        catch failure: (@Sendable (_ error: any Error) -> Action?)? = nil
    ) -> Effect {
        run(
            id: id,
            policy: policy,
            priority: priority,
            fileID: fileID,
            line: line,
            { send in
                var elements = sequence.makeAsyncIterator()
                // Checked before an element is taken, because the sequence can be shared: the action of the last
                // element may have cancelled this effect before its task is cancelled.
                while !CurrentEffect.isCancelled, let element = try await elements.next(isolation: #isolation) {
                    // Some sequences do not finish when their task is cancelled.
                    if CurrentEffect.isCancelled { return }
                    if let action = try await transform(element) { send(action) }
                }
            },
            catch: failure
        )
    }
}

extension Effect {
    /// Returns this effect with a handler that converts the errors of its operations to actions.
    ///
    /// ```swift
    /// return .merge(.task { .rates(try await rates.load()) }, .task { .fees(try await fees.load()) })
    ///     .catch { error in .loadingFailed(String(describing: error)) }
    /// ```
    ///
    /// If two handlers apply to an operation, the innermost wins, whether it is the `catch:` or `then:` of the
    /// operation or a `catch` further inside. A concatenation continues after an error, so there can be several errors.
    ///
    /// - Parameter failure: A closure that converts an error to an action, or returns nil to ignore it. It does not
    ///   receive errors of cancelled operations.
    /// - Returns: The effect with the handler.
    /// - Complexity: O(*n*), where *n* is the number of composed effects.
    public func `catch`(_ failure: @escaping @Sendable (_ error: any Error) -> Action?) -> Effect {
        mapWork { work in
            if work.failure == nil { work.failure = .plain(failure) }
        }
    }

    /// Returns an effect that fails with an error immediately.
    ///
    /// The error is handled like that of an operation: it goes to ``catch(_:)``; without one, to ``Store/errors`` and
    /// to the ``StoreTask`` of the action.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - fileID: The file in which the effect is written, for diagnostics.
    ///   - line: The line in which the effect is written, for diagnostics.
    /// - Returns: An effect.
    public static func fail(_ error: any Error, fileID: String = #fileID, line: UInt = #line) -> Effect {
        .run(fileID: fileID, line: line) { _ in throw error }
    }
}
