/// How an effect sends actions back to the store that runs it.
///
/// It is called like a function: `send(.loaded(user))`. It does not keep the store alive. Once the effect has ended or
/// was cancelled, what is sent is dropped and counted in ``StoreStatistics/lateActions``.
public struct Send<Action: Sendable>: Sendable {
    private let action: @Sendable (Action) -> SendOutcome

    init(_ action: @escaping @Sendable (Action) -> SendOutcome) {
        self.action = action
    }

    /// Sends an action: it is reduced after all that the store accepted before it.
    ///
    /// - Returns: what became of it. An action that finds the mailbox full is treated as the store's
    ///   ``MailboxCapacity`` says for `send`, and one that is lost by that is also reported to ``Store/errors``.
    @discardableResult
    public func callAsFunction(_ action: Action) -> SendOutcome {
        self.action(action)
    }
}
