/// Room between what different threads write, so that they do not take the same cache line from each other.
@usableFromInline
struct CacheLinePadding: Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)

    @usableFromInline
    init() {}
}
