import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Turns SIGINT into a request to stop until it ends.
///
/// The first signal sets a flag, and the second one ends the process.
struct Interruption: ~Copyable {
    /// The number of signals since the installation of the handler. A handler may only use what exists already: an
    /// atomic that was used before.
    private static let signals = Atomic<Int>(0)

    /// The exit status of a process that SIGINT ended, as shells report it.
    static let exitStatus: Int32 = 130

    /// Whether a signal has arrived.
    static var isRequested: Bool { signals.load(ordering: .relaxed) > 0 }

    /// Installs the handler.
    init() {
        Self.signals.store(0, ordering: .relaxed)
        _ = signal(SIGINT) { _ in
            if Interruption.signals.add(1, ordering: .relaxed).newValue > 1 { _exit(Interruption.exitStatus) }
        }
    }

    /// Restores the default action, so that SIGINT ends the process.
    deinit { _ = signal(SIGINT, SIG_DFL) }
}
