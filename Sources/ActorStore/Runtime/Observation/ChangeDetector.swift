#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ObservableStorage {
    /// Tells the observers whose parts have changed.
    ///
    /// - Parameter state: the address of the state, which is at rest.
    @inlinable
    final func detectChanges(_ state: UnsafeRawPointer) {
        filters.withUnsafeBufferPointer { filters in
            for index in filters.indices where filters[index].mayHaveChanged(in: state) {
                detectors[index].check(state)
            }
        }
    }
}

/// How one group of observers is told after each turn: a closure that looks at the state and does the rest.
///
/// It is a closure made where the types are known, and not a method of a generic class, because the latter is compiled
/// without that knowledge and costs 50 times as much.
@usableFromInline
struct ChangeDetector {
    @usableFromInline let group: any ObservedGroup
    /// Tells, before anything is called, whether the part can have changed.
    @usableFromInline let filter: ByteFilter
    /// Gives the group its first value. Like ``check``, it is called with the address of the state that the detector
    /// was made for, which is at rest.
    @usableFromInline let start: (UnsafeRawPointer) -> Void
    /// Looks at the state, and tells the group if its part has changed.
    @usableFromInline let check: (UnsafeRawPointer) -> Void
    /// Ends the observations of the group.
    @usableFromInline let finish: () -> Void

    @inlinable
    init(
        group: any ObservedGroup,
        filter: ByteFilter,
        start: @escaping (UnsafeRawPointer) -> Void,
        check: @escaping (UnsafeRawPointer) -> Void,
        finish: @escaping () -> Void
    ) {
        self.group = group
        self.filter = filter
        self.start = start
        self.check = check
        self.finish = finish
    }

    @inlinable
    init<Element>(
        group: Broadcast<Element>,
        filter: ByteFilter,
        start: @escaping (UnsafeRawPointer) -> Void,
        check: @escaping (UnsafeRawPointer) -> Void
    ) {
        self.init(group: group, filter: filter, start: start, check: check, finish: { group.finish() })
    }

    /// The same for a state that begins `offset` bytes into the one that it will be called with.
    func shifted(by offset: Int) -> ChangeDetector {
        guard offset != 0 else { return self }
        return ChangeDetector(
            group: group,
            filter: filter.shifted(by: offset),
            start: { [start] in start($0 + offset) },
            check: { [check] in check($0 + offset) },
            finish: finish
        )
    }
}

/// Tells whether a part of a state can have changed, by comparing its bytes with those of the value that its observers
/// were told last. What passes is compared by `==`.
///
/// Bytes that are the same mean the same value, because that last value is *kept*: it holds a reference to every buffer
/// and box that its bytes point to. So none of them can be changed in place, or freed and used again at the same
/// address, while the bytes stand: a state that changes what it shares with the kept value copies it first, and then
/// points elsewhere. What an object of a class holds is not looked at, but neither would `==` see a change of an object
/// that is compared with itself. A not-a-number is the same as itself here.
///
/// Bytes that differ mean nothing yet: padding, 0.0 and -0.0, the rest of an enumeration's payload, and canonically
/// equal strings can differ and be equal all the same.
///
/// It is plain data, without references, so that a list of filters is read without counting any.
@usableFromInline
struct ByteFilter: @unchecked Sendable {
    // Sound: `last` points into a `Broadcast`, which the detector beside the filter keeps; both are touched only in the
    // store's turn.
    @usableFromInline let offset: Int
    /// How many bytes the part has, or a negative number if it has none because it is computed.
    @usableFromInline let size: Int
    @usableFromInline let last: UnsafeRawPointer?

    /// For a part that has no bytes of its own.
    @inlinable static var passing: ByteFilter { ByteFilter(offset: 0, size: -1, last: nil) }

    /// For a stored part, whose last value is at `last`.
    @inlinable
    init<Root, Value>(_ part: StoredPart<Root, Value>, last: UnsafePointer<Value>) {
        self.init(offset: part.offset, size: MemoryLayout<Value>.size, last: UnsafeRawPointer(last))
    }

    @inlinable
    init(offset: Int, size: Int, last: UnsafeRawPointer?) {
        self.offset = offset
        self.size = size
        self.last = last
    }

    /// The same for a state that begins `offset` bytes further.
    func shifted(by offset: Int) -> ByteFilter {
        ByteFilter(offset: self.offset + offset, size: size, last: last)
    }

    /// - Parameter state: the state, at rest.
    @inlinable
    @inline(__always)
    func mayHaveChanged(in state: UnsafeRawPointer) -> Bool {
        guard let last else { return true }
        let part = state + offset
        switch size {
        case 1: return part.load(as: UInt8.self) != last.load(as: UInt8.self)
        case 8: return part.loadUnaligned(as: UInt64.self) != last.loadUnaligned(as: UInt64.self)
        case 16:
            return part.loadUnaligned(as: UInt64.self) != last.loadUnaligned(as: UInt64.self)
                || part.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                    != last.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        default: return bytesDiffer(part, last)
        }
    }

    @usableFromInline
    func bytesDiffer(_ part: UnsafeRawPointer, _ last: UnsafeRawPointer) -> Bool {
        memcmp(part, last, size) != 0
    }
}
