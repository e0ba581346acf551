import CActorStore

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

    /// Whether this thread keeps the state of a store from all others, because one of its reducers, or an interceptor
    /// in the middle of a batch, is running.
    ///
    /// User code that runs then must not begin the turn of another store on this thread, nor read the state of another
    /// store: two stores that did so with each other would wait for each other, but only under load. So a store asks
    /// here before it does anything on the spot.
    @inlinable static var isWriting: Bool {
        @inline(__always) get { actor_store_get_thread_is_writing() }
        @inline(__always) set { actor_store_set_thread_is_writing(newValue) }
    }

    /// Whether this thread makes a store while ``isWriting``. What the store is made with may read its state: this
    /// thread owns its turn, and does not change it.
    static var makesStore: Bool {
        get { actor_store_get_thread_makes_store() }
        set { actor_store_set_thread_makes_store(newValue) }
    }

    /// Spends about as long as it takes another core to write a word, without touching memory.
    @inline(never)
    static func relax() {}
}
