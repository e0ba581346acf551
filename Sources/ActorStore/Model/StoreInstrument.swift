/// Is told what goes on in a store and in all stores below it: actions, reductions, notifications, effects, what is
/// dropped, and how long each took. What a service's metrics and traces are made of.
///
/// ```swift
/// struct SlowReducers: StoreInstrument {
///     func actionReduced(_ event: ReducedAction) {
///         if event.duration > .milliseconds(5) { print("\(event.store) #\(event.revision): \(event.duration)") }
///     }
/// }
/// store.use(SlowReducers())
/// ```
///
/// Each method does nothing unless it is implemented, so that one implements what one wants to know.
///
/// Events are delivered in the store's turn, synchronously, in the order in which things happened: first what became of
/// an action, then that observers were told, then that its effects began. Everybody who sends waits meanwhile: an
/// instrument must not block, and must not take a lock that a sender holds while it sends. The state is at rest while
/// an instrument runs. What it sends to a store is reduced later, and told again.
///
/// Those who are told of the end of an effect, or of an action that was dropped outside the turn, learn of it in the
/// next turn; ``StoreTask/finish(isolation:)`` returns after the end was put in the queue, so that it is told before
/// anything that is sent afterwards.
///
/// A store without instruments does not pay for them. See <doc:Instruments>.
public protocol StoreInstrument: Sendable {
    /// An action's turn has come; it is about to pass through the interceptors. Those of a batch are told when the
    /// batch has been reduced, because nobody sees what is between them.
    func actionAccepted(_ event: AcceptedAction)
    /// An action has been reduced, by all stores on its way up.
    func actionReduced(_ event: ReducedAction)
    /// An action was not reduced, or not let in.
    func actionDropped(_ event: DroppedAction)
    /// The observers of the stores on an action's way have been told. Not called while nobody observes anything.
    func observersNotified(_ event: NotifiedObservers)
    /// The task of an effect is about to be started.
    func effectBegan(_ event: BegunEffect)
    /// An effect has done its work, or made an action of its error.
    func effectEnded(_ event: EndedEffect)
    /// The task of an effect has come to its end, which was cancelled before.
    func effectCancelled(_ event: EndedEffect)
    /// An effect has thrown an error that nobody made an action of.
    func effectFailed(_ event: EndedEffect, _ error: any Error)
}

extension StoreInstrument {
    /// Does nothing.
    public func actionAccepted(_ event: AcceptedAction) {}
    /// Does nothing.
    public func actionReduced(_ event: ReducedAction) {}
    /// Does nothing.
    public func actionDropped(_ event: DroppedAction) {}
    /// Does nothing.
    public func observersNotified(_ event: NotifiedObservers) {}
    /// Does nothing.
    public func effectBegan(_ event: BegunEffect) {}
    /// Does nothing.
    public func effectEnded(_ event: EndedEffect) {}
    /// Does nothing.
    public func effectCancelled(_ event: EndedEffect) {}
    /// Does nothing.
    public func effectFailed(_ event: EndedEffect, _ error: any Error) {}
}
