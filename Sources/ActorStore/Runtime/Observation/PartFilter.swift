#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Tells whether a part of a state can have changed, by comparing its bytes with those of the value that its observers
/// were told last. What passes is compared by `==`.
///
/// Bytes that are the same mean the same value, because that last value is *kept*: it holds a reference to every buffer
/// and box that its bytes point to. So none of them can be changed in place, or freed and used again at the same address,
/// while the bytes stand: a state that changes what it shares with the kept value copies it first, and then points
/// elsewhere. What an object of a class holds is not looked at, but neither would `==` see a change of an object that is
/// compared with itself. A not-a-number is the same as itself here.
///
/// Bytes that differ mean nothing yet: padding, 0.0 and -0.0, the rest of an enumeration's payload, and canonically equal
/// strings can differ and be equal all the same.
///
/// It is plain data, without references, so that a list of filters is read without counting any.
@usableFromInline
struct PartFilter: @unchecked Sendable {
    // Sound: `last` points into a `Broadcast`, which the watcher beside the filter keeps; both are touched only in the
    // store's turn.
    @usableFromInline let offset: Int
    /// How many bytes the part has, or a negative number if it has none because it is computed.
    @usableFromInline let size: Int
    @usableFromInline let last: UnsafeRawPointer?

    /// For a part that has no bytes of its own.
    @inlinable static var passing: PartFilter { PartFilter(offset: 0, size: -1, last: nil) }

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
    func shifted(by offset: Int) -> PartFilter {
        PartFilter(offset: self.offset + offset, size: size, last: last)
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
