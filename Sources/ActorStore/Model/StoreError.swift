/// The reason why a store did not perform an operation.
///
/// ```swift
/// do {
///     try await store.dispatch(.bid(amount))
/// } catch .rejected(by: "minimum") {
///     …
/// } catch .rejected {             // By any other interceptor.
///     …
/// } catch .shutDown {
///     …
/// } catch {
///     …
/// }
/// ```
///
/// In a last `catch` without a pattern, ``interceptor`` of `error` is the name of the interceptor that rejected the
/// action. The same patterns match an error of any type: `catch StoreError.shutDown`. Later versions can add reasons,
/// so a `switch` over an error needs a `default`.
///
/// End a `do` with a `catch` without a pattern, such as `catch { throw error }`, or declare the function as throwing
/// only `StoreError`. Otherwise the Swift 6.3 compiler crashes ("Found outside of lifetime use") where a function that
/// throws any error also contains a loop.
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

    /// A pattern that matches rejections by any interceptor. By `==` it equals none of them.
    @inlinable public static var rejected: StoreError { StoreError(.rejected(by: nil)) }

    /// The mailbox is full, or the action was displaced by a newer one, see ``MailboxCapacity``; or its acceptance
    /// timeout has ended.
    @inlinable public static var overloaded: StoreError { StoreError(.overloaded) }

    /// The store's first state could not be loaded. Only a store that loads its first state throws this.
    @inlinable public static var notReady: StoreError { StoreError(.notReady) }

    /// The task was cancelled before the store accepted the action, which is not reduced.
    @inlinable public static var cancelled: StoreError { StoreError(.cancelled) }

    /// Deadlock: an effect awaited effects that await it, itself, or the end of its own store.
    @inlinable public static var awaitsItself: StoreError { StoreError(.awaitsItself) }

    /// A request was reduced, and no reducer answered it.
    @inlinable public static var unanswered: StoreError { StoreError(.unanswered) }

    /// The state is recovered from a log of actions, and the change is not an action; see
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
    /// A description of the error, with a remedy.
    public var description: String {
        switch reason {
        case .shutDown: "The store has been shut down and accepts no more actions."
        case .rejected(let name?): "The interceptor \"\(name)\" did not let the action through."
        case .rejected(nil): "An interceptor did not let the action through."
        case .overloaded:
            """
            The mailbox is full, or the acceptance timeout has ended. Send fewer actions, or configure a larger capacity, \
            another overflow policy or a longer timeout.
            """
        case .notReady: "The first state could not be loaded, so the store accepts no actions. See Store.errors."
        case .cancelled: "The task was cancelled before the store accepted the action. The action was not reduced."
        case .awaitsItself:
            "Deadlock: an effect awaited the end of its own store, or effects that await it. Send an action instead."
        case .unanswered:
            """
            The request was reduced, and no reducer answered it. Add a RequestReducer for its type, or return \
            Effect.answer. Ask a replicated store itself, and not its `store`.
            """
        case .notReplayable:
            "A log of actions cannot recover this change, which is not an action. Dispatch an action, or use ask(_:)."
        }
    }
}

/// The outcome of sending an action.
public enum SendOutcome: Sendable, Equatable {
    /// The action was reduced, was stopped by an interceptor of an idle store, or waits for its turn. A waiting action
    /// is reduced, with these exceptions: an interceptor can stop it, or the loading of the first state can fail
    /// (``StoreStatistics/rejectedActions`` counts both); in a mailbox with
    /// ``MailboxCapacity/OverflowPolicy/dropOldest``, newer actions can displace it (``StoreStatistics/droppedActions``
    /// counts these); a shutdown can end the store first, or an earlier action can remove the entry to which a child
    /// belongs (``StoreStatistics/lateActions`` counts these).
    case accepted
    /// The mailbox was full, and the action that had waited longest was dropped. This action waits for its turn like
    /// one that is ``accepted``, and can be displaced by a newer one. ``StoreStatistics/droppedActions`` counts each
    /// dropped action.
    case acceptedDroppingOldest
    /// The action will not be reduced: the mailbox was full and its policy drops new actions; or the effect, the side
    /// effect or the rule that sent it was cancelled or has ended; or the child that requested its dismissal is not
    /// presented.
    case dropped
    /// The action was refused, for the given reason.
    case refused(StoreError)

    /// Whether the action was reduced or waits for its turn. ``accepted`` lists what can prevent the reduction of a
    /// waiting action.
    public var isAccepted: Bool {
        switch self {
        case .accepted, .acceptedDroppingOldest: true
        case .dropped, .refused: false
        }
    }
}

/// The reason why a wait for an action or a state ended without it.
public enum WaitError: Error, Sendable, Equatable {
    /// The timeout is over.
    case timedOut
    /// The waiting task was cancelled.
    case cancelled
    /// The store has ended, so the wait can never succeed.
    case storeEnded
    /// The store's first state could not be loaded, so the wait can never succeed. Only stores that load their first
    /// state cause this error.
    case notReady
}

extension WaitError: CustomStringConvertible {
    /// A description of the error.
    public var description: String {
        switch self {
        case .timedOut: "The action or state did not occur within the timeout."
        case .cancelled: "The task was cancelled while it waited."
        case .storeEnded: "The store ended before the action or state occurred."
        case .notReady:
            "The first state could not be loaded, so the wait can never succeed. See Store.errors."
        }
    }
}

/// An unhandled error of a store.
public struct StoreFailure: Error, Sendable, CustomStringConvertible {
    /// The origin of an error.
    public enum Origin: Sendable, Equatable, CustomStringConvertible {
        /// An effect, with its identity if it has one, and the location in the code at which it is written.
        case effect(id: EffectID?, at: CodeLocation)
        /// An interceptor, with its name.
        case interceptor(named: String)
        /// A reducer, with the location in the code at which it is composed.
        case reducer(at: CodeLocation)
        /// The loading of the store's first state.
        case loading

        /// A description of the origin.
        public var description: String {
            switch self {
            case .effect(let id?, let source): "The effect \"\(id)\" at \(source)"
            case .effect(nil, let source): "An effect at \(source)"
            case .interceptor(let name): "The interceptor \"\(name)\""
            case .reducer(let source): "The reducer at \(source)"
            case .loading: "The loading of the first state"
            }
        }
    }

    /// The error that was thrown.
    public let error: any Error
    /// The origin of the error.
    public let origin: Origin
    /// The action that started the failed effect, as it was dispatched or sent: in a tree, in the form of the child to
    /// which it was sent. Nil if the origin is not an effect of an action, but a side effect, a reducer, an interceptor
    /// or the loading.
    ///
    /// ``Store/dispatch(_:acceptanceTimeout:tracksFeedback:clock:isolation:)`` can track the effects of actions that
    /// effects send. For all effects that it tracks, this is the action that was dispatched, and not the action that
    /// started the effect.
    ///
    /// The effects that an action started retain it. An unobserved error retains it, too, until the store is shut down.
    /// After that it is nil, so that an action that retains its store does not retain it for ever.
    public private(set) var action: (any Sendable)?
    /// The type of the action that ``withoutAction`` removed.
    private var actionType: Any.Type?

    package init(error: any Error, origin: Origin, action: (any Sendable)? = nil) {
        self.error = error
        self.origin = origin
        self.action = action
    }

    /// A copy without the action. Its description names the type of the action, which runs no user code.
    var withoutAction: StoreFailure {
        guard let action else { return self }
        var failure = self
        failure.action = nil
        failure.actionType = type(of: action)
        return failure
    }

    /// A description of the origin, the action and the error, without their ``Redactable`` parts. An error with its own
    /// description is included unchanged.
    public var description: String {
        let line = action.map { ValueDescription(of: $0).line } ?? actionType.map { "an action of type \($0)" }
        let cause = line.map { ", started by \($0)," } ?? ""
        return "\(origin)\(cause) failed: \(ValueDescription.text(of: error))"
    }
}

/// An error that reports the dismissal of a child that is not presented, by `Effect.dismiss(fileID:line:)` in the
/// child's reducer.
public struct NotPresented: Error, Sendable, Equatable, CustomStringConvertible {
    package init() {}

    /// A description of the error, with a remedy.
    public var description: String {
        "A child was dismissed that is not presented. Compose its reducer with ifPresented, or on a StackState."
    }
}
