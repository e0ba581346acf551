import ActorStore

/// The places of calls' beginnings and ends in the order of events.
struct PipelineTimeline {
    private var begins: [Int: Int] = [:]
    private var ends: [Int: Int] = [:]
    private(set) var outcomes: [Int: Pipeline.Outcome] = [:]
    private var uses: [Pipeline.Guest: Range<Int>] = [:]
    private var removals: [Pipeline.Guest: Range<Int>] = [:]
    /// The beginning of the first shutdown of a store.
    private var firstEnding = Int.max
    private var finish = Int.max
    /// Whether a store is shut down while others use the pipeline.
    var endsAny: Bool { firstEnding < .max }

    init(_ events: [Pipeline.Event]) {
        for (place, event) in events.enumerated() {
            switch event {
            case .offered(let number): begins[number] = place
            case .settled(let number, let outcome):
                ends[number] = place
                outcomes[number] = outcome
            case .using(let guest): uses[guest] = place..<Int.max
            case .used(let guest): uses[guest] = (uses[guest]?.lowerBound ?? 0)..<place
            case .removing(let guest): removals[guest] = place..<Int.max
            case .removed(let guest): removals[guest] = (removals[guest]?.lowerBound ?? 0)..<place
            case .ending: firstEnding = min(firstEnding, place)
            case .finishing: finish = place
            default: break
            }
        }
    }

    /// Whether a shutdown had begun before an action was settled, or begins while it waits.
    func isEnding(after number: Int) -> Bool {
        if case .sent(let outcome)? = outcomes[number], outcome.isAccepted { return endsAny }
        return min(firstEnding, finish) < ends[number] ?? .max
    }

    /// Whether an interceptor must be present for an action: it was added before the action was offered, and not
    /// removed before the store had accepted it.
    func isPresent(_ guest: Pipeline.Guest, for number: Int) -> Bool {
        guard let use = uses[guest], let begin = begins[number], use.upperBound < begin else { return false }
        guard let removal = removals[guest] else { return true }
        return outcomes[number]?.isAccepted == true && ends[number] ?? .max < removal.lowerBound
    }

    /// Whether an interceptor must be absent: it was added after the action was accepted, or removed before it was
    /// offered.
    func isMissing(_ guest: Pipeline.Guest, for number: Int) -> Bool {
        guard let use = uses[guest], let begin = begins[number] else { return false }
        if outcomes[number]?.isAccepted == true, ends[number] ?? .max < use.lowerBound { return true }
        return removals[guest].map { $0.upperBound < begin } ?? false
    }

    /// Whether a dispatch must pass an asynchronous interceptor: it begins after the addition, and before the removal.
    func mustAsk(_ guest: Pipeline.Guest, for number: Int) -> Bool {
        guard let use = uses[guest], let begin = begins[number], use.upperBound < begin else { return false }
        return removals[guest].map { begin < $0.lowerBound } ?? true
    }

    /// Whether a dispatch must not pass it: it begins before the addition, or after the removal.
    func mustNotAsk(_ guest: Pipeline.Guest, for number: Int) -> Bool {
        guard let use = uses[guest], let begin = begins[number] else { return false }
        return begin < use.lowerBound || removals[guest].map { $0.upperBound < begin } ?? false
    }

    var guests: [Pipeline.Guest] { uses.keys.sorted { $0.number < $1.number } }
}
