import Benchmarking

/// The numbers below a limit, repeatedly, each of them once before any is repeated.
struct KeyOrder: Sendable {
    private var key: Int
    private let limit: Int
    private let step: Int

    /// An order without a pattern that a cache could exploit.
    ///
    /// - Parameter limit: The upper bound of the numbers, exclusive. It must not be a multiple of 3.
    init(scattered limit: Int) {
        precondition(
            limit == 1 || limit % 3 != 0,
            "The step, a power of 3, would leave out most of the numbers below \(limit)."
        )
        self.limit = limit
        key = 0
        step = 387_420_489 % limit
    }

    /// From 0 upwards.
    init(ascending limit: Int) {
        self.limit = limit
        key = limit - 1
        step = 1 % limit
    }

    @inline(__always)
    mutating func next() -> Int {
        key += step
        if key >= limit { key -= limit }
        return key
    }
}

/// A fixture with many parts, and the part for the next operation.
///
/// The order continues from sample to sample. If each sample began with the first part, parts beyond a sample's length
/// would never be used, and all others would be in a cache.
final class Keyed<Subject: Sendable>: @unchecked Sendable {
    let subject: Subject
    // Sound: the harness sets up, measures and tears down in sequence, and one producer measures.
    var keys: KeyOrder

    init(_ subject: Subject, _ keys: KeyOrder) {
        self.subject = subject
        self.keys = keys
    }

    /// Runs an operation for each of the next keys.
    @inline(__always)
    func step(_ count: Int, _ operation: (Subject, Int) -> Void) {
        // A local variable is in a register.
        var keys = keys
        for _ in 0..<count {
            operation(subject, keys.next())
            barrier()
        }
        self.keys = keys
    }
}
