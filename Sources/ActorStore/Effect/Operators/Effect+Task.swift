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
    ///   - transform: Makes the action, or nil to send none. It is not called for the error of cancelled work.
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
            let result: Result<Value, any Error>
            do {
                result = .success(try await operation())
            } catch {
                // What cancelled work throws is the consequence of its cancellation, and no news to anybody.
                guard !Task.isCancelled else { return }
                result = .failure(error)
            }
            if let action = transform(result) { send(action) }
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
