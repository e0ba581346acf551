#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The resources used by the process so far.
struct ProcessCounters {
    /// Nanoseconds of computation by all threads, in user mode and in the system.
    var userNanoseconds: Int
    var systemNanoseconds: Int
    /// The number of times that a thread lost or yielded its core.
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
