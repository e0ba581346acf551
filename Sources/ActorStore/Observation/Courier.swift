/// Calls closures that are isolated to one actor, as many as there are in one visit.
///
/// A visit costs a task and a switch to the actor, a call a few nanoseconds. So observers of a store that are isolated to
/// the same actor share a courier.
final class Courier<Isolation: Actor>: @unchecked Sendable {
    // Sound: both variables are touched only under `lock`.
    private let lock = Lock()
    private var waiting: [any Parcel<Isolation>] = []
    private var isOnItsWay = false

    private(set) weak var actor: Isolation?
    private let room: Isolation?
    /// Where the visits run, if not on the default executor.
    let executor: (any TaskExecutor)?

    /// - Parameter actor: Where the closures are called. It is not kept alive.
    init(to actor: Isolation) {
        self.actor = actor
        room = nil
        executor = nil
    }

    /// A courier to an actor that is nobody else's: closures that are called on an executor, one after the other.
    init(on executor: any TaskExecutor) where Isolation == Room {
        let room = Room()
        self.room = room
        actor = room
        self.executor = executor
    }

    /// Sees to it that a parcel is delivered. It is handed in once until it is.
    func handIn(_ parcel: any Parcel<Isolation>) {
        let mustGo = lock.withLock {
            waiting.append(parcel)
            defer { isOnItsWay = true }
            return !isOnItsWay
        }
        guard mustGo else { return }
        Task.detached(executorPreference: executor) { [self] in
            if let actor { await visit(actor) } else { giveUp() }
        }
    }

    /// Delivers until nothing waits.
    private func visit(_ actor: isolated Isolation) {
        while true {
            let parcels = lock.withLock {
                defer { waiting = [] }
                if waiting.isEmpty { isOnItsWay = false }
                return waiting
            }
            if parcels.isEmpty { return }
            for parcel in parcels { parcel.deliver(to: actor) }
        }
    }

    /// Nobody is there any more.
    private func giveUp() {
        let parcels = lock.withLock {
            defer {
                waiting = []
                isOnItsWay = false
            }
            return waiting
        }
        for parcel in parcels { parcel.discard() }
    }
}

/// Where closures are called that want an executor and not an actor: it runs on the executor of the courier's task.
actor Room {}

/// What a courier delivers.
protocol Parcel<Isolation>: AnyObject, Sendable {
    associatedtype Isolation: Actor
    func deliver(to actor: isolated Isolation)
    func discard()
}
