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

extension Effect {
    /// Follows an asynchronous sequence, and sends an action for each of its elements.
    ///
    /// ```swift
    /// return .sequence(id: "prices", policy: .cancelInFlight, market.prices(of: symbol)) { price in
    ///     .priceChanged(price)
    /// }
    /// ```
    ///
    /// The effect ends with the sequence, by an error of it, or when it is cancelled; then it takes no further element.
    ///
    /// - Parameters:
    ///   - id: Names the work; see ``run(id:policy:priority:fileID:line:_:catch:)``.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - priority: The priority of its task; nil takes that of the dispatcher.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    ///   - sequence: What is followed. Iterated once each time that the effect runs.
    ///   - transform: Makes an action of an element, or nil to send none. The next element is asked for when it has
    ///     returned.
    ///   - failure: Makes an action of an error of the sequence or of `transform`, or nil to let it be. Without it,
    ///     errors go to ``Store/errors`` and to the ``StoreTask``.
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
                // Looked at before an element is taken, which others may share: the action of the last one can have
                // cancelled this effect, of which its task learns later.
                while !CurrentEffect.isCancelled, let element = try await elements.next(isolation: #isolation) {
                    // There are sequences that do not end when their task is cancelled.
                    if CurrentEffect.isCancelled { return }
                    if let action = try await transform(element) { send(action) }
                }
            },
            catch: failure
        )
    }
}

extension Effect {
    /// The same effect, with actions made of the errors of all the work in it.
    ///
    /// ```swift
    /// return .merge(.task { .rates(try await rates.load()) }, .task { .fees(try await fees.load()) })
    ///     .catch { error in .loadingFailed(String(describing: error)) }
    /// ```
    ///
    /// It counts for work that has nothing of the kind yet: what caught an error nearer to where it was thrown, whether
    /// the `catch:` or `then:` of the work or a `catch` further inside, has done with it. A concatenation goes on after
    /// an error, so there can be several.
    ///
    /// - Parameter failure: Makes an action of an error, or nil to let it be. What cancelled work throws does not come
    ///   to it.
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
    public func `catch`(_ failure: @escaping @Sendable (_ error: any Error) -> Action?) -> Effect {
        mapWork { work in
            if work.failure == nil { work.failure = .plain(failure) }
        }
    }

    /// Fails with an error, without doing anything.
    ///
    /// The error goes where those of work go: to ``catch(_:)``, and if there is none to ``Store/errors`` and to the
    /// ``StoreTask`` of the action.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    public static func fail(_ error: any Error, fileID: String = #fileID, line: UInt = #line) -> Effect {
        .run(fileID: fileID, line: line) { _ in throw error }
    }
}
