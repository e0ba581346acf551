/// How far a store has come in its life: a plain value.
@usableFromInline
struct Lifecycle {
    private enum Phase { case open, shuttingDown, ended }
    private var phase = Phase.open
    /// Whether effects are cancelled, also those that begin from now on.
    var cancelsEffects = false

    @usableFromInline
    init() {}

    /// Whether actions are accepted from outside.
    @usableFromInline var isOpen: Bool { phase == .open }
    /// Whether everything is over.
    @usableFromInline var isEnded: Bool { phase == .ended }

    mutating func beginShutdown() {
        if phase == .open { phase = .shuttingDown }
    }

    /// - Returns: whether it had not ended before.
    mutating func end() -> Bool {
        defer { phase = .ended }
        return phase != .ended
    }
}
