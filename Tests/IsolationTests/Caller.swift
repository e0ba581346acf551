import ActorStore
import Dispatch

/// An actor with its own executor, which can check whether it is current.
actor Caller {
    private let executor = QueueExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Whether the calling code runs on the actor's executor.
    var isIsolated: Bool { executor.isHere }
}

/// Runs jobs on a queue that its jobs can recognise, also in release builds and without trapping.
final class QueueExecutor: SerialExecutor {
    private static let key = DispatchSpecificKey<ObjectIdentifier>()

    private let queue = DispatchQueue(label: "Caller")

    init() { queue.setSpecific(key: Self.key, value: ObjectIdentifier(self)) }

    var isHere: Bool { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
