/// The effects that shut a group of stores down, each of which waits for the ends of all stores, and so of the others.
package final class GroupShutdown: @unchecked Sendable {
    // Sound: `effects` and `trees` are touched only under the lock.
    private let lock = Lock()
    private var effects: [EffectJob] = []
    private var trees: Set<ObjectIdentifier> = []

    package init() {}

    var callers: [EffectJob] { lock.withLock { effects } }

    /// Whether one of some effects is one of a store of the group.
    func includesStores(of effects: some Sequence<EffectJob>) -> Bool {
        let hosts = effects.compactMap(\.host)
        return lock.withLock { hosts.contains { trees.contains(ObjectIdentifier($0.root)) } }
    }

    /// Counts the effect that calls this, if one does, among the callers while `body` runs.
    ///
    /// - Parameter trees: The stores of the group, with those below them; the group keeps them.
    func perform<Result>(
        with trees: [TreeRoot],
        isolation: isolated (any Actor)? = #isolation,
        _ body: nonisolated(nonsending) () async -> Result
    ) async -> Result {
        guard let caller = EffectJob.current else { return await body() }
        lock.withLock {
            effects.append(caller)
            self.trees = Set(trees.map(ObjectIdentifier.init))
        }
        let result = await body()
        lock.withLock { if let index = effects.firstIndex(where: { $0 === caller }) { effects.remove(at: index) } }
        return result
    }
}
