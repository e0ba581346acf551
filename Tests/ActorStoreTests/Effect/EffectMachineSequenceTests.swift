import Foundation
import Testing

@testable import ActorStore

@Suite("All short sequences of transitions of the effects' state machine", .timeLimit(.minutes(30)))
struct EffectMachineSequenceTests {
    /// What can be asked of the machine, or can happen to it.
    enum Step: CaseIterable {
        case replace, queue, sequence, group, startChild
        case endOldest, endNewest, cancelFirst, cancelByID, endChild, cancelAll, close
    }

    /// A machine, and what a store would know of it.
    struct Model {
        var machine = EffectMachine()
        var running: [EffectJob] = []
        var started: Set<ObjectIdentifier> = []
        /// Keeps what has ended, so that no other job gets its address.
        var ended: [EffectJob] = []
        var trackers: [EffectTracker] = []
        var replies = 0

        let child = EffectPath(.element(ExactIdentity("child")))

        mutating func apply(_ step: Step) {
            switch step {
            case .replace:
                let older = running.filter { $0.id == EffectID("a") }
                begin(.run(id: "a", policy: .cancelInFlight) { _ in })
                if isClosed { break }
                #expect(older.allSatisfy { $0.isCancelled }, "An effect that is replaced is cancelled.")
            case .queue: begin(.run(id: "q", policy: .serial) { _ in })
            case .sequence: begin(.concatenate(.run(id: "a") { _ in }, .send(1), .run { _ in }))
            case .group:
                begin(.merge(.run { _ in }, .run(id: "q", policy: .serial) { _ in }).cancellable(id: "a"))
            case .startChild: begin(Effect<Int>.concatenate(.run { _ in }, .send(2)).scoped(to: child))
            case .endOldest: if let job = running.first(where: mayEnd) { end(job) }
            case .endNewest: if let job = running.last(where: mayEnd) { end(job) }
            case .cancelFirst: _ = trackers.first { !$0.isFinished }?.cancel()
            case .cancelByID:
                begin(.cancel(id: "a"))
                #expect(running.allSatisfy { $0.id != EffectID("a") || $0.isCancelled }, "Cancelled by its identity.")
            case .endChild: begin(.cancelAll(below: child))
            case .cancelAll:
                machine.cancelAll()
                #expect(running.allSatisfy { $0.isCancelled }, "All are cancelled.")
            case .close:
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
            for reply in output.replies where reply.origin.map({ machine.take($0) }) ?? true { replies += 1 }
            // Of those that are in a queue of one.
            #expect(running.count { $0.holdsSlot && !$0.hasEnded } <= 1, "A queue lets one run.")
            // A store that has ended tells the trackers, although tasks have still to come to their ends.
            if !isClosed {
                for job in running { #expect(!job.tracker.isFinished, "A tracker outlasts what it counts.") }
            }
        }

        /// Whether the task of a job may come to its end: unless it waits for others.
        private func mayEnd(_ job: EffectJob) -> Bool {
            guard case .admission = job.wait else { return true }
            return job.holdsSlot || job.isCancelled
        }

        private mutating func end(_ job: EffectJob) {
            running.removeAll { $0 === job }
            ended.append(job)
            _ = job.endWaiting()
            machine.end(job)
            collect()
        }

        /// Lets everything come to its end.
        mutating func finish() {
            while let job = running.first(where: mayEnd) { end(job) }
            #expect(running.isEmpty, "Nothing waits for nothing.")
            #expect(trackers.allSatisfy { $0.isFinished }, "All that was asked for ends.")
            #expect(machine.registry.count == 0 && machine.registry.isEmpty(except: .none), "Nothing is left.")
            #expect(machine.registry.numberOfIdentities == 0 && machine.registry.numberOfQueues == 0)
            #expect(machine.registry.numberOfPlaces <= 1)
        }
    }

    @Test("Each starts what it is asked to once, ends all, and leaves nothing")
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
