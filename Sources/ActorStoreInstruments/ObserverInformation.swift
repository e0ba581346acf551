import ActorStore

/// An observer of a store, as it is at one moment; for diagnostics.
public struct ObserverInformation: Sendable, Equatable {
    /// How an observer is told.
    public enum Kind: Sendable, Equatable {
        /// A closure is called in the store's turn.
        case closure
        /// A task takes elements from a sequence.
        case sequence
    }

    /// What it observes: a key path, with the key of an entry if that is observed, a selector, actions or errors.
    public let subject: String
    /// How it is told.
    public let kind: Kind
    /// Where in the program it began: who observes. Nil for `Store.errors` and `Store.actions`.
    public let source: CodeLocation?
    /// The revision at which it began.
    public let since: UInt64
    /// How many elements it was offered. A sequence passes over one that equals the last it has returned, because the
    /// value has changed back meanwhile; a timed sequence replaces one by the next.
    public let delivered: Int
    /// How many elements wait for it, of which it may pass over some; 1 for one that keeps only the newest and has not
    /// taken it.
    public let pending: Int
    /// How many elements it will never get.
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
    /// Who observes what, since when, how far behind, and how often told; for diagnostics. The coming and going of an
    /// `OptionalScope` is not listed.
    ///
    /// - Complexity: O(*n*) with *n* observers, in the store's turn.
    public nonisolated var observers: [ObserverInformation] {
        get async { await observerRecords.map(ObserverInformation.init) }
    }
}
