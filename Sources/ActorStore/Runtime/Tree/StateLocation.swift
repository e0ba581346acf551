/// Where a state is: a source, and how far into the source's state it begins.
///
/// A scope of a stored part lies in the memory of the store that it is a scope of, so that what is observed in either
/// is observed once.
@usableFromInline
struct StateLocation: Sendable {
    @usableFromInline let source: ObservableStorage
    /// In bytes. For one half of a ``Joined`` it says where the whole would begin if it lay there.
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
