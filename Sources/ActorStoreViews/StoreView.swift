import ActorStore

/// A window on a store: the parts of its state by their names, and the way to send it actions.
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
/// Each look reads the state of that moment, between two actions; two looks can see two states. To see several parts of
/// one state take a ``snapshot``.
///
/// It is a value, as good as the store for what it can do, and to be handed to those who should not be able to do more.
/// Like a scope, it keeps no root alive, and a child as long as it is there itself. When the store has ended it still
/// shows the last state, and what is sent is refused.
///
/// A member of the state that is called like one of the view is found through the subscript: `view[\.snapshot]`.
@dynamicMemberLookup
public struct StoreView<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let reference: StoreReference<State, Action>

    @inlinable
    init(_ reference: StoreReference<State, Action>) {
        self.reference = reference
    }

    /// The state at this moment; see `Store.snapshot`.
    ///
    /// - Complexity: that of copying a `State`.
    @inlinable public var snapshot: State { reference.snapshot() }

    /// A part of the state at this moment.
    ///
    /// A stored part is copied alone; a computed one is computed from a snapshot. Traps when a reducer of the same tree
    /// asks, like `Store.snapshot`.
    ///
    /// - Complexity: that of copying a `Value`.
    @inlinable
    public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value { reference.value(at: keyPath) }

    /// A part of the state at this moment; the same as the member of that name.
    ///
    /// - Complexity: that of copying a `Value`.
    @inlinable
    public subscript<Value>(_ keyPath: KeyPath<State, Value>) -> Value { reference.value(at: keyPath) }

    /// Accepts an action without waiting; see `Store.send(_:)`.
    ///
    /// - Returns: what became of it.
    @inlinable
    @discardableResult
    public func send(_ action: Action) -> SendOutcome { reference.send(action) }

    /// Accepts actions as one turn; see `Store.send(contentsOf:)`.
    ///
    /// - Returns: what became of them.
    /// - Complexity: O(*n*), where *n* is the number of actions.
    @inlinable
    @discardableResult
    public func send(contentsOf actions: some Sequence<Action>) -> SendOutcome {
        reference.send(contentsOf: actions)
    }

    /// Reduces an action, and returns when that is done and visible to every reader; see
    /// `Store.dispatch(_:)`.
    ///
    /// - Returns: the effects that the action started.
    /// - Throws: a `StoreError` if the action was not reduced.
    @inlinable
    @inline(__always)
    @discardableResult
    public nonisolated(nonsending) func dispatch(_ action: Action) async throws(StoreError) -> StoreTask {
        try await reference.dispatch(action)
    }
}

extension StoreView {
    /// Follows a part of what the view shows; see `Store.values(of:buffering:fileID:line:)`.
    @inlinable
    public func values<Value: Equatable & Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreSequence<Value> {
        scope.values(of: keyPath, buffering: buffering, fileID: fileID, line: line)
    }

    /// Calls `body` with the current value of a part of what the view shows, and with every other one after it; see
    /// `Store.observe(_:fileID:line:_:)`.
    ///
    /// - Returns: a token; the observation ends when it is released or cancelled.
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
