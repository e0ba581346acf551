/// Keeps a closure observing a store; releasing it, or calling ``cancel()``, ends that.
///
/// It does not keep the store alive.
public final class Observation: Sendable {
    private let target: any ObservationTarget

    init(of target: any ObservationTarget) {
        self.target = target
    }

    deinit { cancel() }

    /// Ends the observation: no call of the closure begins after this returns. One that has begun on another thread
    /// goes on to its end. Calling it again does nothing.
    public func cancel() { target.cancelObservation() }
}

/// What is ended with an observation.
protocol ObservationTarget: AnyObject, Sendable {
    /// Called once or more often.
    func cancelObservation()
}

/// A task that observes.
final class ObservingTask: ObservationTarget {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    func cancelObservation() { task.cancel() }
}
