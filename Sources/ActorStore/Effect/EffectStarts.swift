/// Effects whose tasks are to be started, in order.
@usableFromInline
struct EffectStarts: RandomAccessCollection, Sendable {
    /// Most actions start one effect; more are kept in an array.
    @usableFromInline private(set) var first: EffectJob?
    private var others: [EffectJob] = []

    init() {}

    init(_ job: EffectJob) { first = job }

    @usableFromInline var startIndex: Int { 0 }
    @usableFromInline var endIndex: Int { first == nil ? 0 : others.count + 1 }
    @usableFromInline var isEmpty: Bool { first == nil }

    @usableFromInline
    subscript(index: Int) -> EffectJob {
        guard let first, index == 0 else { return others[index - 1] }
        return first
    }

    mutating func append(_ job: EffectJob) {
        if first == nil { first = job } else { others.append(job) }
    }

    /// The same as with an iterator, without its copies.
    @usableFromInline
    func forEach(_ body: (EffectJob) throws -> Void) rethrows {
        guard let first else { return }
        try body(first)
        for job in others { try body(job) }
    }
}
