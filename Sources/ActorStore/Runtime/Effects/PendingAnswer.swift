/// Holds the answer to a request until the dispatch of the request returns.
@usableFromInline
final class PendingAnswer: @unchecked Sendable {
    // Sound: both variables are touched only under `lock`. What they hold is released after it.
    private let lock = Lock()
    private var value: (any Sendable)?
    private var isTaken = false

    @usableFromInline
    init() {}

    /// Keeps the answer, unless there is one: that of the store which was asked comes before those of its parents.
    func give(_ answer: any Sendable) {
        lock.withLock { if value == nil && !isTaken { value = answer } }
    }

    /// Takes the answer out. The effects of the request, which may run for long, keep this object, and must not keep
    /// what was answered, or what actions of theirs are answered.
    @usableFromInline
    func take() -> (any Sendable)? {
        lock.withLock {
            defer { value = nil }
            isTaken = true
            return value
        }
    }
}
