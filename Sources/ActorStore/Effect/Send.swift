/// A function that sends actions from an effect back to its store.
///
/// Call it like a function: `send(.loaded(user))`. It does not retain the store. After the effect has ended or was
/// cancelled, actions are dropped and counted in ``StoreStatistics/lateActions``.
public struct Send<Action: Sendable>: Sendable {
    let pass: @Sendable (Action, SendManner) -> SendOutcome
    package let dismissal: (@Sendable () -> SendOutcome)?

    @usableFromInline
    init(
        dismissal: (@Sendable () -> SendOutcome)? = nil,
        _ pass: @escaping @Sendable (Action, SendManner) -> SendOutcome
    ) {
        self.pass = pass
        self.dismissal = dismissal
    }

    /// Creates a function for work that does not belong to a child.
    ///
    /// - Parameter isOver: Returns whether the sender has ended, so that its actions are dropped even if there is room.
    package init(
        isOver: @escaping @Sendable () -> Bool = { false },
        _ send: @escaping @Sendable (Action) -> SendOutcome
    ) {
        self.init { action, manner in
            let outcome = send(action)
            guard case .awaited(let result) = manner else { return outcome }
            // This store does not report when the action has been reduced.
            result.settle(.success(()))
            return outcome == .dropped && !isOver() ? .refused(.overloaded) : outcome
        }
    }

    /// Sends an action, which is reduced after everything that the store accepted before it. Like
    /// ``Store/send(_:)-(Action)``, the call can reduce this action and some actions of other senders.
    ///
    /// If the mailbox is full, the store's ``MailboxCapacity`` applies as for `send`. An action that is lost this way,
    /// immediately or because a newer one displaces it, is published by ``Store/errors`` as a ``StoreError/overloaded``
    /// of this effect, and counted in ``StoreStatistics/failures``; an action of a `StateConsumer` is not.
    /// ``waitingForRoom(_:isolation:)`` never loses an action this way.
    ///
    /// - Parameter action: The action.
    /// - Returns: A value that says whether the action was accepted, or why it was refused.
    @discardableResult
    public func callAsFunction(_ action: Action) -> SendOutcome {
        pass(action, .plain)
    }

    /// Sends an action, and returns when it has been reduced, after everything that the store accepted before it.
    ///
    /// ```swift
    /// for await price in prices { try await send.waitingForRoom(.changed(price)) }
    /// ```
    ///
    /// An effect that sends faster than the store reduces is slowed down, and loses no action to a full mailbox. The
    /// action takes no room there, so ``MailboxCapacity`` does not limit how many tasks of an effect wait here.
    ///
    /// If the effect is cancelled while the action waits, the action is not reduced, and the call throws when the
    /// action's turn comes.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Throws: ``StoreError/cancelled`` if the effect has ended or was cancelled; ``StoreError/shutDown`` if its
    ///   store has ended; ``StoreError/rejected(by:)`` if an interceptor stopped the action. For a `StateConsumer` or a
    ///   source of an `ObserverRule` the call does not wait, and throws ``StoreError/overloaded`` if the mailbox is
    ///   full and does not drop its oldest action instead. In all these cases the action has not been reduced and never
    ///   will be.
    public func waitingForRoom(
        _ action: Action,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) {
        let result = Promise<Result<Void, StoreError>>()
        switch pass(action, .awaited(result)) {
        case .accepted, .acceptedDroppingOldest: try await result.wait().get()
        case .refused(let error): throw error
        case .dropped: throw .cancelled
        }
    }

    /// Returns a function for a child whose actions `transform` embeds, and which `newDismissal` removes, if it can be.
    func mapped<ChildAction: Sendable>(
        _ transform: @escaping @Sendable (ChildAction) -> Action,
        _ newDismissal: Action?
    ) -> Send<ChildAction> {
        let pass = pass
        guard let newDismissal else { return Send<ChildAction>(dismissal: dismissal) { pass(transform($0), $1) } }
        // The action may be reduced on the spot, by reducers other than that of the effect's child.
        return Send<ChildAction>(
            dismissal: { PresentationContext.outside { pass(newDismissal, .dismissal) } },
            { action, manner in PresentationContext.outside { pass(transform(action), manner) } }
        )
    }
}

/// The ways in which an effect sends an action.
@usableFromInline
enum SendManner: Sendable {
    case plain
    /// The action removes the child that the effect belongs to.
    case dismissal
    /// The effect waits until the action has been reduced or refused.
    case awaited(Promise<Result<Void, StoreError>>)
}
