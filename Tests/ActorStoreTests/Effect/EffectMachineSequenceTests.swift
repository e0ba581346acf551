import Foundation
import Testing

@testable import ActorStore

@Suite("All short sequences of transitions of the effect machine", .timeLimit(.minutes(30)))
struct EffectMachineSequenceTests {
    /// The requests to the machine, and its events.
    enum Step: CaseIterable {
        case replace, queue, sequence, group, startChild
        case endOldest, endNewest, reduce, cancelFirst, cancelByID, endChild, cancelAll, close
    }

    /// A machine, with the view of a store.
    struct Model {
        var machine = EffectMachine()
        var running: [EffectJob] = []
        var started: Set<ObjectIdentifier> = []
        /// Retains ended jobs, so that no other job gets their address.
        var ended: [EffectJob] = []
        var trackers: [EffectTracker] = []
        /// The pending actions in the mailbox, in order.
        var waiting: [Waiting] = []

        /// A pending action.
        struct Waiting {
            let reply: EffectReply
            /// Whether it is accepted in its turn; nil if that depends on other running effects.
            var counts: Bool?

            /// The step that sent it.
            var sender: Sender? { (reply.action as? Int).flatMap(Sender.init) }
        }

        /// A step that sends an action.
        enum Sender: Int {
            case sequence, group, child
        }

        private mutating func lose(_ senders: Set<Sender>) {
            if isClosed { return }
            for index in waiting.indices where waiting[index].sender.map(senders.contains) == true {
                waiting[index].counts = false
            }
        }

        let child = EffectPath(.element(ExactIdentity("child")))

        mutating func apply(_ step: Step) {
            switch step {
            case .replace:
                let older = running.filter { $0.id == EffectID("a") }
                lose([.group])
                begin(.run(id: "a", policy: .cancelInFlight) { _ in })
                if isClosed { break }
                #expect(older.allSatisfy { $0.isCancelled }, "An effect that is replaced is cancelled.")
            case .queue: begin(.run(id: "q", policy: .serial) { _ in })
            case .sequence:
                begin(.concatenate(.run(id: "a") { _ in }, .send(Sender.sequence.rawValue), .run { _ in }))
            case .group:
                let queued = Effect<Int>.run(id: "q", policy: .serial) { _ in }
                let last = Effect.concatenate(queued, .send(Sender.group.rawValue))
                begin(.merge(.run { _ in }, last).cancellable(id: "a"))
            case .startChild:
                begin(Effect<Int>.concatenate(.run { _ in }, .send(Sender.child.rawValue)).scoped(to: child))
            case .reduce: reduceNext()
            case .endOldest: if let job = running.first(where: mayEnd) { end(job) }
            case .endNewest: if let job = running.last(where: mayEnd) { end(job) }
            case .cancelFirst:
                _ = trackers.first { !$0.isFinished }?.cancel()
                // Steps of a group that has not ended are dropped with it.
                for index in waiting.indices where waiting[index].sender == .group && waiting[index].counts == true {
                    waiting[index].counts = nil
                }
            case .cancelByID:
                lose([.group])
                begin(.cancel(id: "a"))
                #expect(running.allSatisfy { $0.id != EffectID("a") || $0.isCancelled }, "Cancelled by its identity.")
            case .endChild:
                lose([.child])
                begin(.cancelAll(below: child))
            case .cancelAll:
                lose([.sequence, .group, .child])
                machine.cancelAll()
                #expect(running.allSatisfy { $0.isCancelled }, "All are cancelled.")
            case .close:
                lose([.sequence, .group, .child])
                machine.close()
                isClosed = true
            }
            collect()
        }

        private(set) var isClosed = false

        private mutating func begin(_ effect: Effect<Int>) {
            let before = started.count
            if let tracker = effect.operation.flatMap({ machine.begin($0) }) { trackers.append(tracker) }
            collect()
            if isClosed { #expect(started.count == before, "Nothing begins after the end.") }
        }

        private mutating func collect() {
            let output = machine.takeOutput()
            for job in output.starts {
                #expect(started.insert(ObjectIdentifier(job)).inserted, "An effect is started once.")
                running.append(job)
            }
            // An ended store drops actions for itself.
            waiting += output.replies.map { Waiting(reply: $0, counts: isClosed ? nil : !$0.isCancelledStep) }
            // Steps in a queue of one.
            #expect(running.count { $0.holdsSlot && !$0.hasEnded } <= 1, "A queue lets one run.")
            // An ended store notifies the trackers, although tasks have not ended yet.
            if !isClosed {
                for job in running { #expect(!job.tracker.isFinished, "A tracker outlives its effects.") }
            }
        }

        private mutating func reduceNext() {
            if waiting.isEmpty { return }
            let next = waiting.removeFirst()
            let counts = next.reply.origin.map { machine.take($0) } ?? true
            if let expected = next.counts { #expect(counts == expected, "An action counts unless it was cancelled.") }
        }

        /// Whether the task of a job may end: unless it waits for others.
        private func mayEnd(_ job: EffectJob) -> Bool {
            guard case .gate = job.wait else { return true }
            return job.holdsSlot || job.isCancelled
        }

        private mutating func end(_ job: EffectJob) {
            running.removeAll { $0 === job }
            ended.append(job)
            _ = job.endWaiting()
            machine.end(job)
            collect()
        }

        /// Ends everything.
        mutating func finish() {
            while let job = running.first(where: mayEnd) { end(job) }
            while !waiting.isEmpty { reduceNext() }
            #expect(running.isEmpty, "Nothing waits for nothing.")
            #expect(trackers.allSatisfy { $0.isFinished }, "All requested effects end.")
            #expect(machine.registry.count == 0 && machine.registry.isEmpty(except: .none), "Nothing is left.")
            #expect(machine.registry.numberOfIdentities == 0 && machine.registry.numberOfQueues == 0)
            #expect(machine.registry.numberOfPlaces <= 1)
        }
    }

    @Test("The machine starts each operation once, ends all, and leaves nothing behind")
    func all() {
        let length = ProcessInfo.processInfo.environment["SEQUENCE_LENGTH"].flatMap(Int.init) ?? 4
        let steps = Step.allCases
        var places = Array(repeating: 0, count: length)
        var tried = 0
        search: while true {
            tried += 1
            var model = Model()
            for place in places { model.apply(steps[place]) }
            model.finish()
            var last = length - 1
            while places[last] == steps.count - 1 {
                places[last] = 0
                last -= 1
                if last < 0 { break search }
            }
            places[last] += 1
        }
        #expect(tried == Int(pow(Double(steps.count), Double(length))))
    }
}

extension EffectReply {
    /// Whether it belongs to a step of a child that had gone before the step's time.
    fileprivate var isCancelledStep: Bool {
        if case .step(let job, _) = origin?.fate { job.isCancelled } else { false }
    }
}
