/// Something that can be observed in a state, and how its changes are found.
///
/// Its closures are made in inlinable code, where the types are known, because they run after each turn.
@usableFromInline
struct Observed<State: Sendable, Value: Sendable>: Sendable {
    /// By what others find the group of those who observe the same; nil if nobody shares it.
    @usableFromInline let part: ObservedPart?
    /// For diagnostics.
    @usableFromInline let subject: ObservedSubject
    /// Which bytes of the state it looks at.
    @usableFromInline let extent: ObservedExtent
    /// Whether two values are the same to an observer, who gets only one of them then; nil if none ever are.
    @usableFromInline let areEqual: (@Sendable (Value, Value) -> Bool)?
    /// Has a group told of changes from now on. In the turn; it is given the place where the state is.
    @usableFromInline let watch: @Sendable (_ group: Broadcast<Value>, _ place: StatePlace) -> Void

    @inlinable
    init(
        part: ObservedPart?,
        subject: ObservedSubject,
        extent: ObservedExtent,
        areEqual: (@Sendable (Value, Value) -> Bool)?,
        watch: @escaping @Sendable (_ group: Broadcast<Value>, _ place: StatePlace) -> Void
    ) {
        self.part = part
        self.subject = subject
        self.extent = extent
        self.areEqual = areEqual
        self.watch = watch
    }

    /// For something that needs the whole state to be found.
    @inlinable
    init(
        part: ObservedPart?,
        subject: ObservedSubject,
        areEqual: (@Sendable (Value, Value) -> Bool)?,
        start: @escaping @Sendable (_ group: Broadcast<Value>, _ state: UnsafePointer<State>) -> Void,
        check: @escaping @Sendable (_ group: Broadcast<Value>, _ state: UnsafePointer<State>) -> Void
    ) {
        self.init(
            part: part,
            subject: subject,
            extent: ObservedExtent(offset: 0, size: MemoryLayout<State>.size),
            areEqual: areEqual
        ) { group, place in
            // Sound: a watcher is called with the address of the state that it was made for.
            let watcher = Watcher(group: group, filter: .passing) { state in
                start(group, state.assumingMemoryBound(to: State.self))
            } check: { state in
                check(group, state.assumingMemoryBound(to: State.self))
            }
            place.watch(watcher)
        }
    }
}

extension Observed where Value: Equatable {
    /// A part, found by its bytes if it is stored, and compared by `==`.
    @inlinable
    static func part(_ keyPath: KeyPath<State, Value> & Sendable) -> Observed {
        guard let part = StoredPart(keyPath) else {
            return Observed(part: .computed(keyPath), subject: .part(keyPath), areEqual: ==) { group, state in
                group.start(with: state.pointee[keyPath: keyPath])
            } check: { group, state in
                let value = state.pointee[keyPath: keyPath]
                if value != group.newest { group.publish(value) }
            }
        }
        return Observed(
            part: .stored(ObjectIdentifier(Value.self)),
            subject: .part(keyPath),
            extent: ObservedExtent(offset: part.offset, size: MemoryLayout<Value>.size),
            areEqual: ==
        ) { group, place in
            let watcher = Watcher(group: group, filter: PartFilter(part, last: group.place)) { state in
                group.start(with: part.load(from: state))
            } check: { state in
                if part.load(from: state) != group.newest { group.publish(part.load(from: state)) }
            }
            place.watch(watcher)
        }
    }

    /// What a closure makes of the state, computed after each turn.
    @inlinable
    static func computed(_ select: @escaping @Sendable (State) -> Value) -> Observed {
        Observed(part: nil, subject: .unshared, areEqual: ==) { group, state in
            group.start(with: select(state.pointee))
        } check: { group, state in
            let value = select(state.pointee)
            if value != group.newest { group.publish(value) }
        }
    }

    /// What a selector makes of its inputs, computed when one of them has changed.
    @inlinable
    static func selector(_ selector: Selector<State, Value>) -> Observed {
        Observed(
            part: .selector(selector.identity),
            subject: .selector,
            extent: ObservedExtent(offset: 0, size: MemoryLayout<State>.size),
            areEqual: ==
        ) { group, place in
            let evaluate = selector.makeEvaluation()
            // Sound: a watcher is called with the address of the state that it was made for.
            let watcher = Watcher(group: group, filter: .passing) { state in
                if let value = evaluate(state.assumingMemoryBound(to: State.self)) { group.start(with: value) }
            } check: { state in
                let value = evaluate(state.assumingMemoryBound(to: State.self))
                if let value, value != group.newest { group.publish(value) }
            }
            place.watch(watcher)
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
        Observed(part: nil, subject: .unshared, areEqual: deduplication.areSame) { group, state in
            group.start(with: state.pointee[keyPath: keyPath])
        } check: { group, state in
            let value = state.pointee[keyPath: keyPath]
            if let areSame = deduplication.areSame, let newest = group.newest, areSame(newest, value) { return }
            group.publish(value)
        }
    }
}
