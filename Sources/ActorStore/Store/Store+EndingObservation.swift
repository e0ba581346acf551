extension Store {
    /// Calls `body` with the current value of a part of the state, and with every other one after it, until it says
    /// that it has been told enough; otherwise like ``observe(_:fileID:line:_:)-(_,_,_,(Value)->Void)``.
    ///
    /// ```swift
    /// let token = store.observe(untilStopped: \.balance) { balance in
    ///     guard balance < 0 else { return .continue }
    ///     alert()
    ///     return .stop
    /// }
    /// ```
    ///
    /// - Returns: a token; the observation ends when `body` returns ``ObservationResult/stop``, or the token is
    ///   released or cancelled.
    @inlinable
    public nonisolated func observe<Value: Equatable & Sendable>(
        untilStopped keyPath: KeyPath<State, Value> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) -> ObservationResult
    ) -> Observation {
        let end = ObservationEnd()
        let observation = observation(of: .part(keyPath), SourceLocation(fileID: fileID, line: line)) { value in
            if !end.hasEnded, body(value) == .stop { end.end() }
        }
        return end.attach(observation)
    }

    /// Calls `body` with the current value of a part of the state, and with every other one after it, up to the first
    /// one of which `isLast` is true, which is the last to be told; otherwise like ``observe(_:fileID:line:_:)``.
    ///
    /// - Returns: a token; the observation ends after the last value, or when the token is released or cancelled.
    @inlinable
    public nonisolated func observe<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        until isLast: @escaping @Sendable (_ value: Value) -> Bool,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> Observation {
        observe(untilStopped: keyPath, fileID: fileID, line: line) { value in
            body(value)
            return isLast(value) ? .stop : .continue
        }
    }

    /// Calls `body` with the values of a part of the state, in place of the observer that was called by the same name
    /// before, if there is one; otherwise like ``observe(_:fileID:line:_:)``.
    ///
    /// So an observer that begins anew, for whatever reason, is never told twice. No call of the former closure begins
    /// after this returns.
    ///
    /// ```swift
    /// token = store.observe(\.count, id: "display") { count in display.show(count) }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - id: What the observer is called. The names of a root, and of each child, are its own; a scope shares those
    ///     of the store that it is a scope of. Which part is observed does not matter. Names of different types are
    ///     different: `7` is not `7 as UInt32`.
    ///   - replay: Whether the value at the moment of the call is the first one.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    ///   - body: Is called in the store's turn, so that it must not block.
    /// - Returns: a token; the observation ends when it is released or cancelled, or another one takes its place.
    @inlinable
    public nonisolated func observe<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        id: some Hashable & Sendable,
        replay: Replay = .current,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> Observation {
        replacing(id) {
            observation(of: .part(keyPath), replay: replay, SourceLocation(fileID: fileID, line: line), body)
        }
    }

    /// Ends the observation of this name, and puts a new one in its place.
    @usableFromInline
    nonisolated func replacing(_ name: some Hashable & Sendable, with begin: () -> Observation) -> Observation {
        let identities = root.observers.identities
        let identity = ObservationIdentity(store: node, name: name)
        let (former, ticket) = identities.remove(identity)
        former?.cancel()
        let observation = begin()
        // The name may have been taken meanwhile, also by what this has called. The last who has asked for it has it.
        identities.insert(observation, as: identity, ticket: ticket)?.cancel()
        return observation
    }
}
