import ActorStore
import Benchmarking
import Soaking

/// A sender, and the outcomes of its actions.
struct Producer: Sendable {
    let number: Int
    var random: SeededGenerator
    /// The accepted actions, by tree.
    var acknowledged: [Tally]
    var groupAcknowledged = 0
    /// The number of the last action that was sent to each tree.
    private var lastNumbers: [Int]
    /// The durations of dispatches in this window, in nanoseconds.
    var latencies = Histogram()
    var flaws: [String] = []

    init(_ number: Int, seed: UInt64, trees: Int) {
        self.number = number
        random = SeededGenerator(seed: seed &+ UInt64(number))
        acknowledged = Array(repeating: Tally(senders: SoakRun.senders), count: trees)
        lastNumbers = Array(repeating: 0, count: trees)
    }

    /// Sends until it is stopped.
    mutating func produce(_ run: SoakRun, watchers: Watchers) async {
        while !run.isStopped {
            for _ in 0..<64 { await act(run, watchers) }
            await Task.yield()
        }
    }

    private mutating func act(_ run: SoakRun, _ watchers: Watchers) async {
        let index = random.below(run.trees.count)
        let tree = run.trees[index]
        let node = tree.anyNode(&random)
        switch random.below(1_000) {
        case 0..<450 where tree.root.statistics.waitingActions < 10_000:
            let number = nextNumber(index)
            if node.send(.step(sender: self.number, number: number)).isAccepted { acknowledge(number, index) }
        case 450..<500 where tree.root.statistics.waitingActions < 10_000:
            let numbers = (0..<random.below(6)).map { _ in nextNumber(index) }
            let actions = numbers.map { SoakAction.step(sender: self.number, number: $0) }
            if node.send(contentsOf: actions).isAccepted { for number in numbers { acknowledge(number, index) } }
        case 900..<930:
            node.send(.start(EffectKind.allCases[random.below(EffectKind.allCases.count)], id: random.below(8)))
        case 930..<940:
            let task = try? await node.dispatch(.start(.hanging, id: random.below(8)))
            task?.cancel()
        case 940..<955: tree.grow(&random)
        case 955..<965: _ = tree.release(&random)
        case 965..<970:
            if let released = tree.release(&random) { Task { await released.shutdown(drain: .cancelEffects) } }
        case 970..<974: watchers.watch(node, tree, &random)
        case 974..<998: sendToGroup(run)
        case 998...: _ = await run.group.evict(random.below(SoakRun.groupSize))
        default: await dispatch(to: node, tree, index)
        }
    }

    private mutating func nextNumber(_ tree: Int) -> Int {
        lastNumbers[tree] += 1
        return lastNumbers[tree]
    }

    private mutating func acknowledge(_ number: Int, _ tree: Int) { acknowledged[tree].take(number, of: self.number) }

    private mutating func dispatch(to node: SoakNode, _ tree: SoakTree, _ index: Int) async {
        let number = nextNumber(index)
        let start = MonotonicClock.now
        do throws(StoreError) {
            try await node.dispatch(.step(sender: self.number, number: number))
        } catch {
            if error != .overloaded && error != .shutDown { flaws.append("A dispatch failed: \(error)") }
            return
        }
        latencies.record(MonotonicClock.now - start)
        acknowledge(number, index)
        if tree.root.snapshot.tally.entries[self.number].newest < number { flaws.append("A write was not read.") }
    }

    private mutating func sendToGroup(_ run: SoakRun) {
        if run.group.send(1, to: random.below(SoakRun.groupSize)).isAccepted { groupAcknowledged += 1 }
    }
}
