/// The effects whose tasks have ended, until their store takes them off its account.
///
/// For most effects nothing depends on their end, so it need not be done in a turn, which a busy store would make them
/// wait for. They are taken off when the next effect begins, or when there are many.
final class EffectEnds: @unchecked Sendable {
    // Sound: all variables are touched only under `lock`. Exclusivity follows from it, and is not checked again.
    private static let many = 64

    private let lock = Lock()
    @exclusivity(unchecked) private var ended: [EffectHandle] = []
    private var isAwaited = false

    /// - Returns: whether the store should look at them soon.
    func append(_ handle: EffectHandle) -> Bool {
        lock.withLock {
            ended.append(handle)
            return isAwaited || ended.count == Self.many
        }
    }

    /// Takes all out.
    func takeAll() -> [EffectHandle] {
        lock.withLock {
            if ended.isEmpty { return [] }
            var all: [EffectHandle] = []
            swap(&all, &ended)
            return all
        }
    }

    /// From now on the store looks at each at once.
    func awaitEach() { lock.withLock { isAwaited = true } }
}
