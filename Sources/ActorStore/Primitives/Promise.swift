/// A value that is given once, by whoever is first, and that one task waits for.
@usableFromInline
package final class Promise<Value: Sendable>: @unchecked Sendable {
    // Sound: both variables are touched only under `lock`. `value` is written once, so that no value is released there.
    private let lock = Lock()
    private var value: Value?
    private var waiter: UnsafeContinuation<Value, Never>?

    @usableFromInline
    package init() {}

    /// Whether the value has been given.
    @usableFromInline var isSettled: Bool { lock.withLock { value != nil } }

    /// Gives the value, unless somebody was first.
    @usableFromInline
    package func settle(_ value: Value) { take(value)?.resume(returning: value) }

    /// Gives the value, unless somebody was first.
    ///
    /// - Returns: The task that waits, if there is one, which the caller has to resume with the value.
    func take(_ value: Value) -> UnsafeContinuation<Value, Never>? {
        lock.withLock {
            guard self.value == nil else { return nil }
            self.value = value
            defer { self.waiter = nil }
            return self.waiter
        }
    }

    /// Waits for the value. One task at a time; cancelling it is for the caller to look out for.
    package func wait(isolation: isolated (any Actor)? = #isolation) async -> Value {
        await withUnsafeContinuation { continuation in
            let settled: Value? = lock.withLock {
                if value == nil { waiter = continuation }
                return value
            }
            if let settled { continuation.resume(returning: settled) }
        }
    }
}
