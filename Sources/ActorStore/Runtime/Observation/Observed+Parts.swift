import Synchronization

extension Observed where Value: Equatable {
    /// A part of the state, each value of which is another one than that before it.
    ///
    /// A stored part is found by its bytes, and then compared by `==`: that costs about a nanosecond after each turn. A
    /// computed one costs about 100 times as much. Observers of the same key path share the comparison.
    ///
    /// - Parameter keyPath: The part. Keeping the last value of a collection makes the next change of it copy it.
    @inlinable
    public static func part(_ keyPath: KeyPath<State, Value> & Sendable) -> Observed {
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
            byteRange: ByteRange(offset: part.offset, size: MemoryLayout<Value>.size),
            areEqual: ==
        ) { group, place, _ in
            let detector = ChangeDetector(group: group, filter: ByteFilter(part, last: group.place)) { state in
                group.start(with: part.load(from: state))
            } check: { state in
                if part.load(from: state) != group.newest { group.publish(part.load(from: state)) }
            }
            place.watch(detector)
        }
    }

    /// What a closure makes of the state: the value at the beginning first, then each that is another one than that
    /// before it.
    ///
    /// A ``Selector`` names its inputs, and is computed only when one of them has changed.
    ///
    /// - Parameter select: It runs after each turn, also if nothing has changed that it looks at, and in the turn, so
    ///   that it must not block.
    @inlinable
    public static func selecting(_ select: @escaping @Sendable (_ state: State) -> Value) -> Observed {
        Observed(part: nil, subject: .unshared, areEqual: ==) { group, state in
            group.start(with: select(state.pointee))
        } check: { group, state in
            let value = select(state.pointee)
            if value != group.newest { group.publish(value) }
        }
    }

    /// What a selector makes of its inputs, computed when one of them has changed, once for all that observe it in a
    /// store.
    @inlinable
    public static func selector(_ selector: Selector<State, Value>) -> Observed {
        Observed(
            part: .selector(selector.identity),
            subject: .selector,
            byteRange: ByteRange(offset: 0, size: MemoryLayout<State>.size),
            areEqual: ==
        ) { group, place, _ in
            let evaluate = selector.makeEvaluation()
            // Sound: a detector is called with the address of the state that it was made for.
            let detector = ChangeDetector(group: group, filter: .passing) { state in
                if let value = evaluate(state.assumingMemoryBound(to: State.self)) { group.start(with: value) }
            } check: { state in
                let value = evaluate(state.assumingMemoryBound(to: State.self))
                if let value, value != group.newest { group.publish(value) }
            }
            place.watch(detector)
        }
    }
}

extension Observed {
    /// A part of the state, with a notion of change of one's own.
    ///
    /// ```swift
    /// store.values(of: .part(\.position, removeDuplicates: Deduplication { old, new in old.distance(to: new) < 10 }))
    /// ```
    ///
    /// Such an observation begins with what ``Store/snapshot`` shows, shares its comparison with no other, and is looked
    /// at after each turn. To have all observers of a part compare in the same sense, use
    /// ``Store/scope(_:removeDuplicates:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The part, which need not be `Equatable`.
    ///   - deduplication: When a value is no news; see ``Deduplication``.
    @inlinable
    public static func part(
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

    /// A part of the state before and after each of its changes; its value at the beginning first, with nothing before
    /// it.
    ///
    /// ```swift
    /// let token = store.observe(.changes(of: \.level)) { change in
    ///     print(change.old, "->", change.new, "at", change.revision)
    /// }
    /// ```
    ///
    /// Such an observation shares its comparison with no other.
    @inlinable
    public static func changes<Part: Equatable & Sendable>(
        of keyPath: KeyPath<State, Part> & Sendable
    ) -> Observed where Value == Change<Part> {
        let part = StoredPart(keyPath)
        // Sound: a detector is called with the address of the state that it was made for.
        let read: @Sendable (UnsafeRawPointer) -> Part = { state in
            part?.load(from: state) ?? state.assumingMemoryBound(to: State.self).pointee[keyPath: keyPath]
        }
        return Observed(
            part: nil,
            subject: .part(keyPath),
            byteRange: part.map { ByteRange(offset: $0.offset, size: MemoryLayout<Part>.size) }
                ?? ByteRange(offset: 0, size: MemoryLayout<State>.size),
            areEqual: nil
        ) { group, place, root in
            var last: SeenTable<Part>?
            place.source.withState { last = SeenTable(read($0 + place.offset), retiringTo: group.deferred) }
            guard let last else { return }
            group.start(with: Change(old: nil, new: last.table, revision: root.revision.loadRelaxed()))
            let filter = part.map { ByteFilter($0, last: last.place) } ?? .passing
            let detector = ChangeDetector(group: group, filter: filter, start: { _ in }) { [weak root] state in
                let new = read(state)
                guard new != last.table, let root else { return }
                let old = last.replace(by: new)
                group.publish(Change(old: old, new: new, revision: root.revision.loadRelaxed()))
            }
            place.watch(detector)
        }
    }
}

extension Observed where Value == State {
    /// The state after each action, and once after each batch, whether it has changed or not.
    ///
    /// An observer of every action that wants each of them needs a buffer.
    @inlinable
    public static var everyAction: Observed {
        .part(\.self, removeDuplicates: .everyAction)
    }
}

extension StateLocation {
    /// Has a group told of what needs the whole state to be found. In the turn.
    @inlinable
    func watch<State, Value>(
        _ group: Broadcast<Value>,
        start: @escaping @Sendable (_ group: Broadcast<Value>, _ state: UnsafePointer<State>) -> Void,
        check: @escaping @Sendable (_ group: Broadcast<Value>, _ state: UnsafePointer<State>) -> Void
    ) {
        // Sound: a detector is called with the address of the state that it was made for.
        let detector = ChangeDetector(group: group, filter: .passing) { state in
            start(group, state.assumingMemoryBound(to: State.self))
        } check: { state in
            check(group, state.assumingMemoryBound(to: State.self))
        }
        watch(detector)
    }
}
