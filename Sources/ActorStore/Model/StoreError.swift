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
/// In a last `catch` without a pattern ``interceptor`` of `error` is the name of the one that has rejected it. The
/// same patterns match an error of any type: `catch StoreError.shutDown`. Later versions can have more reasons, so
/// a `switch` over an error has a `default`.
///
/// End a `do` with a `catch` without a pattern, `catch { throw error }` for one, or have the function throw
/// `StoreError` only. Otherwise the compiler of Swift 6.3 crashes ("Found outside of lifetime use") where a function that
/// throws any error has a loop, too.
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

/// What became of a sent action.
public enum SendOutcome: Sendable, Equatable {
    /// The action was reduced, or waits its turn and will be, with these exceptions. An interceptor can stop it, or the
    /// loading of the first state can fail: ``StoreStatistics/rejectedActions`` counts both. In a mailbox with
    /// ``MailboxCapacity/OverflowPolicy/dropOldest``, newer actions can displace it as long as it waits:
    /// ``StoreStatistics/droppedActions`` counts that. A shutdown can end the store before its turn comes, and so can
    /// an action before it that takes the entry away to which a child belongs: ``StoreStatistics/lateActions`` counts
    /// that.
    case accepted
    /// The mailbox was full, and the action that had waited longest was dropped. This one waits its turn, like one that
    /// is ``accepted``, and can be dropped for a newer one. ``StoreStatistics/droppedActions`` counts each that is
    /// dropped.
    case acceptedDroppingOldest
    /// The action will not be reduced: the mailbox was full and its policy is to drop what comes, or the effect, the
    /// side effect or the rule that sent it was cancelled or has ended, or nobody presents the child that asked for its
    /// dismissal.
    case dropped
    /// The action was not accepted, for the reason given.
    case refused(StoreError)

    /// Whether the action was reduced, or waits its turn; ``accepted`` says what can keep an action that waits from
    /// being reduced.
    public var isAccepted: Bool {
        switch self {
        case .accepted, .acceptedDroppingOldest: true
        case .dropped, .refused: false
        }
    }
}

/// Why a wait for an action, or for a state, has ended without it.
public enum WaitError: Error, Sendable, Equatable {
    /// The time that was allowed is over.
    case timedOut
    /// The waiting task was cancelled.
    case cancelled
    /// The store has ended: what was waited for will never come.
    case storeEnded
    /// The store's first state could not be loaded: what was waited for will never come. Only a wait for a store that
    /// loads its first state throws this.
    case notReady
}

extension WaitError: CustomStringConvertible {
    /// Says why the wait has ended.
    public var description: String {
        switch self {
        case .timedOut: "What was waited for did not come within the time allowed."
        case .cancelled: "The task was cancelled while it waited."
        case .storeEnded: "The store has ended, so that what was waited for will never come."
        case .notReady:
            "The store's first state could not be loaded, so that what was waited for will never come; its errors say why."
        }
    }
}

/// An error that arose in a store and that nobody made an action of.
public struct StoreFailure: Error, Sendable, CustomStringConvertible {
    /// Where an error came from.
    public enum Origin: Sendable, Equatable, CustomStringConvertible {
        /// An effect, with its identity if it has one, written at the place given.
        case effect(id: EffectID?, at: CodeLocation)
        /// The interceptor of this name.
        case interceptor(named: String)
        /// A reducer that is composed of others at the place given.
        case reducer(at: CodeLocation)
        /// The loading of the store's first state.
        case loading

        /// Names the origin.
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

    /// What was thrown.
    public let error: any Error
    /// Who threw it.
    public let origin: Origin
    /// The action that started the effect which threw it, as it was dispatched or sent: in a tree the one of the child
    /// to which it went. Nil for what is not an effect of an action: a side effect, a reducer, an interceptor, a
    /// loading.
    ///
    /// ``Store/dispatch(_:acceptanceTimeout:tracksFeedback:clock:isolation:)`` can track the effects of actions that effects
    /// send. For all effects that it tracks this is the action that was dispatched, and not the action that started the
    /// effect.
    ///
    /// The effects that an action started retain it. An unobserved error retains it, too, until the store is shut down.
    /// After that it is nil, so that an action that retains its store does not retain it forever.
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

    /// Says what failed, where, with which error, and because of which action, without what is ``Redactable`` in them.
    /// An error that describes itself is taken as it is.
    public var description: String {
        let line = action.map { ValueDescription(of: $0).line } ?? actionType.map { "an action of type \($0)" }
        let cause = line.map { ", started by \($0)," } ?? ""
        return "\(origin)\(cause) failed: \(ValueDescription.text(of: error))"
    }
}

/// The reducer of a child asked for the child to be taken away, by `Effect.dismiss(fileID:line:)`, but nobody
/// presents it.
public struct NotPresented: Error, Sendable, Equatable, CustomStringConvertible {
    package init() {}

    /// Says what happened and what can be done about it.
    public var description: String {
        "Nobody presents the child that asked to be dismissed. Compose its reducer with ifPresented, or on a StackState."
    }
}
