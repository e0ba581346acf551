import ActorStore
import Dispatch
import Synchronization

/// B0: the reducer in a loop on a local variable. What nobody can beat, and what no two threads can share.
enum LocalVariable {
    @inline(never)
    static func run(_ actions: Int, between: () -> Void) -> Account.State {
        var state = Account.State()
        let reducer = Account()
        for _ in 0..<actions {
            _ = reducer.reduce(into: &state, action: .book(1))
            between()
        }
        return state
    }
}

/// B1: a bare actor with the same state and reducer.
actor BareActor: Contender {
    nonisolated let name = "B1 bare actor"
    private var state = Account.State()
    private let reducer = Account()

    nonisolated(nonsending) func perform(_ action: Account.Action) async { await apply(action) }
    nonisolated(nonsending) func finish() async -> Int { await bookings }

    private var bookings: Int { state.bookings }

    private func apply(_ action: Account.Action) { _ = reducer.reduce(into: &state, action: action) }
}

/// B2: a mutex around the state, with closure listeners.
final class MutexStore: Contender {
    let name = "B2 mutex"
    private let state = Mutex(Account.State())
    private let listeners = Mutex<[@Sendable (Account.State) -> Void]>([])

    nonisolated(nonsending) func perform(_ action: Account.Action) async {
        state.withLock { _ = Account().reduce(into: &$0, action: action) }
        let listeners = listeners.withLock { $0 }
        guard !listeners.isEmpty else { return }
        let copy = state.withLock { $0 }
        for listener in listeners { listener(copy) }
    }

    nonisolated(nonsending) func finish() async -> Int { state.withLock { $0.bookings } }
}

/// B3: a store on a serial dispatch queue, with closure listeners; the architecture of UDF, Puredux and Katana.
final class QueueStore: Contender, @unchecked Sendable {
    // Sound: both variables are touched on the queue only.
    let name = "B3 serial queue"
    private let queue = DispatchQueue(label: "store")
    private var state = Account.State()
    private var listeners: [@Sendable (Account.State) -> Void] = []

    nonisolated(nonsending) func perform(_ action: Account.Action) async {
        queue.async { [self] in
            _ = Account().reduce(into: &state, action: action)
            for listener in listeners { listener(state) }
        }
    }

    nonisolated(nonsending) func finish() async -> Int {
        await withUnsafeContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: state.bookings) }
        }
    }
}

/// B4: an actor that yields the whole state to a stream for each observer; what anyone writes first.
actor StreamActor: Contender {
    nonisolated let name = "B4 actor with streams"
    private var state = Account.State()
    private var observers: [AsyncStream<Account.State>.Continuation] = []

    nonisolated(nonsending) func perform(_ action: Account.Action) async { await apply(action) }
    nonisolated(nonsending) func finish() async -> Int { await bookings }

    private var bookings: Int { state.bookings }

    private func apply(_ action: Account.Action) {
        _ = Account().reduce(into: &state, action: action)
        for observer in observers { observer.yield(state) }
    }
}
