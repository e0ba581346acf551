/// Something that can be observed in a state, and how its changes are found.
///
/// Its closures are made in inlinable code, where the types are known, because they run after each turn.
@usableFromInline
struct Observed<State: Sendable, Value: Sendable> {
    /// By what others find the group of those who observe the same; nil if nobody shares it.
    @usableFromInline let key: GroupKey?
    /// Whether two values are the same to an observer, who gets only one of them then; nil if none ever are.
    @usableFromInline let areEqual: (@Sendable (Value, Value) -> Bool)?
    @usableFromInline let makeWatcher: (Broadcast<Value>) -> Watcher<State>

    @inlinable
    init(
        key: GroupKey?,
        areEqual: (@Sendable (Value, Value) -> Bool)?,
        makeWatcher: @escaping (Broadcast<Value>) -> Watcher<State>
    ) {
        self.key = key
        self.areEqual = areEqual
        self.makeWatcher = makeWatcher
    }
}

extension Observed where Value: Equatable {
    /// A part, found by its bytes if it is stored, and compared by `==`.
    @inlinable
    static func part(_ keyPath: KeyPath<State, Value> & Sendable) -> Observed {
        Observed(key: .part(keyPath), areEqual: ==) { group in
            if let part = StoredPart(keyPath) {
                return Watcher(group: group, filter: PartFilter(part, last: group.place)) { state in
                    group.start(with: part.load(from: state))
                } check: { state in
                    if part.load(from: state) != group.newest { group.publish(part.load(from: state)) }
                }
            }
            return Watcher(group: group, filter: .passing) { state in
                group.start(with: state.pointee[keyPath: keyPath])
            } check: { state in
                let value = state.pointee[keyPath: keyPath]
                if value != group.newest { group.publish(value) }
            }
        }
    }

    /// What a closure makes of the state, computed after each turn.
    @inlinable
    static func computed(_ select: @escaping @Sendable (State) -> Value) -> Observed {
        Observed(key: nil, areEqual: ==) { group in
            Watcher(group: group, filter: .passing) { state in
                group.start(with: select(state.pointee))
            } check: { state in
                let value = select(state.pointee)
                if value != group.newest { group.publish(value) }
            }
        }
    }

    /// What a selector makes of its inputs, computed when one of them has changed.
    @inlinable
    static func selector(_ selector: Selector<State, Value>) -> Observed {
        Observed(key: .selector(selector.identity), areEqual: ==) { group in
            let evaluate = selector.makeEvaluation()
            return Watcher(group: group, filter: .passing) { state in
                if let value = evaluate(state) { group.start(with: value) }
            } check: { state in
                if let value = evaluate(state), value != group.newest { group.publish(value) }
            }
        }
    }
}

extension Observed {
    /// A part, with a notion of change of its own.
    @inlinable
    static func part(
        _ keyPath: KeyPath<State, Value> & Sendable,
        removeDuplicates deduplication: Deduplication<Value>
    ) -> Observed {
        Observed(key: nil, areEqual: deduplication.areSame) { group in
            Watcher(group: group, filter: .passing) { state in
                group.start(with: state.pointee[keyPath: keyPath])
            } check: { state in
                let value = state.pointee[keyPath: keyPath]
                if let areSame = deduplication.areSame, let newest = group.newest, areSame(newest, value) { return }
                group.publish(value)
            }
        }
    }
}

/// By what a group of observers is found.
@usableFromInline
enum GroupKey: Hashable, Sendable {
    case part(AnyKeyPath & Sendable)
    case selector(SelectorIdentity)
    // Boxed, so that the other cases, of which there is one in each observer, take a word.
    indirect case entry(AnyKeyPath & Sendable, EntryKey)

    @usableFromInline
    static func == (left: GroupKey, right: GroupKey) -> Bool {
        switch (left, right) {
        case (.part(let left), .part(let right)): (left as AnyKeyPath) == (right as AnyKeyPath)
        case (.selector(let left), .selector(let right)): left === right
        case (.entry(let left, let leftKey), .entry(let right, let rightKey)):
            leftKey == rightKey && (left as AnyKeyPath) == (right as AnyKeyPath)
        default: false
        }
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        switch self {
        case .part(let keyPath): hasher.combine(keyPath as AnyKeyPath)
        case .selector(let identity): hasher.combine(ObjectIdentifier(identity))
        case .entry(_, let key): hasher.combine(key)
        }
    }
}
