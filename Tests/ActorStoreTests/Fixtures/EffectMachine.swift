@testable import ActorStore

extension EffectMachine {
    /// Accepts an effect whose operation never ends.
    mutating func begin<Action>(
        _ operation: Effect<Action>.Operation,
        joining tracker: EffectTracker? = nil
    ) -> EffectTracker? {
        begin(operation, joining: tracker) { _ in { _ in nil } }
    }
}

// Extracts one kind of decisions of an effect machine, for tests of that kind alone.
extension EffectMachine {
    mutating func takeStarts() -> PendingJobs { take(\.starts, PendingJobs()) }
    mutating func takeReplies() -> [EffectReply] { take(\.replies, []) }
    /// Extracts the actions to send, and processes them.
    ///
    /// - Returns: The accepted ones.
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
