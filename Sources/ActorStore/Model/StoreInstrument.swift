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
    /// Records an event. Later versions can have more events: ignore those that you do not know.
    ///
    /// - Parameter event: What happened.
    func record(_ event: InstrumentEvent)
}

/// An event that a ``StoreInstrument`` records.
public enum InstrumentEvent: Sendable {
    /// An action's turn has come; it is about to pass through the interceptors. The actions of a batch are recorded
    /// when the batch has been reduced.
    case actionAccepted(AcceptedAction)
    /// An action was reduced, by all stores on its way up.
    case actionReduced(ReducedAction)
    /// An action was not reduced, or not accepted.
    case actionDropped(DroppedAction)
    /// The observers of the stores on an action's way were notified. Not recorded while there are no observers.
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
    /// The name of the store that it was sent to: the root, or a child. Scopes have the name of the store they belong
    /// to.
    public let store: String
    /// Tells it from the other actions of the tree. Grows by one with each of them.
    public let number: UInt64
    /// The action, in the form that it has in that store.
    public let action: any Sendable
    /// When its turn came, by the instruments' clock.
    public let time: Duration
    /// How long it waited in the mailbox, from when it was accepted; zero if the store was idle.
    public let waiting: Duration
}

/// An action that has been reduced.
public struct ReducedAction: Sendable {
    /// The name of the store that it was sent to.
    public let store: String
    /// That of ``AcceptedAction/number``.
    public let number: UInt64
    /// The action, in the form that it has in that store.
    public let action: any Sendable
    /// When the reduction began, by the instruments' clock.
    public let time: Duration
    /// How long the reducers of all stores on its way took, with the interceptors around them.
    public let duration: Duration
    /// The revision of the tree that it made.
    public let revision: UInt64
}

/// Actions that were not reduced.
public struct DroppedAction: Sendable {
    /// Why an action is not reduced.
    public enum Reason: Sendable, Equatable {
        /// The mailbox was full: it gave way to another one, or was refused. Or it was not accepted within the
        /// timeout of its dispatch; see ``Store/dispatch(_:acceptanceTimeout:tracksFeedback:clock:isolation:)``.
        case overload
        /// It was sent by an effect that had ended or had been cancelled, or its store ended before its turn came.
        case late
        /// An interceptor has stopped it, or it waited for a first state that could not be loaded; this is what a
        /// dispatch throws.
        case rejected(StoreError)
    }

    /// The name of the store that it was sent to; that of the root where nothing else is known.
    public let store: String
    /// That of ``AcceptedAction/number``; nil if its turn never came.
    public let number: UInt64?
    /// The action; nil where it is not known: if it is late, if there are several, or if it was sent to a child, or by
    /// way of the scope of an entry or of an optional part, and the store was busy.
    public let action: (any Sendable)?
    /// When it was dropped, by the instruments' clock.
    public let time: Duration
    /// Why.
    public let reason: Reason
    /// How many actions this is about; more than one for a batch.
    public let count: Int
}

/// Observers that have been told.
public struct NotifiedObservers: Sendable {
    /// The name of the store that the action was sent to.
    public let store: String
    /// That of ``AcceptedAction/number``, the last one's of a batch.
    public let number: UInt64
    /// When the first was told, by the instruments' clock.
    public let time: Duration
    /// How long it took to find those whom the change concerns, and to tell them.
    public let duration: Duration
    /// How many observers the tree has, concerned or not.
    public let observers: Int
}

/// An effect whose task is about to be started. A side effect is one as well.
///
/// An effect that consists of several parts, or only sends an action, and that has to wait as a whole, for an interval
/// or in a queue, is one while it waits: it ends with its wait, and what it consists of begins after that.
public struct BegunEffect: Sendable {
    /// The name of the store whose effect it is.
    public let store: String
    /// Tells it from the other effects of the tree. Grows by one with each of them.
    public let number: UInt64
    /// Its identity, if it has one.
    public let id: EffectID?
    /// Where it is written.
    public let source: CodeLocation
    /// That of ``AcceptedAction/number`` of the action that asked for it; nil if none did, or if it begins later: as a
    /// later part of a concatenation, or as a part of something that had to wait.
    public let cause: UInt64?
    /// When that was, by the instruments' clock.
    public let time: Duration
    /// Whether its task has to wait first: for an interval, or for its turn in a queue.
    public let isWaiting: Bool
}

/// An effect whose task has come to its end.
public struct EndedEffect: Sendable {
    /// The effect, as it began.
    public let effect: BegunEffect
    /// When that was, by the instruments' clock.
    public let time: Duration
    /// How long it took, from its beginning on, waiting included.
    public var duration: Duration { time - effect.time }
}
