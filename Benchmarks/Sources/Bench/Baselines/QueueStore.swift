import ActorStore
import Dispatch

/// B3: a store on a serial dispatch queue, with closure listeners; the architecture of UDF, Puredux and Katana.
final class QueueStore: @unchecked Sendable {
    static let name = "B3 serial queue"

    // Sound: both variables are touched on the queue only.
    private let queue = DispatchQueue(label: "store")
    private var state = Account.State()
    private var listeners: [@Sendable (Account.State) -> Void] = []

    func apply(_ action: Account.Action) {
        queue.async { [self] in
            _ = Account().reduce(into: &state, action: action)
            for listener in listeners { listener(state) }
        }
    }

    func listen(_ listener: @escaping @Sendable (Account.State) -> Void) {
        queue.sync { listeners.append(listener) }
    }

    /// Waits until all that was begun is done.
    func finish() async {
        await withUnsafeContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}
