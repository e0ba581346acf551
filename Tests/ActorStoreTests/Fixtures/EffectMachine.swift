@testable import ActorStore

extension EffectMachine {
    /// Takes on an effect whose work is never done.
    mutating func begin<Action>(
        _ operation: Effect<Action>.Operation,
        joining tracker: EffectTracker? = nil
    ) -> EffectTracker? {
        begin(operation, joining: tracker) { _ in { _ in nil } }
    }
}

// Takes out one kind of what an effect machine has decided, for tests that look at that alone.
extension EffectMachine {
    mutating func takeStarts() -> PendingJobs { take(\.starts, PendingJobs()) }
    mutating func takeReplies() -> [EffectReply] { take(\.replies, []) }
    /// Takes out the actions that are to be sent, and has their turns come.
    ///
    /// - Returns: Those that count.
    mutating func reduceReplies() -> [any Sendable] {
        takeReplies().filter { reply in reply.origin.map { take($0) } ?? true }.map(\.action)
    }
    mutating func takeFailures() -> [StoreFailure] { take(\.failures, []) }
    mutating func takeEnds() -> ShortList<EffectTracker> { take(\.ends, ShortList()) }
    mutating func takeReleases() -> ShortList<AnyObject> { take(\.releases, ShortList()) }

    private mutating func take<Part>(_ part: WritableKeyPath<EffectOutput, Part>, _ nothing: Part) -> Part {
        defer { output[keyPath: part] = nothing }
        return output[keyPath: part]
    }
}
