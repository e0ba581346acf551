/// An input, read from the front as choices and numbers. Missing bytes are 0.
struct Bytes {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The next byte; nil at the end, so that a loop can stop.
    mutating func next() -> UInt8? { rest.popFirst() }

    mutating func byte() -> Int { Int(rest.popFirst() ?? 0) }

    /// A non-negative number.
    mutating func below(_ count: Int) -> Int { count > 0 ? byte() % count : 0 }

    mutating func isTrue() -> Bool { byte() & 1 == 1 }

    /// Any number; the extremes of `Int` are likely.
    mutating func number() -> Int {
        switch below(8) {
        case 0: return .max - below(3)
        case 1: return .min + below(3)
        case 2: return Int(truncatingIfNeeded: word())
        case 3: return -byte()
        default: return byte()
        }
    }

    mutating func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) } }

    /// Any duration, including the longest and the shortest.
    mutating func duration() -> Duration {
        switch below(6) {
        case 0: Duration(attoseconds: .max - Int128(below(3)))
        case 1: Duration(attoseconds: .min + Int128(below(3)))
        case 2: .seconds(Int64(number()))
        case 3: Duration(attoseconds: Int128(number()))
        case 4: .zero
        default: .milliseconds(byte())
        }
    }

    /// Any duration that is not negative.
    mutating func wait() -> Duration { max(duration(), .zero) }

    /// All remaining bytes.
    mutating func remaining() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}
