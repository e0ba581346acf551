import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Observed where Value: Equatable {
    /// Describes a part of the state. Consecutive values are never equal.
    ///
    /// A stored property is compared by its bytes and then by `==`, which costs a few nanoseconds after each turn. A
    /// computed property costs about 100 times as much. Observers of the same key path share the comparison and the
    /// value that it reads; key paths through subscripts are the same if the arguments are equal.
    ///
    /// - Parameter keyPath: The part. The store retains the last value, so the next change of a collection copies it.
    /// - Returns: A description of the part.
    @inlinable
    public static func part(_ keyPath: KeyPath<State, Value> & Sendable) -> Observed {
        guard let part = StoredPart(keyPath) else {
            var computed = Observed(part: .computed(keyPath), subject: .part(keyPath)) { $0[keyPath: keyPath] }
            computed.refresh = { group, place in
                place.source.withState { state in
                    // Sound: the location is that of a `State`.
                    let state = (state + place.offset).assumingMemoryBound(to: State.self)
                    group.start(with: state.pointee[keyPath: keyPath])
                }
            }
            return computed
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

    /// Describes a value computed from the state by a closure. Consecutive values are never equal.
    ///
    /// Prefer ``selector(_:)`` for expensive computations: a ``StateSelector`` names its inputs and is recomputed only
    /// when one of them changes.
    ///
    /// - Parameter select: A closure that runs within every turn of the store, after the reducers. It must not block.
    /// - Returns: A description of the computed value.
    @inlinable
    public static func selecting(_ select: @escaping @Sendable (_ state: State) -> Value) -> Observed {
        Observed(part: nil, subject: .unshared, select)
    }

    /// Creates a description of a value that a closure computes from the whole state.
    @inlinable
    init(part: ObservedPart?, subject: ObservedSubject, _ select: @escaping @Sendable (_ state: State) -> Value) {
        self.init(part: part, subject: subject, areEqual: ==) { group, state in
            group.start(with: select(state.pointee))
        } check: { group, state in
            let value = select(state.pointee)
            if value != group.newest { group.publish(value) }
        }
    }

    /// Describes the value of a selector, which is computed once for all its observers in a store, when an input
    /// changes.
    ///
    /// - Parameter selector: The selector.
    /// - Returns: A description of the selector's value.
    @inlinable
    public static func selector(_ selector: StateSelector<State, Value>) -> Observed {
        Observed(
            part: .selector(selector.identity),
            subject: .selector,
            byteRange: ByteRange(offset: 0, size: MemoryLayout<State>.size),
            areEqual: ==
        ) { group, place, _ in
            let evaluate = selector.makeEvaluation()
            // Sound: a detector is called with the address of the state that it was created for.
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
    /// Describes a part of the state with a custom notion of equality.
    ///
    /// ```swift
    /// store.values(of: .part(\.position, removeDuplicates: Deduplication { old, new in old.distance(to: new) < 10 }))
    /// ```
    ///
    /// The observation starts with the value in ``Store/snapshot``. Its comparison runs after each turn and is not
    /// shared with other observations. To give all observers of a part the same notion of equality, use
    /// ``Store/scope(_:removeDuplicates:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The part, which need not be `Equatable`.
    ///   - deduplication: Decides which values count as equal.
    /// - Returns: A description of the part.
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

    /// Describes each change of a part of the state: the value before, the value after, and the revision.
    ///
    /// The first element has the current value and no value before it.
    ///
    /// ```swift
    /// let token = store.observe(.changes(of: \.level)) { change in
    ///     print(change.old, "->", change.new, "at", change.revision)
    /// }
    /// ```
    ///
    /// The comparison is not shared with other observations.
    ///
    /// - Parameter keyPath: The part.
    /// - Returns: A description of the part's changes.
    @inlinable
    public static func changes<Part: Equatable & Sendable>(
        of keyPath: KeyPath<State, Part> & Sendable
    ) -> Observed where Value == Change<Part> {
        let part = StoredPart(keyPath)
        // Sound: a detector is called with the address of the state that it was created for.
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
    /// Describes the whole state after every action, or once after every batch, whether it changed or not.
    ///
    /// Observe with a buffer to receive the state after each of them.
    @inlinable
    public static var everyAction: Observed {
        .part(\.self, removeDuplicates: .everyAction)
    }
}

extension StateLocation {
    /// Starts publishing a value that is computed from the whole state. Called within the turn.
    @inlinable
    func watch<State, Value>(
        _ group: Broadcast<Value>,
        start: @escaping @Sendable (_ group: Broadcast<Value>, _ state: UnsafePointer<State>) -> Void,
        check: @escaping @Sendable (_ group: Broadcast<Value>, _ state: UnsafePointer<State>) -> Void
    ) {
        // Sound: a detector is called with the address of the state that it was created for.
        let detector = ChangeDetector(group: group, filter: .passing) { state in
            start(group, state.assumingMemoryBound(to: State.self))
        } check: { state in
            check(group, state.assumingMemoryBound(to: State.self))
        }
        watch(detector)
    }
}

// MARK: Finding changes

extension ObservableStorage {
    /// Notifies the observers whose parts have changed.
    ///
    /// - Parameter state: The address of the state, which is at rest.
    /// - Complexity: O(*n*), where *n* is the number of groups of observers.
    @inlinable
    final func detectChanges(_ state: UnsafeRawPointer) {
        filters.withUnsafeBufferPointer { filters in
            for index in filters.indices where filters[index].mayHaveChanged(in: state) {
                detectors[index].check(state)
            }
        }
    }
}

/// Detects changes for one group of observers after each turn: a closure that compares the state and publishes what has
/// changed.
///
/// A closure is created where the types are known. A method of a generic class would be compiled without that
/// knowledge, and costs 50 times as much.
@usableFromInline
struct ChangeDetector {
    @usableFromInline let group: any ObservedGroup
    /// Decides, before any call, whether the part may have changed.
    @usableFromInline let filter: ByteFilter
    /// Sets the group's first value. Like ``check``, it is called with the address of the state that the detector was
    /// created for, which is at rest.
    @usableFromInline let start: (UnsafeRawPointer) -> Void
    /// Compares the state, and publishes to the group if its part has changed.
    @usableFromInline let check: (UnsafeRawPointer) -> Void
    /// Ends the observations of the group.
    @usableFromInline let finish: () -> Void

    @inlinable
    init(
        group: any ObservedGroup,
        filter: ByteFilter,
        start: @escaping (UnsafeRawPointer) -> Void,
        check: @escaping (UnsafeRawPointer) -> Void,
        finish: @escaping () -> Void
    ) {
        self.group = group
        self.filter = filter
        self.start = start
        self.check = check
        self.finish = finish
    }

    @inlinable
    init<Element>(
        group: Broadcast<Element>,
        filter: ByteFilter,
        start: @escaping (UnsafeRawPointer) -> Void,
        check: @escaping (UnsafeRawPointer) -> Void
    ) {
        self.init(group: group, filter: filter, start: start, check: check, finish: { group.finish() })
    }

    /// Returns the detector for a state that starts `offset` bytes into the one that it will be called with.
    func shifted(by offset: Int) -> ChangeDetector {
        guard offset != 0 else { return self }
        return ChangeDetector(
            group: group,
            filter: filter.shifted(by: offset),
            start: { [start] in start($0 + offset) },
            check: { [check] in check($0 + offset) },
            finish: finish
        )
    }
}

/// Decides whether a part of a state may have changed, by comparing its bytes with those of the value that its
/// observers received last. Parts that pass the filter are compared by `==`.
///
/// Equal bytes mean equal values, because that last value is *kept*: it holds a reference to every buffer and box that
/// its bytes point to. None of them can be changed in place, or freed and reused at the same address, while it is kept:
/// a state copies what it shares with the kept value before it changes it, and then points elsewhere. The contents of
/// class instances are not compared, but neither would `==` see a change of an instance that is compared with itself. A
/// not-a-number equals itself here.
///
/// Different bytes prove nothing yet: padding, 0.0 and -0.0, the unused part of an enumeration's payload, and
/// canonically equal strings can have different bytes and be equal.
///
/// The filter is plain data without references, so that a list of filters is read without reference counting.
@usableFromInline
struct ByteFilter: @unchecked Sendable {
    // Sound: `last` points into a `Broadcast`, which the detector beside the filter retains; both are touched only
    // within the store's turn.
    @usableFromInline let offset: Int
    /// The number of bytes of the part, or a negative number if it is computed and has no bytes.
    @usableFromInline let size: Int
    @usableFromInline let last: UnsafeRawPointer?

    /// A filter for a part without bytes of its own.
    @inlinable static var passing: ByteFilter { ByteFilter(offset: 0, size: -1, last: nil) }

    /// Creates a filter for a stored part, whose last value is at `last`.
    @inlinable
    init<Root, Value>(_ part: StoredPart<Root, Value>, last: UnsafePointer<Value>) {
        self.init(offset: part.offset, size: MemoryLayout<Value>.size, last: UnsafeRawPointer(last))
    }

    @inlinable
    init(offset: Int, size: Int, last: UnsafeRawPointer?) {
        self.offset = offset
        self.size = size
        self.last = last
    }

    /// Returns the filter for a state that starts `offset` bytes into the one that it will be called with.
    func shifted(by offset: Int) -> ByteFilter {
        ByteFilter(offset: self.offset + offset, size: size, last: last)
    }

    /// Returns whether the part may have changed.
    ///
    /// - Parameter state: The address of the state, which is at rest.
    @inlinable
    @inline(__always)
    func mayHaveChanged(in state: UnsafeRawPointer) -> Bool {
        guard let last else { return true }
        let part = state + offset
        switch size {
        case 1: return part.load(as: UInt8.self) != last.load(as: UInt8.self)
        case 8: return part.loadUnaligned(as: UInt64.self) != last.loadUnaligned(as: UInt64.self)
        case 16:
            return part.loadUnaligned(as: UInt64.self) != last.loadUnaligned(as: UInt64.self)
                || part.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                    != last.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        default: return bytesDiffer(part, last)
        }
    }

    @usableFromInline
    func bytesDiffer(_ part: UnsafeRawPointer, _ last: UnsafeRawPointer) -> Bool {
        memcmp(part, last, size) != 0
    }
}
