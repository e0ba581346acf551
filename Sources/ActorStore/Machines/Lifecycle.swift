/// The phase of a store's life: a plain value.
@usableFromInline
struct Lifecycle {
    @usableFromInline enum Phase { case open, shuttingDown, ended }
    @usableFromInline private(set) var phase = Phase.open
    /// Whether all effects are cancelled, including those that begin from now on.
    var cancelsEffects = false

    @usableFromInline
    init() {}

    /// Whether actions are accepted from outside.
    @inlinable var isOpen: Bool { phase == .open }
    /// Whether the store has ended.
    @inlinable var isEnded: Bool { phase == .ended }

    /// The effects that are cancelled, including those that begin from now on.
    enum CancelledEffects: Comparable { case none, onShutdown, all }

    var cancelledEffects: CancelledEffects { cancelsEffects ? .all : isOpen ? .none : .onShutdown }

    mutating func beginShutdown() {
        if phase == .open { phase = .shuttingDown }
    }

    /// Ends the store.
    ///
    /// - Returns: `true` if it had not ended before.
    mutating func end() -> Bool {
        defer { phase = .ended }
        return phase != .ended
    }
}
