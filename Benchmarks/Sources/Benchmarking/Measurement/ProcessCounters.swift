#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the process has used of the machine so far.
struct ProcessCounters {
    /// Nanoseconds that all threads computed, in user mode and in the system.
    var userNanoseconds: Int
    var systemNanoseconds: Int
    /// How often a core was taken away from a thread, or given away by it.
    var contextSwitches: Int

    static var now: ProcessCounters {
        var usage = rusage()
        // RUSAGE_SELF, which glibc declares as an enumeration of its own.
        getrusage(0, &usage)
        return ProcessCounters(
            userNanoseconds: nanoseconds(usage.ru_utime),
            systemNanoseconds: nanoseconds(usage.ru_stime),
            contextSwitches: Int(usage.ru_nvcsw) + Int(usage.ru_nivcsw)
        )
    }

    private static func nanoseconds(_ time: timeval) -> Int {
        Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_usec) * 1_000
    }
}
