/// Receives events of a store and of all stores below it: actions, reductions, notifications, effects, dropped actions,
/// and how long each took. The basis for metrics and traces.
///
/// ```swift
/// struct SlowReducers: StoreInstrument {
///     func record(_ event: InstrumentEvent) {
///         guard case .actionReduced(let event) = event, event.duration > .milliseconds(5) else { return }
///         print("\(event.store) #\(event.revision): \(event.duration)")
///     }
/// }
/// store.use(SlowReducers())
/// ```
///
/// Events are delivered synchronously in the store's turn, in the order in which they happened: first the outcome of an
/// action, then the notification of observers, then the start of its effects. All senders wait meanwhile: an instrument
/// must not block, and must not take a lock that a sender holds while it sends. The state does not change while an
/// instrument runs. Actions that an instrument sends are reduced later, and recorded as well.
///
/// The end of an effect, and an action that was dropped outside the turn, are recorded in the next turn.
/// ``StoreTask/finish(isolation:)`` returns after the end was enqueued, so it is recorded before anything that is sent
/// afterwards.
///
/// A store without instruments does not pay for them. See <doc:Instruments>.
public protocol StoreInstrument: Sendable {
    /// Records an event. Later versions can have more events: ignore those that you do not know.
    ///
    /// - Parameter event: What happened.
    func record(_ event: InstrumentEvent)
}
