/// How an effect sends actions back to the store that runs it.
///
/// It is called like a function: `send(.loaded(user))`. It does not keep the store alive. Once the effect has ended or
/// was cancelled, what is sent is dropped and counted in ``StoreStatistics/lateActions``.
public struct Send<Action: Sendable>: Sendable {
    private let action: @Sendable (Action) -> SendOutcome
    let dismissal: (@Sendable () -> SendOutcome)?

    @usableFromInline
    init(
        dismissal: (@Sendable () -> SendOutcome)? = nil,
        _ action: @escaping @Sendable (Action) -> SendOutcome
    ) {
        self.action = action
        self.dismissal = dismissal
    }

    /// Sends an action: it is reduced after all that the store accepted before it.
    ///
    /// - Returns: what became of it. An action that finds the mailbox full is treated as the store's
    ///   ``MailboxCapacity`` says for `send`. An action that is lost by that, at once or later because a newer one displaces
    ///   it, is also reported to ``Store/errors``, as ``StoreError/overloaded`` of this effect.
    @discardableResult
    public func callAsFunction(_ action: Action) -> SendOutcome {
        self.action(action)
    }

    /// Whether the reducer whose effect this is belongs to a child that ``dismiss()`` takes away.
    public var isPresented: Bool { dismissal != nil }

    /// Takes the child away whose effect this is: the nearest one that `ifPresented` presents, or that a stack shows. By
    /// that the effect is cancelled, like all of the child's.
    ///
    /// - Returns: what became of the action that says so; ``SendOutcome/dropped`` if nobody presents the child.
    @discardableResult
    public func dismiss() -> SendOutcome { dismissal?() ?? .dropped }

    /// The same for a child whose actions `transform` embeds, and which `newDismissal` takes away, if it can be.
    func mapped<ChildAction: Sendable>(
        _ transform: @escaping @Sendable (ChildAction) -> Action,
        _ newDismissal: Action?
    ) -> Send<ChildAction> {
        let action = action
        guard let newDismissal else { return Send<ChildAction>(dismissal: dismissal) { action(transform($0)) } }
        // It may be reduced on the spot, by reducers that are not the child's whose effect this is.
        return Send<ChildAction>(
            dismissal: { PresentationContext.outside { action(newDismissal) } },
            { childAction in PresentationContext.outside { action(transform(childAction)) } }
        )
    }
}
