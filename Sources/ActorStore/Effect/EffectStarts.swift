/// Effects whose tasks are to be started, in order.
struct EffectStarts: RandomAccessCollection, Sendable {
    /// Most actions start one effect; more are kept in an array.
    private(set) var first: EffectJob?
    private var others: [EffectJob] = []

    init() {}

    init(_ job: EffectJob) { first = job }

    var startIndex: Int { 0 }
    var endIndex: Int { first == nil ? 0 : others.count + 1 }

    subscript(index: Int) -> EffectJob {
        guard let first, index == 0 else { return others[index - 1] }
        return first
    }

    mutating func append(_ job: EffectJob) {
        if first == nil { first = job } else { others.append(job) }
    }
}
