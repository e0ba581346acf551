import ActorStore

/// Diagnostic information about an observer of a store at one moment.
public struct ObserverInformation: Sendable, Equatable {
    /// The way in which an observer is notified.
    public enum Kind: Sendable, Equatable {
        /// A closure is called within the store's turn.
        case closure
        /// A task takes elements from a sequence.
        case sequence
    }

    /// The observed subject: a key path, with the key of an entry if that is observed, a selector, actions or errors.
    public let subject: String
    /// The way in which it is notified.
    public let kind: Kind
    /// The source location at which it began. Nil for `Store.errors` and `Store.actions`.
    public let source: CodeLocation?
    /// The revision at which it began.
    public let since: UInt64
    /// The number of elements offered to it. A sequence skips an element that equals the last one it has returned,
    /// because the value has changed back meanwhile; a timed sequence replaces an element by the next one.
    public let delivered: Int
    /// The number of elements that wait for it, of which it may skip some; 1 for an observer that keeps only the newest
    /// and has not taken it.
    public let pending: Int
    /// The number of elements that it will never receive.
    public let dropped: Int

    init(_ record: ObserverRecord) {
        subject = record.subject
        kind = record.isClosure ? .closure : .sequence
        source = record.source
        since = record.since
        delivered = record.delivered
        pending = record.pending
        dropped = record.dropped
    }
}

extension Store {
    /// Diagnostic information about every observer: its subject, start, lag and number of deliveries. Observations of
    /// an `OptionalScope`'s presence are not listed.
    ///
    /// - Complexity: O(*n*) with *n* observers, within the store's turn.
    public nonisolated var observers: [ObserverInformation] {
        get async { await observerRecords.map(ObserverInformation.init) }
    }
}
