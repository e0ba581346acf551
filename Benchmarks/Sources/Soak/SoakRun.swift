import ActorStore
import ActorStoreGroups
import Benchmarking
import Foundation
import Soaking
import Synchronization

/// A soak: windows of random operations, each with a quiescent point at its end at which everything is counted.
final class SoakRun: Sendable {
    static let senders = 8
    static let groupSize = 64
    /// The time within which everything must be quiescent.
    private static let patience = Duration.seconds(10)

    let trees = [
        SoakTree(name: "unbounded", mailbox: .unbounded),
        SoakTree(name: "suspending", mailbox: .bounded(64, whenFull: .suspend)),
        SoakTree(name: "rejecting", mailbox: .bounded(64, whenFull: .reject)),
        SoakTree(name: "dropping", mailbox: .bounded(64, whenFull: .dropOldest), mayLose: true),
    ]
    let group: StoreGroup<Int, Int, Int>
    private let kept: KeptCounts
    private let stop = Atomic<Bool>(false)
    private let interruption = Atomic<Bool>(false)

    var isStopped: Bool { stop.load(ordering: .relaxed) }
    private var isInterrupted: Bool { interruption.load(ordering: .relaxed) }

    init() {
        let kept = KeptCounts()
        self.kept = kept
        group = StoreGroup(eviction: .never { kept[$0] = $1 }) { id in
            kept[id]
        } reduce: { count, step in
            count += step
        }
    }

    /// Ends at the next quiescent point, which is reached at once.
    func interrupt() { interruption.store(true, ordering: .relaxed) }

    /// Runs the soak.
    ///
    /// - Parameters:
    ///   - arguments: The duration, and the length of the windows.
    ///   - seed: The seed of the random operations.
    /// - Returns: The violations; empty without any.
    func run(_ arguments: SoakArguments, seed: UInt64) async -> [String] {
        for tree in trees { await tree.watchErrors() }
        let countsMemory = AllocationCounter.beginCounting()
        var producers = (0..<Self.senders).map { Producer($0, seed: seed, trees: trees.count) }
        var blocks = GrowthCheck.blocks
        var resident = GrowthCheck.residentMemory
        var summary = SoakSummary()
        let clock = ContinuousClock()
        let end = clock.now + .seconds(arguments.minutes * 60)
        var flaws: [String] = []
        while flaws.isEmpty, clock.now < end, !isInterrupted {
            let start = clock.now
            let watchers = Watchers()
            stop.store(false, ordering: .relaxed)
            async let peak = watchPeak(until: min(end, start + arguments.windowLength))
            producers = await produce(producers, watchers)
            summary.peak = await peak
            let produced = clock.now
            await watchers.leave()
            flaws += await comeToRest()
            flaws += watchers.flaws + producers.flatMap(\.flaws) + flawsInCounts(producers)
            let actions = trees.reduce(0) { $0 + Int($1.root.statistics.reducedActions) }
            summary.add(actions: actions, in: produced - start, rest: clock.now - produced, producers.map(\.latencies))
            for index in producers.indices { producers[index].latencies = Histogram() }
            if countsMemory {
                blocks.add(GrowthCheck.Point(actions: actions, amount: AllocationCounter.counts.liveBlocks))
            }
            if let bytes = ResidentMemory.current {
                resident.add(GrowthCheck.Point(actions: actions, amount: bytes / 1_024))
            }
            Soak.say(summary.line(blocks.points.last?.amount))
        }
        // An interrupted soak, or one with violations, does not judge memory.
        if flaws.isEmpty, !isInterrupted {
            if countsMemory, let flaw = blocks.flaw { flaws.append(flaw) }
            if ResidentMemory.current != nil, let flaw = resident.flaw { flaws.append(flaw) }
        }
        Soak.say(summary.text(blocks, resident))
        return flaws
    }

    private func produce(_ producers: [Producer], _ watchers: Watchers) async -> [Producer] {
        await withTaskGroup(of: Producer.self) { group in
            for producer in producers {
                group.addTask { [self] in
                    var producer = producer
                    await producer.produce(self, watchers: watchers)
                    return producer
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.number < $1.number }
        }
    }

    /// Stops the producers in time.
    ///
    /// - Returns: The maximum numbers of effects and observers.
    private func watchPeak(until end: ContinuousClock.Instant) async -> SoakSummary.Peak {
        var peak = SoakSummary.Peak()
        while ContinuousClock.now < end, !isInterrupted {
            try? await Task.sleep(for: .milliseconds(50))
            let statistics = trees.map(\.root.statistics)
            peak.effects = max(peak.effects, statistics.reduce(0) { $0 + $1.runningEffects })
            peak.observers = max(peak.observers, statistics.reduce(0) { $0 + $1.observers })
        }
        stop.store(true, ordering: .relaxed)
        return peak
    }

    /// Ends everything that would continue, and waits until nothing runs.
    private func comeToRest() async -> [String] {
        let deadline = ContinuousClock.now + Self.patience
        for tree in trees { tree.releaseAll() }
        while true {
            for tree in trees { await tree.root.cancelAllEffects() }
            let unquiet = trees.filter { tree in
                let statistics = tree.root.statistics
                return statistics.runningEffects + statistics.waitingActions + statistics.suspendedDispatches > 0
                    || statistics.observers > tree.lastingObservers
            }
            if unquiet.isEmpty { break }
            if ContinuousClock.now > deadline {
                return unquiet.map { "The tree \($0.root.name) does not come to rest: \($0.root.statistics)" }
            }
            try? await Task.sleep(for: .milliseconds(5))
        }
        // Tasks release their captures a moment after their end was recorded.
        try? await Task.sleep(for: .milliseconds(200))
        return []
    }

    private func flawsInCounts(_ producers: [Producer]) -> [String] {
        var flaws: [String] = []
        for (index, tree) in trees.enumerated() {
            var acknowledged = Tally(senders: Self.senders)
            for producer in producers { acknowledged.add(producer.acknowledged[index]) }
            let state = tree.root.snapshot
            let flaw = state.tally.flaw(against: acknowledged, mayLose: tree.mayLose)
            if let flaw { flaws.append("In the tree \(tree.root.name): \(flaw)") }
            if state.echoes > tree.echoes.count { flaws.append("An effect's action was reduced twice.") }
            let missing = acknowledged.count - state.tally.count
            if tree.mayLose && missing > tree.root.statistics.droppedActions {
                flaws.append("More actions are missing than were dropped in the tree \(tree.root.name).")
            }
        }
        let counted = (0..<Self.groupSize).reduce(0) { $0 + (group.existing($1)?.snapshot ?? kept[$1]) }
        let sent = producers.reduce(0) { $0 + $1.groupAcknowledged }
        if counted != sent { flaws.append("A group of stores counted \(counted) of \(sent) actions.") }
        return flaws
    }
}

/// The counts of evicted stores of a group.
private final class KeptCounts: Sendable {
    private let counts = Mutex<[Int: Int]>([:])

    subscript(id: Int) -> Int {
        get { counts.withLock { $0[id, default: 0] } }
        set { counts.withLock { $0[id] = newValue } }
    }
}
