/// How far a store has come in its life: a plain value.
@usableFromInline
struct Lifecycle {
    @usableFromInline enum Phase { case open, shuttingDown, ended }
    @usableFromInline private(set) var phase = Phase.open
    /// Whether all effects are cancelled, also those that begin from now on.
    var cancelsEffects = false

    @usableFromInline
    init() {}

    /// Whether actions are accepted from outside.
    @inlinable var isOpen: Bool { phase == .open }
    /// Whether everything is over.
    @inlinable var isEnded: Bool { phase == .ended }

    /// Which effects are cancelled, also if they begin from now on.
    enum CancelledEffects: Comparable { case none, onShutdown, all }

    var cancelledEffects: CancelledEffects { cancelsEffects ? .all : isOpen ? .none : .onShutdown }

    mutating func beginShutdown() {
        if phase == .open { phase = .shuttingDown }
    }

    /// - Returns: whether it had not ended before.
    mutating func end() -> Bool {
        defer { phase = .ended }
        return phase != .ended
    }
}
