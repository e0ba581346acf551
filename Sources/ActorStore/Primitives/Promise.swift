/// A value that is set once, by the first caller, and that one task can wait for.
@usableFromInline
package final class Promise<Value: Sendable>: @unchecked Sendable {
    // Sound: all variables are accessed only under `lock`. `value` is written once, so no value is released under the
    // lock.
    private let lock = Lock()
    private var value: Value?
    private var waiter: UnsafeContinuation<Value, Never>?

    @usableFromInline
    package init() {}

    /// Whether the value has been set.
    @usableFromInline var isSettled: Bool { lock.withLock { value != nil } }

    /// Sets the value, unless it has been set before.
    @usableFromInline
    package func settle(_ value: Value) { take(value)?.resume(returning: value) }

    /// Sets the value, unless it has been set before.
    ///
    /// - Returns: The waiting task, if there is one, which the caller has to resume with the value.
    func take(_ value: Value) -> UnsafeContinuation<Value, Never>? {
        lock.withLock {
            guard self.value == nil else { return nil }
            self.value = value
            defer { self.waiter = nil }
            return self.waiter
        }
    }

    /// Waits for the value. Only one task may wait at a time; the caller has to handle its cancellation.
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
