/// An action whose turn has come.
public struct AcceptedAction: Sendable {
    /// The name of the store that it was sent to: the root, or a child. Scopes have the name of the store they belong to.
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
        /// The mailbox was full: it gave way to another one, or was refused.
        case overload
        /// It was sent by an effect that had ended or had been cancelled, or its store ended before its turn came.
        case late
        /// An interceptor has stopped it, and this is what a dispatch throws.
        case rejected(StoreError)
    }

    /// The name of the store that it was sent to; that of the root where nothing else is known.
    public let store: String
    /// That of ``AcceptedAction/number``; nil if its turn never came.
    public let number: UInt64?
    /// The action; nil where it is not known: if it is late, if there are several, or if it was sent to a child that was
    /// busy.
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
