/// The rule for elements that a busy observer has not received yet.
public struct BufferingPolicy: Sendable, Equatable {
    /// The rule for a full bounded buffer.
    public struct Overflow: Sendable, Equatable {
        @usableFromInline
        enum Kind: Sendable { case dropOldest, dropNewest, finish, suspendStore }
        @usableFromInline let kind: Kind

        /// The oldest element is dropped.
        public static let dropOldest = Overflow(kind: .dropOldest)
        /// The new element is dropped. When the observer has caught up, it still receives the newest element, so that
        /// it does not stay on an old one.
        public static let dropNewest = Overflow(kind: .dropNewest)
        /// The sequence finishes after the buffered elements.
        public static let finish = Overflow(kind: .finish)
        /// Nothing is dropped: the store is suspended until the observer has taken an element. Meanwhile, sent actions
        /// wait in the mailbox, and dispatched actions wait to be reduced; set a bound for the mailbox. The elements of
        /// one batch can exceed the buffer.
        ///
        /// An observer that neither takes elements nor ends its observation stops the store.
        /// ``Store/shutdown(drain:within:reserving:clock:isolation:)`` of a root and the end of the store do not wait
        /// for it. A shutdown of a child waits for every observer that suspends the tree, unless it has a deadline.
        ///
        /// While its buffer is full, an observer deadlocks if it waits for the store: by `dispatch`, `ask`, `perform`,
        /// ``Store/state``, ``Store/read(_:isolation:)``, ``StoreTask/finish(isolation:)``, `take` or `condition`, by a
        /// cancellation of effects, by the shutdown of a child, or by code that is isolated to a store of the tree. Use
        /// ``Store/snapshot`` and `send` instead.
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

    /// Keeps no elements: a busy observer receives the newest element, and skips those before it. Uses no memory.
    public static let latest = BufferingPolicy(kind: .latest)

    /// Keeps every element, in order. Memory grows with the lag of the observer.
    public static let unbounded = BufferingPolicy(kind: .buffer(limit: .max, overflow: .dropOldest))

    /// Keeps up to `limit` elements, in order.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of elements. It must be at least 1; otherwise this traps.
    ///   - overflow: The rule for a full buffer.
    /// - Returns: A policy.
    public static func bounded(_ limit: Int, onOverflow overflow: Overflow = .dropOldest) -> BufferingPolicy {
        guard limit >= 1 else {
            fatalError("BufferingPolicy.bounded(\(limit)) has no room for an element. Give a limit of at least 1.")
        }
        return BufferingPolicy(kind: .buffer(limit: limit, overflow: overflow))
    }
}

/// The first value that an observer receives.
public enum Replay: Sendable, Equatable {
    /// The value at the start of the observation.
    case current
    /// No initial value: only changes after the start of the observation.
    case none
}

/// A rule that decides which values count as equal to an observer. The observer receives only the first of several
/// equal values.
///
/// ```swift
/// store.values(of: .part(\.session, removeDuplicates: .by(\.id)))
/// store.values(of: .part(\.price, removeDuplicates: Deduplication { old, new in abs(old - new) < 0.01 }))
/// store.values(of: .part(\.count, removeDuplicates: .everyAction))
/// ```
///
/// A value is compared with the last one that was published to this observation, and not with the one before the
/// action. An observer that keeps only the newest value does not receive it if it equals the last received one. So with
/// a tolerance, it can stay on a value that differs from the state by up to twice the tolerance; an observer with a
/// buffer receives each published value.
public struct Deduplication<Value: Sendable>: Sendable {
    @usableFromInline let areSame: (@Sendable (Value, Value) -> Bool)?

    /// Creates a rule from a closure.
    ///
    /// - Parameter areSame: A closure that returns whether an observer that has received `old` need not receive `new`.
    ///   It runs within the store's turn and must not block.
    public init(_ areSame: @escaping @Sendable (_ old: Value, _ new: Value) -> Bool) {
        self.areSame = areSame
    }

    private init() { areSame = nil }

    /// Compares one part of the values, such as an identifier or a revision.
    ///
    /// - Parameter keyPath: The key path of the part.
    /// - Returns: A rule.
    public static func by<Part: Equatable & SendableMetatype>(_ keyPath: KeyPath<Value, Part> & Sendable)
        -> Deduplication
    {
        Deduplication { old, new in old[keyPath: keyPath] == new[keyPath: keyPath] }
    }

    /// Treats all values as different: the observer is notified after each action, and once after each batch, even if
    /// nothing has changed.
    public static var everyAction: Deduplication { Deduplication() }
}

extension Deduplication where Value: Equatable {
    /// Compares the values by `==`. This is the rule of
    /// ``Store/values(of:buffering:fileID:line:)-(KeyPath<State,Value>Sendable,_,_,_)``, which is faster.
    public static var equal: Deduplication { Deduplication(==) }
}
