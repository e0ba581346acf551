import ActorStore

/// A value that is touched only under a lock.
final class Shielded<Value>: @unchecked Sendable {
    // Sound: the value is touched only under the lock. What is released must be carried out of it, like in the library
    // itself: a release can run user code.
    private let lock = BlockingLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
    }
}
