import Synchronization

/// An object that stores or computes a state, with the observers of its parts.
@usableFromInline
class ObservableStorage: @unchecked Sendable {
    // Sound: the groups have a lock of their own, and everything else is accessed only in the turn of the tree. That
    // implies exclusivity, which is not checked again.

    @exclusivity(unchecked) @usableFromInline final var detectors: [ChangeDetector] = []
    /// The filters of the detectors, in the same order.
    @exclusivity(unchecked) @usableFromInline final var filters: [ByteFilter] = []
    /// The observers of table entries, by the part of the state that is the table.
    @exclusivity(unchecked) final var tables: [GroupKey: any AnyTableChangeDetector] = [:]
    private let lazyGroups = LazyReference<GroupTable>()
    /// The byte offset of the state in the object; negative if the object stores no state. A state without bytes can be
    /// anywhere, including at 0.
    @exclusivity(unchecked) @usableFromInline private(set) final var stateOffset: Int32 = -1
    /// Whether its state no longer changes, so that new observations end at once.
    @exclusivity(unchecked) private(set) final var isFinished = false

    @usableFromInline
    init() {}

    /// Calls `body` with the address of the state, which is at rest. Called within the turn.
    @usableFromInline
    func withState(_ body: (UnsafeRawPointer) -> Void) {
        guard stateOffset >= 0 else {
            preconditionFailure("Internal inconsistency: storage without a stored state must override withState(_:).")
        }
        body(stateAddress)
    }

    /// Records where the state is stored in this object. Called when the object is created.
    final func noteState(at address: UnsafeRawPointer) {
        stateOffset = Int32(address - UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    }

    /// The address of the stored state, for reading while the state is at rest.
    ///
    /// By the rules of the language, taking the address of a stored property modifies it, and several threads may read
    /// at the same time. Sound: a stored property keeps its address while the object lives, and nothing writes to it
    /// meanwhile.
    @inlinable final var stateAddress: UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) + Int(stateOffset)
    }

    /// Returns a copy of the value at a byte offset in the state, which is at rest.
    @inlinable
    final func load<Value>(at offset: Int) -> Value {
        var copy: Value?
        withState { state in
            // Sound: the caller has a `StoredPart`, which says that a `Value` is stored there.
            copy = (state + offset).assumingMemoryBound(to: Value.self).pointee
        }
        guard let copy else { preconditionFailure("Internal inconsistency: withState(_:) did not call its body.") }
        return copy
    }

    /// The groups of observers, for diagnostics. Used within the turn.
    var observedGroups: [any ObservedGroup] { detectors.map(\.group) }

    /// Records that an observer of actions is gone. Called within the turn.
    func actionObserverLeft() {}

    /// Updates what depends on whether there are detectors. Called within the turn.
    func detectorsChanged() {}

    /// Ends the observations of other storages that end with this one. Called within the turn.
    func finishDependents() {}

    /// Removes a dependent observer that is gone. Called within the turn.
    func dismiss(_ dependent: any DependentObserver) {}

    final func watch(_ detector: ChangeDetector) {
        withState(detector.start)
        detectors.append(detector)
        filters.append(detector.filter)
        detectorsChanged()
    }

    /// Removes the detector of a group.
    ///
    /// - Parameters:
    ///   - isEnd: Whether a store ends, so that a background task releases what the detector refers to.
    ///   - root: The tree that the storage belongs to.
    /// - Complexity: O(*n*), where *n* is the number of detectors.
    final func unwatch(_ group: AnyObject, isEnd: Bool = false, in root: TreeRoot) {
        // Detectors that end in the order in which they were added, or in the opposite order, are found at once.
        let isLast = detectors.last?.group === group
        let found = isLast ? detectors.indices.last : detectors.firstIndex { $0.group === group }
        guard let index = found else { return }
        let detector = detectors.remove(at: index)
        if isEnd { abandon(detector, in: root) } else { retire(detector, in: root) }
        filters.remove(at: index)
        detectorsChanged()
    }

    /// Releases what refers to user closures once the turn has been passed on. Called within the turn.
    private func retire<Value>(_ value: Value, in root: TreeRoot) {
        root.retire(value)
        // See `abandon(_:in:)`.
        if self is DerivedStorage { root.retire(self) }
    }

    /// Releases what refers to user closures in a background task. Called within the turn.
    private func abandon<Value>(_ value: Value, in root: TreeRoot) {
        root.deferred.abandon(value)
        // A derived storage holds a closure itself, and this can be its last reference.
        if self is DerivedStorage { root.deferred.abandon(self) }
    }

    /// The storage that a new observation uses: this one, unless each observer has a memory of its own.
    var ofOneObserver: ObservableStorage { self }

    /// Notifies the observers of what they have not received yet, before a change ends them. Called within the turn.
    func tellLast() {}

    /// Ends all observations, including those that begin later. Called within the turn.
    ///
    /// - Parameter root: The tree that the storage belongs to.
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

    /// The groups of observers, created for the first observer.
    final var groups: GroupTable { lazyGroups.load() ?? lazyGroups.storeIfNil(GroupTable()) }
}

/// The location of a state: a storage, and the offset in that storage's state.
///
/// A scope of a stored part has its location in the memory of its store, so that a part that is observed through both
/// is observed once.
@usableFromInline
struct StateLocation: Sendable {
    @usableFromInline let source: ObservableStorage
    /// In bytes. For one half of a ``ParentAndChild``, the offset at which the whole would begin if it were stored
    /// there.
    @usableFromInline let offset: Int

    @inlinable
    init(source: ObservableStorage, offset: Int = 0) {
        self.source = source
        self.offset = offset
    }

    /// Returns the location that begins `offset` bytes further.
    @inlinable
    func shifted(by offset: Int) -> StateLocation { StateLocation(source: source, offset: self.offset + offset) }

    /// The same location for one observer; see ``ObservableStorage/ofOneObserver``.
    var ofOneObserver: StateLocation { StateLocation(source: source.ofOneObserver, offset: offset) }

    /// Adds a detector that was created for the state at this location. Called within the turn.
    @usableFromInline
    func watch(_ detector: ChangeDetector) {
        source.watch(detector.shifted(by: offset))
    }
}

/// A location that does not retain its store.
@usableFromInline
struct WeakStateLocation: Sendable {
    private weak var source: ObservableStorage?
    /// Retains a storage that belongs to no store and may have no other reference.
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
