/// Lets the task of an effect begin that has to wait its turn in a queue of effects.
final class EffectAdmission: @unchecked Sendable {
    // Sound: both variables are touched only under `lock`.
    private let lock = Lock()
    private var isOpen = false
    private var waiter: UnsafeContinuation<Void, Never>?

    /// Returns when it is open, or the task is cancelled.
    nonisolated(nonsending) func wait() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isOpen = lock.withLock {
                    if !self.isOpen { waiter = continuation }
                    return self.isOpen
                }
                if isOpen { continuation.resume() }
            }
        } onCancel: {
            open()
        }
    }

    func open() {
        let waiter = lock.withLock {
            isOpen = true
            defer { self.waiter = nil }
            return self.waiter
        }
        waiter?.resume()
    }
}
