/// How an effect sends actions back to the store that runs it.
///
/// It is called like a function: `send(.loaded(user))`. It does not keep the store alive. Once the effect has ended or
/// was cancelled, what is sent is dropped and counted in ``StoreStatistics/lateActions``.
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

    /// One for work that no child can ask for.
    ///
    /// - Parameter isOver: Whether what sends has ended, so that what it sends is dropped whether there is room or not.
    package init(
        isOver: @escaping @Sendable () -> Bool = { false },
        _ send: @escaping @Sendable (Action) -> SendOutcome
    ) {
        self.init { action, manner in
            let outcome = send(action)
            guard case .awaited(let result) = manner else { return outcome }
            // Nobody tells this when the action has been reduced.
            result.settle(.success(()))
            return outcome == .dropped && !isOver() ? .refused(.overloaded) : outcome
        }
    }

    /// Sends an action: it is reduced after all that the store accepted before it.
    ///
    /// - Returns: what became of it. An action that finds the mailbox full is treated as the store's
    ///   ``MailboxCapacity`` says for `send`. An action that is lost by that, at once or later because a newer one
    ///   displaces it, is also reported to ``Store/errors``, as ``StoreError/overloaded`` of this effect, and counted
    ///   in ``StoreStatistics/failures``; one of a `StateConsumer` is not. ``waitingForRoom(_:isolation:)`` loses
    ///   none.
    @discardableResult
    public func callAsFunction(_ action: Action) -> SendOutcome {
        pass(action, .plain)
    }

    /// Sends an action, and returns when it has been reduced, after all that the store accepted before it.
    ///
    /// ```swift
    /// for await price in prices { try await send.waitingForRoom(.changed(price)) }
    /// ```
    ///
    /// So an effect that sends faster than the store reduces is slowed down, and no action of it is lost to a full
    /// mailbox, whatever the ``MailboxCapacity`` says for `send`. Like the actions that a shutdown waits for, it does
    /// not count in the capacity: an effect brings one at a time.
    ///
    /// If the effect is cancelled meanwhile the action is not reduced, and this throws when its turn comes.
    ///
    /// - Parameters:
    ///   - action: What happens.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Throws: ``StoreError/cancelled`` if the effect has ended or been cancelled, ``StoreError/shutDown`` if its
    ///   store has ended, ``StoreError/rejected(by:)`` if an interceptor stopped the action. Of what a
    ///   `StateConsumer` or a source of an `ObserverRule` sends it waits for nothing, and throws
    ///   ``StoreError/overloaded`` if the mailbox is full and does not drop its oldest action instead. In all these
    ///   cases the action has not been reduced and never will be.
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

    /// The same for a child whose actions `transform` embeds, and which `newDismissal` takes away, if it can be.
    func mapped<ChildAction: Sendable>(
        _ transform: @escaping @Sendable (ChildAction) -> Action,
        _ newDismissal: Action?
    ) -> Send<ChildAction> {
        let pass = pass
        guard let newDismissal else { return Send<ChildAction>(dismissal: dismissal) { pass(transform($0), $1) } }
        // It may be reduced on the spot, by reducers that are not the child's whose effect this is.
        return Send<ChildAction>(
            dismissal: { PresentationContext.outside { pass(newDismissal, .dismissal) } },
            { action, manner in PresentationContext.outside { pass(transform(action), manner) } }
        )
    }
}

/// How an effect sends an action.
@usableFromInline
enum SendManner: Sendable {
    case plain
    /// The action takes the child away whose effect this is.
    case dismissal
    /// The effect waits until the action has been reduced, or will not be.
    case awaited(Promise<Result<Void, StoreError>>)
}
