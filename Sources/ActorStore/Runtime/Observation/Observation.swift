/// Keeps a closure observing a store; releasing it, or calling ``cancel()``, ends that. One that is bound to an owner ends
/// with the owner, and not when it is released.
///
/// It does not keep the store alive. It keeps what the closure has captured, until it is cancelled or released.
public final class Observation: @unchecked Sendable {
    // Sound: `target` is read and written under `lock`.
    private let lock = Lock()
    private var target: (any ObservationTarget)?
    private let endsWhenReleased: Bool

    init(of target: any ObservationTarget, endsWhenReleased: Bool = true) {
        self.target = target
        self.endsWhenReleased = endsWhenReleased
    }

    deinit { if endsWhenReleased { cancel() } }

    /// Ends the observation: no call of the closure begins after this returns. One that has begun on another thread
    /// goes on to its end. Calling it again does nothing.
    public func cancel() {
        // Let go of after the lock, with what the closure has captured, which may lead to this observation again.
        let target = lock.withLock {
            defer { self.target = nil }
            return self.target
        }
        target?.cancelObservation()
    }
}

/// What is ended with an observation.
protocol ObservationTarget: AnyObject, Sendable {
    /// Called at most once by each observation of which it is the target.
    func cancelObservation()
}

/// An object to which an observation is bound, and the way to end that when it is gone.
final class ObservationBinding<Owner: AnyObject & Sendable>: @unchecked Sendable {
    // Sound: `observer` is written once, before the observer can be called, and is read afterwards only; weak references
    // may be read by any thread.
    private(set) weak var owner: Owner?
    weak var observer: (any ObservationTarget)?

    init(owner: Owner) {
        self.owner = owner
    }
}

/// A task that observes.
final class ObservingTask: ObservationTarget {
    private let task: Task<Void, Never>
    /// What the loop of the task iterates. It goes with the loop, also if this is kept.
    private weak let subscription: (any ObservationTarget)?

    /// - Parameter subscription: what the loop of the task iterates; nil if that is no observation of a store.
    init(_ task: Task<Void, Never>, of subscription: (any ObservationTarget)?) {
        self.task = task
        self.subscription = subscription
    }

    /// The loop of the task looks whether that is cancelled before each call.
    func cancelObservation() {
        // A call that is under way may take long, and must neither suspend the store any more nor be counted.
        subscription?.cancelObservation()
        task.cancel()
    }
}

/// An iterator of an observation, which can be ended while an element is being dealt with.
protocol ObservationIterator {
    var observation: any ObservationTarget { get }
}
