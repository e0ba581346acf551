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
/// store.use(SlowReducers())   // With `import ActorStoreInstruments`.
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
    /// Records an event. Later versions can add events: ignore those that you do not handle.
    ///
    /// - Parameter event: The event.
    func record(_ event: InstrumentEvent)
}

/// An event that a ``StoreInstrument`` records.
public enum InstrumentEvent: Sendable {
    /// An action's turn has come; it is about to pass through the interceptors. The actions of a batch are recorded
    /// after the batch has been reduced.
    case actionAccepted(AcceptedAction)
    /// An action was reduced, by the store that it was sent to and by its parents.
    case actionReduced(ReducedAction)
    /// An action was not reduced, or not accepted.
    case actionDropped(DroppedAction)
    /// The observers of all stores that reduced an action were notified. Not recorded while there are no observers.
    case observersNotified(NotifiedObservers)
    /// The task of an effect is about to start.
    case effectBegan(BegunEffect)
    /// An effect finished, or its error became an action.
    case effectEnded(EndedEffect)
    /// The task of a cancelled effect finished.
    case effectCancelled(EndedEffect)
    /// An effect threw an error that did not become an action.
    case effectFailed(EndedEffect, any Error)
}

/// An action whose turn has come.
public struct AcceptedAction: Sendable {
    /// The name of the store that the action was sent to: the root, or a child. Scopes have the name of the store that
    /// they belong to.
    public let store: String
    /// The number of the action in its tree. It grows by one with each action.
    public let number: UInt64
    /// The action, in the form that it has in that store.
    public let action: any Sendable
    /// The time at which the turn of the action started, by the instruments' clock.
    public let time: Duration
    /// The time that the action spent in the mailbox after it was accepted; zero if the store was idle.
    public let waiting: Duration
}

/// An action that has been reduced.
public struct ReducedAction: Sendable {
    /// The name of the store that the action was sent to.
    public let store: String
    /// The number of the action; see ``AcceptedAction/number``.
    public let number: UInt64
    /// The action, in the form that it has in that store.
    public let action: any Sendable
    /// The time at which the reduction started, by the instruments' clock.
    public let time: Duration
    /// The duration of the reducers of all stores that reduced the action, including the interceptors around them.
    public let duration: Duration
    /// The revision of the tree after the action.
    public let revision: UInt64
}

/// Actions that were not reduced.
public struct DroppedAction: Sendable {
    /// The reason why an action is not reduced.
    public enum Reason: Sendable, Equatable {
        /// The mailbox was full: the action was displaced by another one, or refused. Or it was not accepted within the
        /// timeout of its dispatch; see ``Store/dispatch(_:acceptanceTimeout:tracksFeedback:clock:isolation:)``.
        case overload
        /// It was sent by an effect that had ended or was cancelled, or its store ended before its turn.
        case late
        /// An interceptor stopped the action, or the action waited for a first state that could not be loaded. The
        /// associated value is the error that a dispatch throws.
        case rejected(StoreError)
    }

    /// The name of the store that the action was sent to, or that of the root if it is not known.
    public let store: String
    /// The number of the action, see ``AcceptedAction/number``; nil if its turn never came.
    public let number: UInt64?
    /// The action; nil if it is not available: if it is late, if there are several, or if it was sent to a child, or
    /// through the scope of an entry or an optional part, while the store was busy.
    public let action: (any Sendable)?
    /// The time at which the action was dropped, by the instruments' clock.
    public let time: Duration
    /// The reason.
    public let reason: Reason
    /// The number of dropped actions; more than one for a batch.
    public let count: Int
}

/// A notification of observers.
public struct NotifiedObservers: Sendable {
    /// The name of the store that the action was sent to.
    public let store: String
    /// The number of the action, see ``AcceptedAction/number``; for a batch, the number of its last action.
    public let number: UInt64
    /// The time at which the first observer was notified, by the instruments' clock.
    public let time: Duration
    /// The time that it took to find the observers of the change and to notify them.
    public let duration: Duration
    /// The number of observers in the tree, including those that were not notified.
    public let observers: Int
}

/// An effect whose task is about to start. Side effects are included.
///
/// If an effect has several parts, or only sends an action, and has to wait as a whole, for an interval or in a queue,
/// the wait is recorded as an effect: it ends with the wait, and the parts start afterwards.
public struct BegunEffect: Sendable {
    /// The name of the store that runs the effect.
    public let store: String
    /// The number of the effect in its tree. It grows by one with each effect.
    public let number: UInt64
    /// The identity of the effect, if it has one.
    public let id: EffectID?
    /// The location in the code at which the effect is written.
    public let source: CodeLocation
    /// The number of the action that requested the effect, see ``AcceptedAction/number``. Nil if no action did, or if
    /// the effect starts later, as a later part of a concatenation or as a part of something that had to wait.
    public let cause: UInt64?
    /// The time at which the effect started, by the instruments' clock.
    public let time: Duration
    /// Whether the task has to wait first: for an interval, or for its turn in a queue.
    public let isWaiting: Bool
}

/// An effect whose task has ended.
public struct EndedEffect: Sendable {
    /// The effect, as recorded at its start.
    public let effect: BegunEffect
    /// The time at which the effect ended, by the instruments' clock.
    public let time: Duration
    /// The duration of the effect, including the time that it waited.
    public var duration: Duration { time - effect.time }
}
