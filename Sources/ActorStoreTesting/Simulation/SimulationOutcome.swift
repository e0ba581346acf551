import ActorStore

/// How the body of a simulation has ended.
final class SimulationOutcome<Value: Sendable>: @unchecked Sendable {
    // Sound: `noted` is touched only under the lock.
    private let lock = BlockingLock()
    private var noted: Result<Value, any Error>?

    var result: Result<Value, any Error>? { lock.withLock { noted } }

    func note(_ result: Result<Value, any Error>) { lock.withLock { noted = result } }
}
