import ActorStore
import Synchronization

/// The lock of a ``LockedStore``.
protocol StateLock<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    init(_ value: Value)

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result
}

/// The lock of the standard library: on Linux a futex with priority inheritance.
final class MutexLock<Value: Sendable>: StateLock {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    @inline(__always)
    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { mutex.withLock { body(&$0) } }
}

/// The fastest lock known to the project.
final class SpinningLock<Value: Sendable>: StateLock, @unchecked Sendable {
    private let lock = SpinLock()
    // Sound: accessed under the lock only.
    private var value: Value

    init(_ value: Value) { self.value = value }

    @inline(__always)
    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}

/// B2: a lock around the state, with closure listeners of one part of it.
///
/// The listeners are separate from the state. Without listeners, an action costs the lock and the reducer. With
/// listeners, the part is compared with its old value, and only the part is copied, under the lock; the listeners are
/// called after it. Listeners of concurrently reduced actions are called in any order, so this promises less than a
/// store does.
final class LockedStore<Logic: Reducer & Sendable, Lock: StateLock<Logic.State>>: Sendable
where Logic.State: Sendable, Logic.Action: Sendable {
    private let state: Lock
    private let reducer: Logic
    private let part: @Sendable (Logic.State) -> Int
    /// With the faster of the locks, for any state.
    private let listeners = SpinningLock<[@Sendable (Int) -> Void]>([])
    private let isListenedTo = Atomic(false)

    init(_ scenario: Scenario<Logic>) {
        state = Lock(scenario.makeState())
        reducer = scenario.makeReducer()
        part = scenario.readPart
    }

    var snapshot: Logic.State { state.withLock { $0 } }

    func apply(_ action: Logic.Action) {
        guard isListenedTo.load(ordering: .relaxed) else {
            return state.withLock { _ = reducer.reduce(into: &$0, action: action) }
        }
        let changed: Int? = state.withLock { state in
            let before = part(state)
            _ = reducer.reduce(into: &state, action: action)
            let after = part(state)
            return after == before ? nil : after
        }
        guard let changed else { return }
        for listener in listeners.withLock({ $0 }) { listener(changed) }
    }

    func listen(_ listener: @escaping @Sendable (Int) -> Void) {
        listeners.withLock { $0.append(listener) }
        isListenedTo.store(true, ordering: .relaxed)
    }
}

typealias MutexStore<Logic: Reducer & Sendable> = LockedStore<Logic, MutexLock<Logic.State>>
where Logic.State: Sendable, Logic.Action: Sendable

typealias SpinningStore<Logic: Reducer & Sendable> = LockedStore<Logic, SpinningLock<Logic.State>>
where Logic.State: Sendable, Logic.Action: Sendable

/// The names of the baselines with a lock.
enum Locked {
    static let mutex = "B2 mutex"
    static let spinning = "B2 spin lock"
}
