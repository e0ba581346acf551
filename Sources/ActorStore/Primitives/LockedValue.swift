/// A value that is touched only under a lock whose waiters sleep.
package final class LockedValue<Value>: @unchecked Sendable {
    // Sound: the value is touched only under the lock. What is released must be carried out of it: a release can run
    // user code.
    private let lock = BlockingLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
    }
}
