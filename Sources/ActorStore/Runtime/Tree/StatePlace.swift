/// Where a state is: a source, and how far into the source's state it begins.
///
/// A scope of a stored part lies in the memory of the store that it is a scope of, so that what is observed in either is
/// observed once.
@usableFromInline
struct StatePlace: Sendable {
    @usableFromInline let source: StateSource
    /// In bytes. For one half of a ``Joined`` it says where the whole would begin if it lay there.
    @usableFromInline let offset: Int

    @inlinable
    init(source: StateSource, offset: Int = 0) {
        self.source = source
        self.offset = offset
    }

    /// The place of what begins so many bytes further.
    @inlinable
    func shifted(by offset: Int) -> StatePlace { StatePlace(source: source, offset: self.offset + offset) }

    /// The same place for one observer, whatever it observes there; see ``StateSource/ofOneObserver``.
    var ofOneObserver: StatePlace { StatePlace(source: source.ofOneObserver, offset: offset) }

    /// Has a watcher called from now on that was made for the state at this place. In the turn.
    @usableFromInline
    func watch(_ watcher: Watcher) {
        source.watch(watcher.shifted(by: offset))
    }
}

/// A place in the memory of a store that is not kept alive.
@usableFromInline
struct WeakStatePlace: Sendable {
    private weak let source: StateSource?
    /// Keeps a source that lies in no store's memory, and that nobody else may keep.
    private let retainer: Retainer<DerivedSource>?
    private let offset: Int

    @usableFromInline
    init(_ place: StatePlace) {
        source = place.source
        retainer = (place.source as? DerivedSource).map { Retainer($0, until: $0.end) }
        offset = place.offset
    }

    @usableFromInline var place: StatePlace? { source.map { StatePlace(source: $0, offset: offset) } }
}
