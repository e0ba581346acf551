/// How an effect sends actions back to the store that runs it.
///
/// It is called like a function: `send(.loaded(user))`. It does not keep the store alive. Once the effect has ended or
/// was cancelled, what is sent is dropped and counted in ``StoreStatistics/lateActions``.
public struct Send<Action: Sendable>: Sendable {
    /// Sends an action, and says whether it takes the child away whose effect this is.
    let pass: @Sendable (Action, _ isDismissal: Bool) -> SendOutcome
    let dismissal: (@Sendable () -> SendOutcome)?

    @usableFromInline
    init(
        dismissal: (@Sendable () -> SendOutcome)? = nil,
        _ pass: @escaping @Sendable (Action, _ isDismissal: Bool) -> SendOutcome
    ) {
        self.pass = pass
        self.dismissal = dismissal
    }

    /// One for work that no child can ask for.
    init(_ action: @escaping @Sendable (Action) -> SendOutcome) {
        self.init { newAction, _ in action(newAction) }
    }

    /// Sends an action: it is reduced after all that the store accepted before it.
    ///
    /// - Returns: what became of it. An action that finds the mailbox full is treated as the store's
    ///   ``MailboxCapacity`` says for `send`. An action that is lost by that, at once or later because a newer one displaces
    ///   it, is also reported to ``Store/errors``, as ``StoreError/overloaded`` of this effect.
    @discardableResult
    public func callAsFunction(_ action: Action) -> SendOutcome {
        pass(action, false)
    }

    /// Whether the reducer whose effect this is belongs to a child that ``dismiss()`` takes away.
    public var isPresented: Bool { dismissal != nil }

    /// Takes the child away whose effect this is: the nearest one that `ifPresented` presents, or that a stack shows. By
    /// that the effect is cancelled, like all of the child's.
    ///
    /// An effect that goes on after the end of its child, because it is detached or outlives the child, dismisses no other
    /// child that is presented in its place: that is dropped, and counted in ``StoreStatistics/lateActions``.
    ///
    /// - Returns: what became of the action that says so; ``SendOutcome/dropped`` if nobody presents the child.
    @discardableResult
    public func dismiss() -> SendOutcome { dismissal?() ?? .dropped }

    /// The same for a child whose actions `transform` embeds, and which `newDismissal` takes away, if it can be.
    func mapped<ChildAction: Sendable>(
        _ transform: @escaping @Sendable (ChildAction) -> Action,
        _ newDismissal: Action?
    ) -> Send<ChildAction> {
        let pass = pass
        guard let newDismissal else { return Send<ChildAction>(dismissal: dismissal) { pass(transform($0), $1) } }
        // It may be reduced on the spot, by reducers that are not the child's whose effect this is.
        return Send<ChildAction>(
            dismissal: { PresentationContext.outside { pass(newDismissal, true) } },
            { action, isDismissal in PresentationContext.outside { pass(transform(action), isDismissal) } }
        )
    }
}
