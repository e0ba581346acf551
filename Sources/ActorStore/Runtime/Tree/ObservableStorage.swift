import Synchronization

/// Something in whose memory a state lies, or that can make one, with those who observe parts of it.
@usableFromInline
class ObservableStorage: @unchecked Sendable {
    // Sound: the groups are found under a lock of their own, and everything else is touched only in the turn of the
    // tree. Exclusivity follows from the turn, and is not checked again.

    @exclusivity(unchecked) @usableFromInline final var detectors: [ChangeDetector] = []
    /// The filters of the detectors, in the same order.
    @exclusivity(unchecked) @usableFromInline final var filters: [ByteFilter] = []
    /// Those who observe entries of tables, by the part that the table is.
    @exclusivity(unchecked) final var tables: [GroupKey: any AnyTableChangeDetector] = [:]
    private let lazyGroups = LazyReference<GroupTable>()
    /// How many bytes into the object the state is stored; negative in those that store none. A state without bytes can
    /// be anywhere, so at 0 as well.
    @exclusivity(unchecked) @usableFromInline private(set) final var stateOffset: Int32 = -1
    /// Whether nothing changes in it any more, so that observations end as soon as they begin.
    @exclusivity(unchecked) private(set) final var isFinished = false

    @usableFromInline
    init() {}

    /// Calls `body` with the address of the state, which is at rest. In the turn.
    @usableFromInline
    func withState(_ body: (UnsafeRawPointer) -> Void) {
        guard stateOffset >= 0 else {
            preconditionFailure("A source of state that stores none has to say where the state is.")
        }
        body(stateAddress)
    }

    /// Takes note of where the state is stored in this object, when it is made.
    final func noteState(at address: UnsafeRawPointer) {
        stateOffset = Int32(address - UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    }

    /// Where the state is stored, to be read while it is at rest.
    ///
    /// To ask for the address of a stored property is to modify it, by the rules of the language, and several may read
    /// at the same time. Sound: a stored property lies where it is as long as the object lives, and nobody writes to it
    /// meanwhile.
    @inlinable final var stateAddress: UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) + Int(stateOffset)
    }

    /// A copy of what is stored so many bytes into the state, which is at rest.
    @inlinable
    final func load<Value>(at offset: Int) -> Value {
        var copy: Value?
        withState { state in
            // Sound: the caller knows from a `StoredPart` that a `Value` is stored there.
            copy = (state + offset).assumingMemoryBound(to: Value.self).pointee
        }
        guard let copy else { preconditionFailure("A source of state did not say where the state is.") }
        return copy
    }

    /// The groups of observers, for diagnostics. In the turn.
    var observedGroups: [any ObservedGroup] { detectors.map(\.group) }

    /// Takes note that one who observed actions has gone. In the turn.
    func actionObserverLeft() {}

    /// Takes note that there are detectors now where there were none, or none where there were some. In the turn.
    func detectorsChanged() {}

    /// Ends the observations of other sources that end with this one. In the turn.
    func finishDependents() {}

    /// Forgets one of these, which has gone. In the turn.
    func dismiss(_ dependent: any DependentObserver) {}

    final func watch(_ detector: ChangeDetector) {
        withState(detector.start)
        detectors.append(detector)
        filters.append(detector.filter)
        detectorsChanged()
    }

    /// Looks out for changes on behalf of a group no longer.
    ///
    /// - Parameters:
    ///   - isEnd: Whether that is because a store ends, so that what it leads to is released by a background task.
    ///   - root: The tree that it is a part of.
    final func unwatch(_ group: AnyObject, isEnd: Bool = false, in root: TreeRoot) {
        // Those that end in the order in which they began, or in the opposite one, are found at once.
        let isLast = detectors.last?.group === group
        let found = isLast ? detectors.indices.last : detectors.firstIndex { $0.group === group }
        guard let index = found else { return }
        let detector = detectors.remove(at: index)
        if isEnd { abandon(detector, in: root) } else { retire(detector, in: root) }
        filters.remove(at: index)
        detectorsChanged()
    }

    /// Has what leads to closures of users released when the turn has been passed on. In the turn.
    private func retire<Value>(_ value: Value, in root: TreeRoot) {
        root.retire(value)
        // See below.
        if self is DerivedStorage { root.retire(self) }
    }

    /// Has what leads to closures of users released by a background task. In the turn.
    private func abandon<Value>(_ value: Value, in root: TreeRoot) {
        root.deferred.abandon(value)
        // It is made by a closure itself, and can be held by nobody else.
        if self is DerivedStorage { root.deferred.abandon(self) }
    }

    /// What an observation looks at that begins here: this, unless each observer has a memory of its own.
    var ofOneObserver: ObservableStorage { self }

    /// Tells the observers what they do not know yet, before they end by a change. In the turn.
    func tellLast() {}

    /// Ends all observations, also those that begin later. In the turn.
    ///
    /// - Parameter root: The tree that it is a part of.
    final func finishObservations(in root: TreeRoot) {
        isFinished = true
        for detector in detectors { detector.finish() }
        if !detectors.isEmpty { abandon((detectors, tables), in: root) }
        detectors = []
        filters = []
        tables = [:]
        finishDependents()
        if root.extras.contains(.derivedStates) {
            for state in root.derived.ending(with: self) { state.finishObservations(in: root) }
        }
        detectorsChanged()
    }

    /// The groups of observers, made when the first observer comes.
    final var groups: GroupTable { lazyGroups.load() ?? lazyGroups.storeIfNil(GroupTable()) }
}

/// Where a state is: a source, and how far into the source's state it begins.
///
/// A scope of a stored part lies in the memory of the store that it is a scope of, so that what is observed in either
/// is observed once.
@usableFromInline
struct StateLocation: Sendable {
    @usableFromInline let source: ObservableStorage
    /// In bytes. For one half of a ``ParentAndChild`` it says where the whole would begin if it lay there.
    @usableFromInline let offset: Int

    @inlinable
    init(source: ObservableStorage, offset: Int = 0) {
        self.source = source
        self.offset = offset
    }

    /// The place of what begins so many bytes further.
    @inlinable
    func shifted(by offset: Int) -> StateLocation { StateLocation(source: source, offset: self.offset + offset) }

    /// The same place for one observer, whatever it observes there; see ``ObservableStorage/ofOneObserver``.
    var ofOneObserver: StateLocation { StateLocation(source: source.ofOneObserver, offset: offset) }

    /// Has a detector called from now on that was made for the state at this place. In the turn.
    @usableFromInline
    func watch(_ detector: ChangeDetector) {
        source.watch(detector.shifted(by: offset))
    }
}

/// A place in the memory of a store that is not kept alive.
@usableFromInline
struct WeakStateLocation: Sendable {
    private weak let source: ObservableStorage?
    /// Keeps a source that lies in no store's memory, and that nobody else may keep.
    private let retainer: Retainer<DerivedStorage>?
    private let offset: Int

    @usableFromInline
    init(_ place: StateLocation) {
        source = place.source
        retainer = (place.source as? DerivedStorage).map { Retainer($0, until: $0.end) }
        offset = place.offset
    }

    @usableFromInline var place: StateLocation? { source.map { StateLocation(source: $0, offset: offset) } }
}
