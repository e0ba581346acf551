/// Those who observe the same.
@usableFromInline
protocol ObservedGroup: AnyObject {
    /// What is observed.
    var subject: ObservedSubject { get }
    /// By what others find the group; nil if it is not shared.
    var key: GroupKey? { get }
    /// Where it is observed.
    var source: ObservableStorage? { get }
    /// The observers, in the store's turn.
    ///
    /// - Parameter sources: the places in the program that they have the numbers of.
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

/// The groups of observers of a source of state, because observers of the same part, or of the same selector, share one
/// comparison; and the group of those who observe actions. Made when the first observer comes.
@usableFromInline
final class GroupTable: @unchecked Sendable {
    // Sound: all variables are touched only under `lock`, which is one to sleep on: looking a key path up can call the
    // hash functions of values that it captured.
    private struct Group {
        let broadcast: AnyObject
        var members: Int
    }

    private let lock = BlockingLock()
    private var groups: [GroupKey: Group] = [:]
    private var actions: AnyObject?

    /// Joins the group of a key, founding it if there is none.
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
    /// - Returns: whether it was the last member who left, and the group is gone.
    func leave(_ key: GroupKey) -> Bool {
        // Carried out of the lock, so that what a key has captured is not released under it.
        let removed: (GroupKey, Group)? = lock.withLock {
            guard let place = groups.index(forKey: key) else { return nil }
            groups.values[place].members -= 1
            return groups.values[place].members == 0 ? groups.remove(at: place) : nil
        }
        return removed != nil
    }

    /// The group of those who observe actions. There is but one type of them in a source.
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

/// What tells a part that is observed from the others of a state.
@usableFromInline
enum ObservedPart: Hashable, Sendable {
    /// A stored part of this type. Together with its place that says it all, by whichever key path it is found.
    case stored(ObjectIdentifier)
    case computed(AnyKeyPath & Sendable)
    case selector(SelectorIdentity)
    /// An entry of the table that the part is.
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

/// Which bytes of a state an observer looks at.
@usableFromInline
struct ByteRange: Sendable {
    @usableFromInline let offset: Int
    @usableFromInline let size: Int

    @inlinable
    init(offset: Int, size: Int) {
        self.offset = offset
        self.size = size
    }

    /// The same bytes in a state that begins so many bytes earlier.
    @inlinable
    func shifted(by offset: Int) -> ByteRange { ByteRange(offset: self.offset + offset, size: size) }
}

/// By what a group of observers is found in a source of state.
@usableFromInline
struct GroupKey: Hashable, Sendable {
    /// How far into the source's state the part begins; the state itself if the part has no place of its own.
    @usableFromInline let offset: Int
    @usableFromInline let part: ObservedPart

    @inlinable
    init(offset: Int, part: ObservedPart) {
        self.offset = offset
        self.part = part
    }
}

/// What an observer observes, in words.
@usableFromInline
enum ObservedSubject: Sendable, CustomStringConvertible {
    case part(AnyKeyPath & Sendable)
    case entry(AnyKeyPath & Sendable, EntryKey)
    case selector
    /// Something that nobody else observes.
    case unshared
    case actions
    case failures

    @usableFromInline var description: String {
        switch self {
        case .part(let keyPath): "\(keyPath)"
        case .entry(let keyPath, let key): "\(keyPath)[\(ValueDescription.text(of: key.value))]"
        case .selector: "a selector"
        case .unshared: "a part, with a notion of change of its own"
        case .actions: "actions"
        case .failures: "errors"
        }
    }
}

/// An observer of a store, as it is at one moment; what `ActorStoreInstruments` shows of it.
@usableFromInline
package struct ObserverRecord: Sendable {
    /// Whether a closure is called in the store's turn; otherwise a task takes elements from a sequence.
    package let isClosure: Bool
    package let subject: String
    package let source: CodeLocation?
    package let since: UInt64
    package let delivered: Int
    package let pending: Int
    package let dropped: Int
}
