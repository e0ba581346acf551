import CActorStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The current thread of the operating system.
@usableFromInline
package enum CurrentThread {
    /// A number that is unique among living threads, and never 0.
    @usableFromInline
    package static var identity: UInt {
        // A number in glibc, and a pointer elsewhere.
        #if canImport(Glibc)
            UInt(pthread_self())
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }

    /// Whether this thread blocks the state of a store for all other threads, because it runs one of the store's
    /// reducers, or an interceptor in the middle of a batch.
    ///
    /// User code that runs then must not start the turn of another store on this thread, or read the state of another
    /// store: two stores that did so with each other would deadlock, but only under load. So a store checks this before
    /// it does anything on the spot.
    @inlinable static var isWriting: Bool {
        @inline(__always) get { actor_store_get_thread_is_writing() }
        @inline(__always) set { actor_store_set_thread_is_writing(newValue) }
    }

    /// Whether this thread creates a store while ``isWriting``. The arguments of the store's creation may read its
    /// state: this thread owns its turn, and does not change it.
    static var makesStore: Bool {
        get { actor_store_get_thread_makes_store() }
        set { actor_store_set_thread_makes_store(newValue) }
    }

    /// Spends about as much time as another core needs to write a word, without accessing memory.
    @inline(never)
    static func relax() {}
}
