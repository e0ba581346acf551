import ActorStore

/// A lightweight handle to a store, for reading parts of its state by name and for sending actions.
///
/// ```swift
/// let view = store.view
/// print(view.user.name)                                                 // a part of the snapshot
/// view.send(.signedOut)
///
/// let user = store.view(state: \.user, action: AppAction.user)          // StoreView<User, UserAction>
/// user.send(.rename("Ada"))                                             // can do no more than that
/// ```
///
/// Each access reads the current state, between two actions; two accesses can read two states. To read several parts of
/// one state, take a ``snapshot``.
///
/// It is a value with the functionality of the store, which you can pass to code that must not do more. Like a scope,
/// it does not retain a root; it retains a child. When the store has ended, it still shows the last state, and actions
/// are refused.
///
/// If a member of the state has the name of a member of the view, use the subscript: `view[\.snapshot]`.
@dynamicMemberLookup
public struct StoreView<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let reference: StoreReference<State, Action>

    @inlinable
    init(_ reference: StoreReference<State, Action>) {
        self.reference = reference
    }

    /// The current state; see `Store.snapshot`.
    ///
    /// - Complexity: The cost of copying a `State`.
    @inlinable public var snapshot: State { reference.snapshot() }

    /// A part of the current state.
    ///
    /// A stored part is copied alone; a computed one is computed from a snapshot. Like `Store.snapshot`, this traps in
    /// a reducer of the same tree.
    ///
    /// - Complexity: The cost of copying a `Value`.
    @inlinable
    public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value { reference.value(at: keyPath) }

    /// A part of the current state; the same as the member with that name.
    ///
    /// - Complexity: The cost of copying a `Value`.
    @inlinable
    public subscript<Value>(_ keyPath: KeyPath<State, Value>) -> Value { reference.value(at: keyPath) }

    /// Sends an action without waiting; see `Store.send(_:)`.
    ///
    /// - Returns: Whether the action was accepted, dropped or refused.
    @inlinable
    @discardableResult
    public func send(_ action: Action) -> SendOutcome { reference.send(action) }

    /// Sends actions as one turn; see `Store.send(contentsOf:)`.
    ///
    /// - Returns: Whether the actions were accepted, dropped or refused.
    /// - Complexity: O(*n*), where *n* is the number of actions.
    @inlinable
    @discardableResult
    public func send(contentsOf actions: some Sequence<Action>) -> SendOutcome {
        reference.send(contentsOf: actions)
    }

    /// Dispatches an action, and returns when it has been reduced and the change is visible to every reader; see
    /// `Store.dispatch(_:)`.
    ///
    /// - Returns: A `StoreTask` of the effects that the action started.
    /// - Throws: A `StoreError` if the action was not reduced.
    @inlinable
    @inline(__always)
    @discardableResult
    public nonisolated(nonsending) func dispatch(_ action: Action) async throws(StoreError) -> StoreTask {
        try await reference.dispatch(action)
    }
}

extension StoreView {
    /// Returns an asynchronous sequence of the values of a part of the view's state; see
    /// `Store.values(of:buffering:fileID:line:)`.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - buffering: The values that are buffered for a busy observer; by default the newest.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    /// - Returns: A sequence of the current value and each change.
    @inlinable
    public func values<Value: Equatable & Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreSequence<Value> {
        scope.values(of: keyPath, buffering: buffering, fileID: fileID, line: line)
    }

    /// Calls `body` with the current value of a part of the view's state, and with each change after it; see
    /// `Store.observe(_:fileID:line:_:)`.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    ///   - body: Receives the values.
    /// - Returns: A token. The observation ends when the token is released or cancelled.
    @inlinable
    public func observe<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> StoreObservation {
        scope.observe(keyPath, fileID: fileID, line: line, body)
    }
}
