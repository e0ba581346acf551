/// The effects that shut a group of stores down, each of which waits for the ends of all stores, and so of the others.
final class GroupShutdown: @unchecked Sendable {
    // Sound: `effects` is touched only under the lock.
    private let lock = Lock()
    private var effects: [EffectHandle] = []

    var callers: [EffectHandle] { lock.withLock { effects } }

    /// Counts the effect that calls this, if one does, among the callers while `body` runs.
    nonisolated(nonsending) func perform<Result>(_ body: nonisolated(nonsending) () async -> Result) async -> Result {
        guard let caller = EffectHandle.current else { return await body() }
        lock.withLock { effects.append(caller) }
        let result = await body()
        lock.withLock { if let index = effects.firstIndex(where: { $0 === caller }) { effects.remove(at: index) } }
        return result
    }
}
