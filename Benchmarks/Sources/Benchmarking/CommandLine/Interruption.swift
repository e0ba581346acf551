import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Turns SIGINT into a request to stop, until it is ended.
///
/// The first signal sets a flag. The second one ends the process.
struct Interruption: ~Copyable {
    /// The number of signals since the handler was installed. A handler may only touch what is already there: an atomic
    /// that was used before.
    private static let signals = Atomic<Int>(0)

    /// The exit status of a process that SIGINT ended, as shells report it.
    static let exitStatus: Int32 = 130

    /// Whether a signal came.
    static var isRequested: Bool { signals.load(ordering: .relaxed) > 0 }

    /// Installs the handler.
    init() {
        Self.signals.store(0, ordering: .relaxed)
        _ = signal(SIGINT) { _ in
            if Interruption.signals.add(1, ordering: .relaxed).newValue > 1 { _exit(Interruption.exitStatus) }
        }
    }

    /// Restores the default, with which SIGINT ends the process.
    deinit { _ = signal(SIGINT, SIG_DFL) }
}
