import ActorStore
import Dispatch

/// B3: a store on a serial dispatch queue, with closure listeners; the architecture of UDF, Puredux and Katana.
final class QueueStore<Logic: Reducer & Sendable>: @unchecked Sendable
where Logic.State: Sendable, Logic.Action: Sendable {
    // Sound: both variables are accessed on the queue only.
    private let queue = DispatchQueue(label: "store")
    private var state: Logic.State
    private var listeners: [@Sendable (Logic.State) -> Void] = []
    private let reducer: Logic

    init(_ state: Logic.State, _ reducer: Logic) {
        self.state = state
        self.reducer = reducer
    }

    /// Enqueues the action, like `send`.
    func apply(_ action: Logic.Action) { queue.async { [self] in reduce(action) } }

    /// Waits until the action has been reduced, like `dispatch`.
    func applyAndWait(_ action: Logic.Action) { queue.sync { reduce(action) } }

    func listen(_ listener: @escaping @Sendable (Logic.State) -> Void) {
        queue.sync { listeners.append(listener) }
    }

    /// Waits until all begun actions are done.
    func finish() async {
        await withUnsafeContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }

    private func reduce(_ action: Logic.Action) {
        _ = reducer.reduce(into: &state, action: action)
        for listener in listeners { listener(state) }
    }
}

/// The names of the baselines on a queue.
enum Queued {
    static let async = "B3 serial queue, async"
    static let sync = "B3 serial queue, sync"
}
