/// The reason why a store did not perform an operation.
///
/// ```swift
/// do {
///     try await store.dispatch(.bid(amount))
/// } catch .rejected(by: "minimum") {
///     …
/// } catch .rejected {             // By any other interceptor: `error.interceptor` is its name.
///     …
/// } catch .shutDown {
///     …
/// } catch {
///     …
/// }
/// ```
///
/// The same patterns match an error of any type: `catch StoreError.shutDown`. Later versions can have more reasons, so
/// a `switch` over an error has a `default`.
public struct StoreError: Error, Sendable, Equatable {
    @usableFromInline
    enum Reason: Sendable, Equatable {
        case shutDown
        /// Nil in a pattern that matches any interceptor.
        case rejected(by: String?)
        case overloaded
        case notReady
        case cancelled
        case awaitsItself
        case unanswered
        case notReplayable
    }

    @usableFromInline let reason: Reason

    @inlinable
    init(_ reason: Reason) { self.reason = reason }

    /// The store was shut down, or is shutting down: it accepts no more actions.
    @inlinable public static var shutDown: StoreError { StoreError(.shutDown) }

    /// An interceptor rejected the action.
    ///
    /// - Parameter interceptor: The name of the interceptor.
    /// - Returns: An error, or a pattern that matches rejections by this interceptor.
    @inlinable
    public static func rejected(by interceptor: String) -> StoreError { StoreError(.rejected(by: interceptor)) }

    /// A pattern that matches rejections by any interceptor.
    @inlinable public static var rejected: StoreError { StoreError(.rejected(by: nil)) }

    /// The mailbox is full, or the action was displaced by a newer one; see ``MailboxCapacity``.
    @inlinable public static var overloaded: StoreError { StoreError(.overloaded) }

    /// The store's first state could not be loaded. Only a store that loads its first state throws this.
    @inlinable public static var notReady: StoreError { StoreError(.notReady) }

    /// The task was cancelled before the store accepted the action, which is not reduced.
    @inlinable public static var cancelled: StoreError { StoreError(.cancelled) }

    /// Deadlock: an effect awaited effects that await it, itself, or the end of its own store.
    @inlinable public static var awaitsItself: StoreError { StoreError(.awaitsItself) }

    /// A request was reduced, and no reducer answered it.
    @inlinable public static var unanswered: StoreError { StoreError(.unanswered) }

    /// The state is recovered from a journal or a log of actions, and the change is not an action; see
    /// ``Store/withIsolation(_:isolation:_:)``.
    @inlinable public static var notReplayable: StoreError { StoreError(.notReplayable) }

    /// The name of the interceptor that rejected the action; `nil` for other reasons.
    public var interceptor: String? {
        if case .rejected(let name) = reason { name } else { nil }
    }

    /// Returns whether an error has the reason of a pattern; ``rejected`` matches rejections by any interceptor.
    public static func ~= (pattern: StoreError, error: StoreError) -> Bool {
        if case .rejected(nil) = pattern.reason, case .rejected = error.reason { return true }
        return pattern == error
    }

    /// Returns whether an error of any type is a store error with the reason of a pattern.
    public static func ~= (pattern: StoreError, error: any Error) -> Bool {
        (error as? StoreError).map { pattern ~= $0 } ?? false
    }
}

extension StoreError: CustomStringConvertible {
    /// A description of what happened and what to do about it.
    public var description: String {
        switch reason {
        case .shutDown: "The store has been shut down and takes no more actions."
        case .rejected(let name?): "The interceptor \"\(name)\" did not let the action through."
        case .rejected(nil): "An interceptor did not let the action through."
        case .overloaded:
            "The store's mailbox is full. Send less, or raise its capacity or choose another policy in the configuration."
        case .notReady: "The store's first state could not be loaded, so that it takes no actions; its errors say why."
        case .cancelled: "The task was cancelled before the store accepted its action, which was not reduced."
        case .awaitsItself:
            "An effect waits for the end of its own store, or of effects that wait for it. Let it send an action, or not wait."
        case .unanswered:
            "The request was reduced, and no reducer answered it. Add a RequestReducer for its type, or return Effect.answer."
        case .notReplayable:
            "The store is recovered from its actions, and what is to change it is no action. Dispatch an action, or ask a request."
        }
    }
}
