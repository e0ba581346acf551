/// What is behind a store, root or child, for code that knows its actions: it reduces them, and runs effects. The
/// machine of these decides what becomes of them; the node does it.
@usableFromInline
protocol StoreNode<Action>: TreeNode, DependentObserverHost, Sendable {
    associatedtype Action: Sendable

    /// For diagnostics.
    var name: String { get }

    /// The effects of the turn's actions, with the places of these in their batch, until they are taken on. In the
    /// turn.
    var newEffects: [(effect: Effect<Action>, placeInBatch: UInt32)] { get set }

    /// A copy of its own state, in which children are looked for. In the turn, while nothing is written.
    var lookedAtState: Any { get }

    /// Puts an action into the mailbox that an effect has been asked to send. In the turn.
    func postReply(_ action: Action, _ origin: ReplyOrigin?)

    /// Puts an action into the mailbox that a running effect sends.
    ///
    /// - Parameter isDismissal: Whether it takes the child away whose effect that is.
    func postFeedback(_ action: Action, from job: EffectJob, isDismissal: Bool) -> SendOutcome

    /// Reduces an action, here and then further up, after what is `below`. In the turn.
    func propagate(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError>

    /// Reduces an action with all that belongs to a turn, unless the store has ended. In the turn.
    func reduceUnlessEnded(_ action: Action) -> DispatchResult

    /// Reconsiders whether reducers are attached. In the turn.
    func attachedReducersChanged()
}
