@testable import ActorStore

/// The effect machine, with its rules and queues: after any order of beginnings and ends nothing is left of it, and no
/// more effects run concurrently than allowed.
enum EffectMachineTarget {
    private struct Simulation {
        var machine = EffectMachine()
        var running: [EffectJob] = []
        var trackers: [EffectTracker] = []
        /// The actions that wait in the mailbox, from `nextAction` on.
        var actions: [ReplyOrigin] = []
        var nextAction = 0
        let clock = ManualTime()

        /// Collects the machine's requests.
        mutating func collect() {
            let output = machine.takeOutput()
            running += output.starts
            actions += output.replies.compactMap(\.origin)
            demand(Set(running.map(\.number)).count == running.count, "An effect was started twice.")
        }

        /// Processes the next action.
        mutating func reduceNext() {
            _ = machine.take(actions[nextAction])
            nextAction += 1
        }

        /// Ends a task.
        mutating func end(_ index: Int) {
            let job = running.remove(at: index)
            _ = job.endWaiting()
            machine.end(job)
            collect()
        }

        /// Whether the task of a job may end: unless it waits for others.
        func mayEnd(_ job: EffectJob) -> Bool {
            guard case .gate = job.wait else { return true }
            return job.holdsSlot || job.isCancelled
        }

        func checkQueues() {
            let holders = Dictionary(grouping: running.filter(\.holdsSlot)) { $0.place.map { ObjectIdentifier($0) } }
            for jobs in holders.values.flatMap({ Dictionary(grouping: $0, by: \.id).values }) {
                let limit = jobs.map(\.options.policy.queueLimit).max() ?? 0
                demand(jobs.count <= limit, "\(jobs.count) effects run of which \(limit) may.")
            }
        }
    }

    static func run(_ bytes: inout Bytes) {
        var simulation = Simulation()
        while let operation = bytes.next() {
            switch operation % 16 {
            case 0...5:
                guard let wanted = effect(&bytes, depth: 0, queue: -1, simulation.clock).operation else { break }
                let body: (EffectWork<Int>) -> EffectJob.Body = { _ in { _ in nil } }
                if let tracker = simulation.machine.begin(wanted, body: body) { simulation.trackers.append(tracker) }
                simulation.collect()
            case 6 where !simulation.trackers.isEmpty:
                _ = simulation.trackers[bytes.below(simulation.trackers.count)].cancel()
            case 7:
                simulation.clock.advance(by: .milliseconds(bytes.byte()))
            case 8 where bytes.below(8) == 0:
                simulation.machine.cancelAll()
            case 9 where bytes.below(16) == 0:
                simulation.machine.close()
            case 10...11 where simulation.nextAction < simulation.actions.count:
                simulation.reduceNext()
            default:
                let index = bytes.below(simulation.running.count)
                guard index < simulation.running.count, simulation.mayEnd(simulation.running[index]) else { break }
                simulation.end(index)
            }
            simulation.checkQueues()
        }
        finish(&simulation)
    }

    /// Ends everything.
    private static func finish(_ simulation: inout Simulation) {
        var steps = 0
        while let index = simulation.running.firstIndex(where: simulation.mayEnd) {
            steps += 1
            demand(steps < 100_000, "It does not come to an end.")
            simulation.end(index)
            simulation.checkQueues()
        }
        while simulation.nextAction < simulation.actions.count { simulation.reduceNext() }
        demand(simulation.running.isEmpty, "\(simulation.running.count) effects wait for nothing.")
        demand(simulation.trackers.allSatisfy(\.isFinished), "A tracker is not finished.")
        demand(simulation.machine.registry.count == 0, "\(simulation.machine.registry.count) effects are left.")
        demand(simulation.machine.registry.numberOfIdentities == 0, "Identities are left.")
        demand(simulation.machine.registry.numberOfQueues == 0, "Queues are left.")
        let throttles = simulation.machine.registry.numberOfThrottles
        // A throttle keeps the places of its children, four at most.
        demand(simulation.machine.registry.numberOfPlaces <= 1 + throttles * 4, "Places are left.")
    }

    /// - Parameter queue: The highest identity of a queue in which the surroundings of the effect have to wait. The
    ///   effect waits in that, where it has a place already, and in higher ones only, because mutual waits never end.
    private static func effect(_ bytes: inout Bytes, depth: Int, queue: Int, _ clock: ManualTime) -> Effect<Int> {
        let id = bytes.below(4)
        func part(_ bytes: inout Bytes, queue inner: Int? = nil) -> Effect<Int> {
            effect(&bytes, depth: depth + 1, queue: inner ?? queue, clock)
        }
        let choice = depth < 4 ? bytes.below(13) : bytes.below(4)
        switch choice {
        case 0: return .send(id)
        case 1, 2: return .run(id: id == 3 ? nil : id, policy: policy(&bytes, mayWait: id >= queue)) { _ in }
        case 3: return .cancel(id: id)
        case 4, 5: return .merge((0..<bytes.below(4)).map { _ in part(&bytes) })
        case 6, 7: return .concatenate((0..<bytes.below(4)).map { _ in part(&bytes) })
        case 8:
            let policy = policy(&bytes, mayWait: id >= queue)
            return part(&bytes, queue: policy.isQueue ? id : queue).cancellable(id: id, policy: policy)
        case 9:
            let maxWait: Duration? = bytes.isTrue() ? .milliseconds(bytes.byte()) : nil
            let interval = Duration.milliseconds(bytes.byte())
            let cancels = bytes.isTrue()
            return part(&bytes)
                .debounce(id: id, for: interval, maxWait: maxWait, cancelInFlight: cancels, clock: clock)
        case 10:
            let interval = Duration.milliseconds(bytes.byte())
            return part(&bytes).throttle(id: id, for: interval, latest: bytes.isTrue(), clock: clock)
        case 11:
            let path = EffectPath(.element(ExactIdentity(bytes.below(3))))
            return bytes.below(4) == 0 ? .cancelAll(below: path) : part(&bytes).scoped(to: path)
        default: return part(&bytes).detached()
        }
    }

    private static func policy(_ bytes: inout Bytes, mayWait: Bool) -> EffectPolicy {
        switch bytes.below(mayWait ? 7 : 5) {
        case 0: .concurrent
        case 1: .cancelInFlight
        case 2: .ignoreIfRunning
        case 3: .newest(bytes.below(3) + 1)
        case 4: .oldest(bytes.below(3) + 1, overflow: .drop)
        case 5: .oldest(bytes.below(3) + 1, overflow: .suspend)
        default: .serial
        }
    }
}
