#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The identity of a thread of the operating system.
@usableFromInline
package enum CurrentThread {
    /// A number that no other living thread has, and that is never 0.
    @usableFromInline
    package static var identity: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    /// Spends about as long as it takes another core to write a word, without touching memory.
    @inline(never)
    static func relax() {}
}
