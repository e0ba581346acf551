/// Holds the answer to a request until the dispatch of the request returns.
@usableFromInline
final class PendingAnswer: @unchecked Sendable {
    // Sound: it is written in the turn of the request, and read after the dispatch has returned, which comes after that turn.
    private var value: (any Sendable)?

    @usableFromInline
    init() {}

    /// Keeps the answer, unless there is one: that of the store which was asked comes before those of its parents.
    func give(_ answer: any Sendable) {
        if value == nil { value = answer }
    }

    /// Takes the answer out. The effects of the request, which may run for long, keep this object, and must not keep what was
    /// answered.
    @usableFromInline
    func take() -> (any Sendable)? {
        defer { value = nil }
        return value
    }
}
