import Synchronization

/// A value that threads share without a lock.
///
/// It wraps `Synchronization.Atomic` with one method for each operation and memory order, because an order that is
/// passed as a parameter does not compile. All atomics of the engine are of this type, or of ``LazyReference``, so that
/// builds for the explorer can interleave the threads at each operation; see ``SchedulePoint``.
///
/// The article Design explains the rule for orders. What one thread hands over to another goes through a
/// read-modify-write on both sides, with acquire and release. Where a thread writes one word and then decides by
/// another one, both accesses are read-modify-writes or sequentially consistent, on both sides. A comment at each order
/// that is not relaxed says what it pairs with.
@usableFromInline
package struct AtomicValue<Value: AtomicRepresentable & Sendable>: ~Copyable, Sendable {
    @usableFromInline let storage: Atomic<Value>

    @inlinable
    package init(_ value: consuming Value) { storage = Atomic(value) }
}

// Values of one byte.
extension AtomicValue where Value.AtomicRepresentation == UInt8.AtomicRepresentation {
    @inlinable
    @inline(__always)
    package func loadRelaxed() -> Value {
        if let value = pendingValue(.relaxed) { return value }
        return storage.load(ordering: .relaxed)
    }

    @inlinable
    @inline(__always)
    package func loadAcquiring() -> Value {
        if let value = pendingValue(.acquiring) { return value }
        return storage.load(ordering: .acquiring)
    }

    @inlinable
    @inline(__always)
    package func loadSequentiallyConsistent() -> Value {
        if let value = pendingValue(.sequentiallyConsistent) { return value }
        return storage.load(ordering: .sequentiallyConsistent)
    }

    @inlinable
    @inline(__always)
    package func storeRelaxed(_ value: consuming Value) {
        if isDelayed(copy value, .relaxed) { return }
        storage.store(value, ordering: .relaxed)
    }

    @inlinable
    @inline(__always)
    package func storeReleasing(_ value: consuming Value) {
        if isDelayed(copy value, .releasing) { return }
        storage.store(value, ordering: .releasing)
    }

    @inlinable
    @inline(__always)
    package func storeSequentiallyConsistent(_ value: consuming Value) {
        if isDelayed(copy value, .sequentiallyConsistent) { return }
        storage.store(value, ordering: .sequentiallyConsistent)
    }

    @inlinable
    @inline(__always)
    package func exchangeAcquiring(_ value: consuming Value) -> Value {
        willModify(.acquiring)
        return storage.exchange(value, ordering: .acquiring)
    }

    @inlinable
    @inline(__always)
    package func exchangeAcquiringAndReleasing(_ value: consuming Value) -> Value {
        willModify(.acquiringAndReleasing)
        return storage.exchange(value, ordering: .acquiringAndReleasing)
    }

    @inlinable
    @inline(__always)
    package func exchangeSequentiallyConsistent(_ value: consuming Value) -> Value {
        willModify(.sequentiallyConsistent)
        return storage.exchange(value, ordering: .sequentiallyConsistent)
    }

    @inlinable
    @inline(__always)
    package func compareExchangeAcquiringAndReleasing(
        expected: consuming Value,
        desired: consuming Value
    ) -> (exchanged: Bool, original: Value) {
        willModify(.acquiringAndReleasing)
        return storage.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing)
    }
}

// Values of eight bytes.
extension AtomicValue where Value.AtomicRepresentation == UInt64.AtomicRepresentation {
    @inlinable
    @inline(__always)
    package func loadRelaxed() -> Value {
        if let value = pendingValue(.relaxed) { return value }
        return storage.load(ordering: .relaxed)
    }

    @inlinable
    @inline(__always)
    package func loadAcquiring() -> Value {
        if let value = pendingValue(.acquiring) { return value }
        return storage.load(ordering: .acquiring)
    }

    @inlinable
    @inline(__always)
    package func loadSequentiallyConsistent() -> Value {
        if let value = pendingValue(.sequentiallyConsistent) { return value }
        return storage.load(ordering: .sequentiallyConsistent)
    }

    @inlinable
    @inline(__always)
    package func storeRelaxed(_ value: consuming Value) {
        if isDelayed(copy value, .relaxed) { return }
        storage.store(value, ordering: .relaxed)
    }

    @inlinable
    @inline(__always)
    package func storeReleasing(_ value: consuming Value) {
        if isDelayed(copy value, .releasing) { return }
        storage.store(value, ordering: .releasing)
    }

    @inlinable
    @inline(__always)
    package func storeSequentiallyConsistent(_ value: consuming Value) {
        if isDelayed(copy value, .sequentiallyConsistent) { return }
        storage.store(value, ordering: .sequentiallyConsistent)
    }

    @inlinable
    @inline(__always)
    package func exchangeAcquiring(_ value: consuming Value) -> Value {
        willModify(.acquiring)
        return storage.exchange(value, ordering: .acquiring)
    }

    @inlinable
    @inline(__always)
    package func exchangeAcquiringAndReleasing(_ value: consuming Value) -> Value {
        willModify(.acquiringAndReleasing)
        return storage.exchange(value, ordering: .acquiringAndReleasing)
    }

    @inlinable
    @inline(__always)
    package func exchangeSequentiallyConsistent(_ value: consuming Value) -> Value {
        willModify(.sequentiallyConsistent)
        return storage.exchange(value, ordering: .sequentiallyConsistent)
    }

    @inlinable
    @inline(__always)
    package func compareExchangeAcquiringAndReleasing(
        expected: consuming Value,
        desired: consuming Value
    ) -> (exchanged: Bool, original: Value) {
        willModify(.acquiringAndReleasing)
        return storage.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing)
    }
}

#if _pointerBitWidth(_32)
    // Words, on platforms where they do not have eight bytes.
    extension AtomicValue where Value.AtomicRepresentation == UInt.AtomicRepresentation {
        @inlinable
        @inline(__always)
        package func loadRelaxed() -> Value {
            if let value = pendingValue(.relaxed) { return value }
            return storage.load(ordering: .relaxed)
        }

        @inlinable
        @inline(__always)
        package func loadAcquiring() -> Value {
            if let value = pendingValue(.acquiring) { return value }
            return storage.load(ordering: .acquiring)
        }

        @inlinable
        @inline(__always)
        package func loadSequentiallyConsistent() -> Value {
            if let value = pendingValue(.sequentiallyConsistent) { return value }
            return storage.load(ordering: .sequentiallyConsistent)
        }

        @inlinable
        @inline(__always)
        package func storeRelaxed(_ value: consuming Value) {
            if isDelayed(copy value, .relaxed) { return }
            storage.store(value, ordering: .relaxed)
        }

        @inlinable
        @inline(__always)
        package func storeReleasing(_ value: consuming Value) {
            if isDelayed(copy value, .releasing) { return }
            storage.store(value, ordering: .releasing)
        }

        @inlinable
        @inline(__always)
        package func storeSequentiallyConsistent(_ value: consuming Value) {
            if isDelayed(copy value, .sequentiallyConsistent) { return }
            storage.store(value, ordering: .sequentiallyConsistent)
        }

        @inlinable
        @inline(__always)
        package func exchangeAcquiring(_ value: consuming Value) -> Value {
            willModify(.acquiring)
            return storage.exchange(value, ordering: .acquiring)
        }

        @inlinable
        @inline(__always)
        package func exchangeAcquiringAndReleasing(_ value: consuming Value) -> Value {
            willModify(.acquiringAndReleasing)
            return storage.exchange(value, ordering: .acquiringAndReleasing)
        }

        @inlinable
        @inline(__always)
        package func exchangeSequentiallyConsistent(_ value: consuming Value) -> Value {
            willModify(.sequentiallyConsistent)
            return storage.exchange(value, ordering: .sequentiallyConsistent)
        }

        @inlinable
        @inline(__always)
        package func compareExchangeAcquiringAndReleasing(
            expected: consuming Value,
            desired: consuming Value
        ) -> (exchanged: Bool, original: Value) {
            willModify(.acquiringAndReleasing)
            return storage.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing)
        }
    }
#endif

extension AtomicValue where Value == Int {
    @inlinable
    @inline(__always)
    @discardableResult
    package func addRelaxed(_ operand: Int) -> (oldValue: Int, newValue: Int) {
        willModify(.relaxed)
        return storage.add(operand, ordering: .relaxed)
    }

    @inlinable
    @inline(__always)
    @discardableResult
    package func addAcquiringAndReleasing(_ operand: Int) -> (oldValue: Int, newValue: Int) {
        willModify(.acquiringAndReleasing)
        return storage.add(operand, ordering: .acquiringAndReleasing)
    }

    @inlinable
    @inline(__always)
    @discardableResult
    package func addSequentiallyConsistent(_ operand: Int) -> (oldValue: Int, newValue: Int) {
        willModify(.sequentiallyConsistent)
        return storage.add(operand, ordering: .sequentiallyConsistent)
    }

    @inlinable
    @inline(__always)
    @discardableResult
    package func subtractRelaxed(_ operand: Int) -> (oldValue: Int, newValue: Int) {
        willModify(.relaxed)
        return storage.subtract(operand, ordering: .relaxed)
    }

    @inlinable
    @inline(__always)
    @discardableResult
    package func subtractReleasing(_ operand: Int) -> (oldValue: Int, newValue: Int) {
        willModify(.releasing)
        return storage.subtract(operand, ordering: .releasing)
    }

    @inlinable
    @inline(__always)
    @discardableResult
    package func subtractAcquiringAndReleasing(_ operand: Int) -> (oldValue: Int, newValue: Int) {
        willModify(.acquiringAndReleasing)
        return storage.subtract(operand, ordering: .acquiringAndReleasing)
    }
}

extension AtomicValue where Value == UInt64 {
    @inlinable
    @inline(__always)
    @discardableResult
    package func wrappingAddRelaxed(_ operand: UInt64) -> (oldValue: UInt64, newValue: UInt64) {
        willModify(.relaxed)
        return storage.wrappingAdd(operand, ordering: .relaxed)
    }

    @inlinable
    @inline(__always)
    @discardableResult
    package func subtractReleasing(_ operand: UInt64) -> (oldValue: UInt64, newValue: UInt64) {
        willModify(.releasing)
        return storage.subtract(operand, ordering: .releasing)
    }

    @inlinable
    @inline(__always)
    @discardableResult
    package func bitwiseOrAcquiring(_ operand: UInt64) -> (oldValue: UInt64, newValue: UInt64) {
        willModify(.acquiring)
        return storage.bitwiseOr(operand, ordering: .acquiring)
    }

    @inlinable
    @inline(__always)
    @discardableResult
    package func bitwiseOrAcquiringAndReleasing(_ operand: UInt64) -> (oldValue: UInt64, newValue: UInt64) {
        willModify(.acquiringAndReleasing)
        return storage.bitwiseOr(operand, ordering: .acquiringAndReleasing)
    }

    @inlinable
    @inline(__always)
    @discardableResult
    package func bitwiseAndAcquiringAndReleasing(_ operand: UInt64) -> (oldValue: UInt64, newValue: UInt64) {
        willModify(.acquiringAndReleasing)
        return storage.bitwiseAnd(operand, ordering: .acquiringAndReleasing)
    }

    @inlinable
    @inline(__always)
    @discardableResult
    package func subtractAcquiringAndReleasing(_ operand: UInt64) -> (oldValue: UInt64, newValue: UInt64) {
        willModify(.acquiringAndReleasing)
        return storage.subtract(operand, ordering: .acquiringAndReleasing)
    }

    @inlinable
    @inline(__always)
    @discardableResult
    package func bitwiseOrRelaxed(_ operand: UInt64) -> (oldValue: UInt64, newValue: UInt64) {
        willModify(.relaxed)
        return storage.bitwiseOr(operand, ordering: .relaxed)
    }
}

extension AtomicValue where Value == UInt {
    @inlinable
    @inline(__always)
    @discardableResult
    package func bitwiseOrRelaxed(_ operand: UInt) -> (oldValue: UInt, newValue: UInt) {
        willModify(.relaxed)
        return storage.bitwiseOr(operand, ordering: .relaxed)
    }
}
