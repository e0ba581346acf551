import class Foundation.NSLock

/// A value behind a lock that the thread sanitizer supports, unlike a `Mutex` of the standard library. The type of this
/// name in `ActorStore` is not public.
final class LockedValue<Value>: @unchecked Sendable {
    // Sound: the value is accessed only under the lock.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
