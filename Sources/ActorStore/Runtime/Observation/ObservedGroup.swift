/// A group of observers of the same subject.
@usableFromInline
protocol ObservedGroup: AnyObject {
    /// What is observed.
    var subject: ObservedSubject { get }
    /// The key under which other observers find the group; nil if it is not shared.
    var key: GroupKey? { get }
    /// The storage that is observed.
    var source: ObservableStorage? { get }
    /// Returns the observers. Called within the store's turn.
    ///
    /// - Parameter sources: The code locations that the observers' numbers refer to.
    /// - Complexity: O(*n*), where *n* is the number of observers.
    func observers(_ sources: [CodeLocation]) -> [ObserverRecord]
}

extension Broadcast: ObservedGroup {
    @usableFromInline
    func observers(_ sources: [CodeLocation]) -> [ObserverRecord] {
        let subject = subject.description
        let closures = closures.compactMap { observer in
            observer.map {
                ObserverRecord(
                    isClosure: true,
                    subject: subject,
                    source: source($0.source, in: sources),
                    since: $0.since,
                    delivered: $0.calls,
                    pending: 0,
                    dropped: 0
                )
            }
        }
        let sequences = lock.withLock {
            members.map { subscriber in
                ObserverRecord(
                    isClosure: false,
                    subject: subject,
                    source: source(subscriber.source, in: sources),
                    since: subscriber.since,
                    delivered: subscriber.delivered,
                    pending: subscriber.buffer?.count ?? (subscriber.seen == version.loadRelaxed() ? 0 : 1),
                    dropped: subscriber.buffer?.dropped ?? 0
                )
            }
        }
        return closures + sequences
    }

    private func source(_ number: UInt32, in sources: [CodeLocation]) -> CodeLocation? {
        number == 0 ? nil : sources[Int(number) - 1]
    }
}

extension TableChangeDetector: ObservedGroup {
    @usableFromInline var subject: ObservedSubject { .unshared }
    @usableFromInline var key: GroupKey? { nil }
    @usableFromInline var source: ObservableStorage? { nil }

    @usableFromInline
    func observers(_ sources: [CodeLocation]) -> [ObserverRecord] {
        inOrder.flatMap { $0.observers(sources) }
    }
}

/// The groups of observers of one storage: observers of the same part, or of the same selector, share one comparison.
/// Also has the group of action observers. Created for the first observer.
@usableFromInline
final class GroupTable: @unchecked Sendable {
    // Sound: all variables are touched only under `lock`, which is a blocking lock: finding a key path can call the
    // hash functions of values that it captured.
    private struct Group {
        let broadcast: AnyObject
        var members: Int
    }

    private let lock = BlockingLock()
    private var groups: [GroupKey: Group] = [:]
    private var actions: AnyObject?

    /// Joins the group of a key. Creates the group if it does not exist.
    func join<Value: Sendable>(
        _ key: GroupKey,
        subject: ObservedSubject,
        areEqual: (@Sendable (Value, Value) -> Bool)?,
        in source: ObservableStorage,
        deferred: DeferredWorkList
    ) -> Broadcast<Value> {
        lock.withLock {
            if let group = groups[key], let broadcast = group.broadcast as? Broadcast<Value> {
                groups[key]?.members += 1
                return broadcast
            }
            let broadcast = Broadcast<Value>(
                areEqual: areEqual,
                keepsNewest: true,
                subject: subject,
                key: key,
                source: source,
                deferred: deferred
            )
            groups[key] = Group(broadcast: broadcast, members: 1)
            return broadcast
        }
    }

    /// Leaves the group of a key.
    ///
    /// - Returns: `true` if the last member left, which removes the group.
    func leave(_ key: GroupKey) -> Bool {
        // Released outside the lock, with what the key has captured.
        let removed: (GroupKey, Group)? = lock.withLock {
            guard let place = groups.index(forKey: key) else { return nil }
            groups.values[place].members -= 1
            return groups.values[place].members == 0 ? groups.remove(at: place) : nil
        }
        return removed != nil
    }

    /// Returns the group of action observers. A storage has one type of actions only.
    func actionGroup<Action, State>(
        of source: ObservableStorage,
        deferred: DeferredWorkList
    ) -> Broadcast<(action: Action, state: State)> {
        lock.withLock {
            if let group = actions as? Broadcast<(action: Action, state: State)> { return group }
            let group = Broadcast<(action: Action, state: State)>(
                areEqual: nil,
                keepsNewest: false,
                subject: .actions,
                source: source,
                deferred: deferred
            )
            actions = group
            return group
        }
    }
}

/// Identifies an observed part of a state.
@usableFromInline
enum ObservedPart: Hashable, Sendable {
    /// A stored part of this type. Its type and location identify it, whichever key path leads to it.
    case stored(ObjectIdentifier)
    case computed(AnyKeyPath & Sendable)
    case selector(SelectorIdentity)
    /// An entry of the table at a part.
    indirect case entry(ObservedPart, EntryKey)

    @usableFromInline
    static func == (left: ObservedPart, right: ObservedPart) -> Bool {
        switch (left, right) {
        case (.stored(let left), .stored(let right)): left == right
        case (.computed(let left), .computed(let right)): (left as AnyKeyPath) == (right as AnyKeyPath)
        case (.selector(let left), .selector(let right)): left === right
        case (.entry(let left, let leftKey), .entry(let right, let rightKey)): leftKey == rightKey && left == right
        default: false
        }
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        switch self {
        case .stored(let type): hasher.combine(type)
        case .computed(let keyPath): hasher.combine(keyPath as AnyKeyPath)
        case .selector(let identity): hasher.combine(ObjectIdentifier(identity))
        case .entry(_, let key): hasher.combine(key)
        }
    }
}

/// The bytes of a state that an observer compares.
@usableFromInline
struct ByteRange: Sendable {
    @usableFromInline let offset: Int
    @usableFromInline let size: Int

    @inlinable
    init(offset: Int, size: Int) {
        self.offset = offset
        self.size = size
    }

    /// Returns the same bytes in a state that starts `offset` bytes earlier.
    @inlinable
    func shifted(by offset: Int) -> ByteRange { ByteRange(offset: self.offset + offset, size: size) }
}

/// Identifies a group of observers in a storage.
@usableFromInline
struct GroupKey: Hashable, Sendable {
    /// The offset of the part in the storage's state, or that of the state itself if the part has no location.
    @usableFromInline let offset: Int
    @usableFromInline let part: ObservedPart

    @inlinable
    init(offset: Int, part: ObservedPart) {
        self.offset = offset
        self.part = part
    }
}

/// A description of what an observer observes.
@usableFromInline
enum ObservedSubject: Sendable, CustomStringConvertible {
    case part(AnyKeyPath & Sendable)
    case entry(AnyKeyPath & Sendable, EntryKey)
    case selector
    /// Something that no other observer shares.
    case unshared
    case actions
    case failures

    @usableFromInline var description: String {
        switch self {
        case .part(let keyPath): "\(keyPath)"
        case .entry(let keyPath, let key): "\(keyPath)[\(ValueDescription.text(of: key.value))]"
        case .selector: "a selector"
        case .unshared: "a part with its own notion of equality"
        case .actions: "actions"
        case .failures: "errors"
        }
    }
}

/// A record of one observer at one moment, as `ActorStoreInstruments` shows it.
@usableFromInline
package struct ObserverRecord: Sendable {
    /// Whether a closure is called within the store's turn; otherwise a task takes elements from a sequence.
    package let isClosure: Bool
    package let subject: String
    package let source: CodeLocation?
    package let since: UInt64
    package let delivered: Int
    package let pending: Int
    package let dropped: Int
}
