extension Effect {
    /// Runs asynchronous work that ends with one action.
    ///
    /// ```swift
    /// return .task { .loaded(try await users.load(id)) } catch: { _ in .loadingFailed }
    /// ```
    ///
    /// - Parameters:
    ///   - id: Names the work; see ``run(id:policy:priority:fileID:line:_:catch:)``.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - priority: The priority of its task; nil takes that of the dispatcher.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    ///   - operation: The work. What it returns when it has been cancelled is dropped and counted.
    ///   - failure: Makes an action of an error that `operation` throws, or nil to let it be. Without it, errors go to
    ///     ``Store/errors`` and to the ``StoreTask``. Errors of cancelled work go nowhere.
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

    /// Runs asynchronous work, and makes an action of what came of it, a value or an error.
    ///
    /// ```swift
    /// return .task { try await users.load(id) } then: { result in .loaded(result) }
    /// ```
    ///
    /// - Parameters:
    ///   - id: Names the work; see ``run(id:policy:priority:fileID:line:_:catch:)``.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - priority: The priority of its task; nil takes that of the dispatcher.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    ///   - operation: The work.
    ///   - transform: Makes the action, or nil to send none. It is not called for the error of cancelled work. With
    ///     ``retry(_:clock:random:if:)`` it is called for the error of the last attempt only. The error can be a
    ///     ``TimedOut`` of a ``timeout(after:tolerance:clock:onTimeout:)`` that has no action of its own.
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
            // Not in the work, which has to fail for a retry around it.
            transform(.failure(error))
        }
    }

    /// Runs asynchronous work that sends nothing.
    ///
    /// ```swift
    /// return .fireAndForget { try await audit.write(entry) }
    /// ```
    ///
    /// The store does not forget it: a shutdown awaits it, and so does the ``StoreTask`` of the action.
    ///
    /// - Parameters:
    ///   - id: Names the work; see ``run(id:policy:priority:fileID:line:_:catch:)``.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - priority: The priority of its task; nil takes that of the dispatcher.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    ///   - operation: The work. Its errors go to ``catch(_:)``, and if there is none to ``Store/errors`` and to the
    ///     ``StoreTask``.
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
