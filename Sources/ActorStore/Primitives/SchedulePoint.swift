import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The points at which the explorer can switch to another thread: each operation of an atomic, a lock, a condition or a
/// back-off.
///
/// Compiled only with the condition `SCHEDULE_POINTS`. Even then, a point does nothing on a thread without a
/// ``ScheduledThread``.
@usableFromInline
package enum SchedulePoint {
    /// The memory order of an operation.
    @usableFromInline
    package enum Order: Sendable {
        case relaxed, acquiring, releasing, acquiringAndReleasing, sequentiallyConsistent
    }
}

#if SCHEDULE_POINTS
    /// A thread that runs only when a scheduler lets it.
    ///
    /// A method that is called before an operation returns when the thread may perform that operation. No other
    /// scheduled thread runs between that moment and the next call.
    package protocol ScheduledThread: AnyObject {
        /// Called before a load.
        ///
        /// - Returns: The newest value that this thread has stored at the address and that other threads do not see
        ///   yet.
        func load(at address: UnsafeRawPointer, _ order: SchedulePoint.Order) -> UInt64?

        /// Called before a store.
        ///
        /// - Returns: Whether the scheduler performs the store, now or later.
        func store(_ bits: UInt64, size: Int, at address: UnsafeRawPointer, _ order: SchedulePoint.Order) -> Bool

        /// Called before a read-modify-write, and before any change of a value that is not a word.
        func modify(at address: UnsafeRawPointer, _ order: SchedulePoint.Order)

        /// Called instead of each pause of a thread that waits for others without sleeping.
        func pause()

        /// Sleeps until another thread stores at the address, or wakes the threads that sleep there. The reason to
        /// sleep still holds when the sleep starts.
        func sleep(at address: UnsafeRawPointer)

        /// Wakes the threads that sleep at the address.
        func wake(at address: UnsafeRawPointer)

        /// Called after a lock was taken. Threads that wait for it sleep at its address.
        func didLock(at address: UnsafeRawPointer)

        /// Called after a lock was released.
        func didUnlock(at address: UnsafeRawPointer)
    }

    extension SchedulePoint {
        private static let threads = Atomic<Int>(0)
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            pthread_key_create(&key, nil)
            return key
        }()

        private final class Installation {
            let thread: any ScheduledThread
            init(_ thread: any ScheduledThread) { self.thread = thread }
        }

        /// Puts the calling thread under a scheduler for the rest of its life.
        package static func install(_ thread: any ScheduledThread) {
            threads.add(1, ordering: .relaxed)
            pthread_setspecific(key, Unmanaged.passRetained(Installation(thread)).toOpaque())
        }

        /// The calling thread, if it has a scheduler.
        package static var current: (any ScheduledThread)? {
            guard threads.load(ordering: .relaxed) > 0, let installation = pthread_getspecific(key) else { return nil }
            return Unmanaged<Installation>.fromOpaque(installation).takeUnretainedValue().thread
        }

        @usableFromInline
        static func load(at address: UnsafeRawPointer, _ order: Order) -> UInt64? {
            current?.load(at: address, order)
        }

        @usableFromInline
        static func store(_ bits: UInt64, size: Int, at address: UnsafeRawPointer, _ order: Order) -> Bool {
            current?.store(bits, size: size, at: address, order) ?? false
        }

        @usableFromInline
        static func modify(at address: UnsafeRawPointer, _ order: Order) {
            current?.modify(at: address, order)
        }

        @usableFromInline
        static func didLock(at address: UnsafeRawPointer) { current?.didLock(at: address) }

        @usableFromInline
        static func didUnlock(at address: UnsafeRawPointer) { current?.didUnlock(at: address) }
    }
#endif

// MARK: - Points of atomics

extension AtomicValue {
    #if SCHEDULE_POINTS
        /// The address of the value. Sound: an `Atomic` never moves while it is borrowed, and those of the engine are
        /// stored in objects, which do not move either, so the address is the same for every operation.
        @inlinable
        package var address: UnsafeRawPointer { withUnsafePointer(to: storage) { UnsafeRawPointer($0) } }
    #endif

    /// A point before a read-modify-write.
    @inlinable
    @inline(__always)
    func willModify(_ order: SchedulePoint.Order) {
        #if SCHEDULE_POINTS
            SchedulePoint.modify(at: address, order)
        #endif
    }
}

extension AtomicValue where Value.AtomicRepresentation == UInt8.AtomicRepresentation {
    /// A point before a load.
    ///
    /// - Returns: The value that this thread has stored and other threads do not see yet, if there is one.
    @inlinable
    @inline(__always)
    func pendingValue(_ order: SchedulePoint.Order) -> Value? {
        #if SCHEDULE_POINTS
            SchedulePoint.load(at: address, order).map { bits in
                Value.decodeAtomicRepresentation(UInt8.encodeAtomicRepresentation(UInt8(truncatingIfNeeded: bits)))
            }
        #else
            nil
        #endif
    }

    /// A point before a store.
    ///
    /// - Returns: Whether the scheduler performs the store, now or later.
    @inlinable
    @inline(__always)
    func isDelayed(_ value: Value, _ order: SchedulePoint.Order) -> Bool {
        #if SCHEDULE_POINTS
            let bits = UInt8.decodeAtomicRepresentation(Value.encodeAtomicRepresentation(value))
            return SchedulePoint.store(UInt64(bits), size: 1, at: address, order)
        #else
            false
        #endif
    }
}

extension AtomicValue where Value.AtomicRepresentation == UInt64.AtomicRepresentation {
    /// A point before a load.
    ///
    /// - Returns: The value that this thread has stored and other threads do not see yet, if there is one.
    @inlinable
    @inline(__always)
    func pendingValue(_ order: SchedulePoint.Order) -> Value? {
        #if SCHEDULE_POINTS
            SchedulePoint.load(at: address, order).map { bits in
                Value.decodeAtomicRepresentation(UInt64.encodeAtomicRepresentation(bits))
            }
        #else
            nil
        #endif
    }

    /// A point before a store.
    ///
    /// - Returns: Whether the scheduler performs the store, now or later.
    @inlinable
    @inline(__always)
    func isDelayed(_ value: Value, _ order: SchedulePoint.Order) -> Bool {
        #if SCHEDULE_POINTS
            let bits = UInt64.decodeAtomicRepresentation(Value.encodeAtomicRepresentation(value))
            return SchedulePoint.store(bits, size: 8, at: address, order)
        #else
            false
        #endif
    }
}

#if _pointerBitWidth(_32)
    // The explorer runs on processors with words of eight bytes.
    extension AtomicValue where Value.AtomicRepresentation == UInt.AtomicRepresentation {
        @inlinable
        @inline(__always)
        func pendingValue(_ order: SchedulePoint.Order) -> Value? { nil }

        @inlinable
        @inline(__always)
        func isDelayed(_ value: Value, _ order: SchedulePoint.Order) -> Bool { false }
    }
#endif

extension LazyReference {
    /// A point before a load.
    @inlinable
    @inline(__always)
    func willLoad() {
        #if SCHEDULE_POINTS
            _ = SchedulePoint.load(at: address, .acquiring)
        #endif
    }

    /// A point before the instance is stored.
    @inlinable
    @inline(__always)
    func willModify() {
        #if SCHEDULE_POINTS
            SchedulePoint.modify(at: address, .acquiringAndReleasing)
        #endif
    }

    #if SCHEDULE_POINTS
        @inlinable
        var address: UnsafeRawPointer { withUnsafePointer(to: storage) { UnsafeRawPointer($0) } }
    #endif
}
