/// Makes a list that shows a failure smaller, as long as it still shows it.
///
/// Source: Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE Transactions on Software
/// Engineering 28(2), 2002, without the attempts with single parts, which rarely succeed on workloads. The result is
/// 1-minimal, which is to say that it stops to fail when any one element is taken away, if every list fails that has all
/// elements of one that fails. Where that does not hold, a smaller list that fails can be missed: one part after another
/// is tried, and none a second time for what has gone after it.
///
/// A plain value: ask for a ``candidate``, try it, and say in ``note(candidateFails:)`` whether it fails.
struct DeltaDebugging<Element> {
    /// The smallest list that is known to fail.
    private(set) var smallest: [Element]
    private var partCount = 1
    private var part = 0

    init(_ failing: [Element]) { smallest = failing }

    /// What to try next; nil if nothing smaller fails.
    var candidate: [Element]? {
        guard part < partCount, !smallest.isEmpty else { return nil }
        var rest = smallest
        rest.removeSubrange(range(of: part))
        return rest
    }

    mutating func note(candidateFails: Bool) {
        guard let candidate else { return }
        if candidateFails {
            smallest = candidate
            partCount = max(1, min(partCount - 1, smallest.count))
            // The parts before this one were needed a moment ago, and mostly still are.
            part = min(part, partCount - 1)
            return
        }
        part += 1
        guard part == partCount, partCount < smallest.count else { return }
        partCount = min(partCount * 2, smallest.count)
        part = 0
    }

    private func range(of part: Int) -> Range<Int> {
        smallest.count * part / partCount..<smallest.count * (part + 1) / partCount
    }
}
