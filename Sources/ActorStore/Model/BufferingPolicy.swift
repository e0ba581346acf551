/// What an observation keeps for an observer who is busy.
public struct BufferingPolicy: Sendable, Equatable {
    /// What gives way when a bounded buffer is full.
    public struct Overflow: Sendable, Equatable {
        @usableFromInline
        enum Kind: Sendable { case dropOldest, dropNewest, finish, suspendStore }
        @usableFromInline let kind: Kind

        /// The element that has waited longest is dropped.
        public static let dropOldest = Overflow(kind: .dropOldest)
        /// The element that comes is dropped. When the observer has caught up it gets the newest one all the same, so
        /// that it never rests on an old one.
        public static let dropNewest = Overflow(kind: .dropNewest)
        /// The sequence ends after what is in the buffer.
        public static let finish = Overflow(kind: .finish)
        /// Nothing gives way: the store reduces nothing more until the observer has taken an element. What is sent
        /// meanwhile waits in the mailbox, and what is dispatched waits to be reduced; give the mailbox a bound. The
        /// elements of one batch can exceed the buffer. An observer that neither takes elements nor goes away stops the
        /// store; ``Store/shutdown(drain:within:reserving:clock:isolation:)`` of a root and the end of the store do not
        /// wait for it. That of a child does, as for every observer that suspends the tree; one with a deadline ends
        /// all the same. An observer that waits for the store while its buffer is full waits for itself: by `dispatch`,
        /// ``Store/state``, ``Store/read(_:isolation:)``, ``StoreTask/finish(isolation:)``, `take` or `condition`, by
        /// the shutdown of a child, or by code that is isolated to a store of the tree. It reads ``Store/snapshot`` and
        /// sends instead.
        public static let suspendStore = Overflow(kind: .suspendStore)
    }

    enum Kind: Sendable, Equatable {
        case latest
        case buffer(limit: Int, overflow: Overflow)
    }

    let kind: Kind

    var suspendsStore: Bool {
        if case .buffer(_, .suspendStore) = kind { return true }
        return false
    }

    /// Nothing: an observer that comes back gets the newest element, and skips those between. Costs no memory.
    public static let latest = BufferingPolicy(kind: .latest)

    /// Every element, in order, at the price of as much memory as the observer is behind.
    public static let unbounded = BufferingPolicy(kind: .buffer(limit: .max, overflow: .dropOldest))

    /// At most `limit` elements, in order.
    ///
    /// - Parameters:
    ///   - limit: The number of elements, at least 1. Less is a programmer error, and traps.
    ///   - overflow: What gives way when there is one more.
    public static func bounded(_ limit: Int, onOverflow overflow: Overflow = .dropOldest) -> BufferingPolicy {
        guard limit >= 1 else {
            fatalError("BufferingPolicy.bounded(\(limit)) has no room for an element. Give a limit of at least 1.")
        }
        return BufferingPolicy(kind: .buffer(limit: limit, overflow: overflow))
    }
}

/// What an observer is told first.
public enum Replay: Sendable, Equatable {
    /// The value at the moment at which it begins.
    case current
    /// Nothing: only what changes after that moment.
    case none
}

/// When two values are the same to an observer, so that it is told only the first of them.
///
/// ```swift
/// store.values(of: .part(\.session, removeDuplicates: .by(\.id)))
/// store.values(of: .part(\.price, removeDuplicates: Deduplication { old, new in abs(old - new) < 0.01 }))
/// store.values(of: .part(\.count, removeDuplicates: .everyAction))
/// ```
///
/// A value is compared with the last one that was published to this observation, not with the one before the action. An
/// observer that keeps only the newest value is not told of it if it is the same as the one that it was told last. So
/// with a tolerance it can rest on a value that is up to twice the tolerance away from the state; one with a buffer is
/// told each value that was published.
public struct Deduplication<Value: Sendable>: Sendable {
    @usableFromInline let areSame: (@Sendable (Value, Value) -> Bool)?

    /// A notion of one's own.
    ///
    /// - Parameter areSame: runs in the store's turn, so that it must not block; it tells whether the observer need not
    ///   hear of `new`, given that it was told `old`.
    public init(_ areSame: @escaping @Sendable (_ old: Value, _ new: Value) -> Bool) {
        self.areSame = areSame
    }

    private init() { areSame = nil }

    /// Values are the same if a part of them is equal, such as an identifier or a revision.
    public static func by<Part: Equatable & SendableMetatype>(_ keyPath: KeyPath<Value, Part> & Sendable)
        -> Deduplication
    {
        Deduplication { old, new in old[keyPath: keyPath] == new[keyPath: keyPath] }
    }

    /// No values are the same: the observer is told after each action, and once after each batch, whether anything has
    /// changed or not.
    public static var everyAction: Deduplication { Deduplication() }
}

extension Deduplication where Value: Equatable {
    /// Values are the same if they are equal; what
    /// ``Store/values(of:buffering:fileID:line:)-(KeyPath<State,Value>Sendable,_,_,_)`` does, only faster.
    public static var equal: Deduplication { Deduplication(==) }
}
