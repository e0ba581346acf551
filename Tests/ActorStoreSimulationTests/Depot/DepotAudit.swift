import ActorStore
import ActorStoreSimulation

/// The final conditions: the guarantees of a store, by their numbers.
struct DepotAudit {
    let system: DepotSystem
    let observers: DepotObservers
    let senders: [DepotSender]
    let final: Depot.State
    let revision: UInt64

    func check() throws {
        try checkTotalOrder()
        try checkOrderPerSender()
        try checkObservers()
        try checkAtomicTrees()
        try checkOrderWithinTurns()
        try checkEffects()
    }

    /// 1: actions are reduced one at a time, each on the previous state; the revision counts them.
    private func checkTotalOrder() throws {
        var state = Depot.State()
        var count: UInt64 = 0
        for step in observers.transitions.elements {
            count += 1
            try Depot.require(step.old == state, "An action was reduced on another state than the one before left.")
            try Depot.require(step.revision >= count, "Action \(count) has the revision \(step.revision).")
            state = step.new
        }
        try Depot.require(state == final, "The last transition does not lead to the final state.")
        try Depot.require(count == revision, "The store counted \(revision) actions, not \(count).")
    }

    /// 1, 2 and 3: one order explains all responses; each sender's entries are there once, in order.
    private func checkOrderPerSender() throws {
        try system.history.check(initialState: []) { entries, new in entries += new }
        for sender in senders {
            let entries = final.entries.filter { $0.sender == sender.number }
            try Depot.require(entries == sender.accepted, "Sender \(sender.number) entered other things: \(entries)")
        }
        let count = senders.reduce(0) { $0 + $1.accepted.count }
        try Depot.require(final.entries.count == count, "There are \(final.entries.count) entries, not \(count).")
    }

    /// 4: each observer received existing states, in order, none twice, the last one in the end; 5: observers of other
    /// parts received nothing.
    private func checkObservers() throws {
        var entries: [Depot.Entry] = []
        var turns: [[Depot.Entry]] = [[]]
        for entry in final.entries {
            entries.append(entry)
            if entry.endsTurn { turns.append(entries) }
        }
        let path = ObservedPath(turns)
        for sequence in observers.sequences {
            try path.check(sequence.told.elements, isGapless: sequence.isGapless)
        }
        for closure in observers.closures { try path.check(closure.told.elements, isGapless: true) }
        try Depot.require(observers.untouched.elements == [0], "An observer of something else was woken.")
    }

    /// 6: no reader saw the root and a child apart, and actions sent elsewhere did not reach a child.
    private func checkAtomicTrees() throws {
        for pair in observers.pairs.elements {
            let shelf = pair.local.entries.first?.shelf
            guard let shelf else { continue }
            let same = pair.parent.entries.filter { $0.shelf == shelf }
            try Depot.require(pair.local.entries == same, "A shelf has \(pair.local.entries), the office \(same).")
        }
    }

    /// 7: interceptors, then the child's reducer, then the root's, then observers, and never nested turns.
    private func checkOrderWithinTurns() throws {
        var last: Depot.Log.Event?
        var entered = 0
        for event in system.log.events.elements {
            switch event {
            case .intercepted: break
            case .reduced(let action, let reducer):
                let isChild = reducer == "shelf"
                let before: [Depot.Log.Event] =
                    isChild ? [.intercepted(action)] : [.intercepted(action), .reduced(action, by: "shelf")]
                try Depot.require(last.map { before.contains($0) } ?? false, "\(event) came after \(last as Any).")
                if case .enter = action, !isChild { entered += 1 }
            case .told(let count):
                try Depot.require(count == entered, "An observer received \(count) entries after \(entered).")
            }
            last = event
        }
    }

    /// 8 and 11: each delivery has one outcome, unless it was cancelled or superseded; then it has no later one.
    private func checkEffects() throws {
        struct Key: Hashable { let item: Int, shelf: Int? }
        var current: [Key: Depot.Delivery] = [:]
        for step in observers.transitions.elements {
            switch step.action {
            case .deliver(let delivery):
                current[Key(item: delivery.item, shelf: delivery.shelf)] = delivery
            case .cancel(let item, let shelf):
                current[Key(item: item, shelf: shelf)] = nil
            case .delivered(let delivery), .failed(let delivery):
                let key = Key(item: delivery.item, shelf: delivery.shelf)
                try Depot.require(
                    current[key] == delivery,
                    "An outcome of a cancelled delivery was reduced: \(step.action)"
                )
                let isFailure = step.action == .failed(delivery)
                try Depot.require(isFailure == (delivery.failures > 2), "The outcome is wrong: \(step.action)")
                current[key] = nil
            case .enter: break
            }
        }
        try Depot.require(current.isEmpty, "Deliveries have no outcome: \(current.values)")
        try Depot.require(system.log.running.elements.reduce(0, +) == 0, "An effect is still running.")
        try Depot.require(observers.failures.elements.isEmpty, "Errors: \(observers.failures.elements)")
    }
}
