import ActorStore
import ActorStoreSimulation
import Synchronization
import Testing

@testable import TestFixtures

/// Trees that grow and shrink under many senders.
@Suite("Trees under concurrency", .timeLimit(.minutes(10)))
struct TreeStressTests {
    private static let depth = 8
    private static let senders = 8
    private static let stores = 1_000
    private static let actionsPerSender = 2_000

    private final class Canary: Sendable {
        static let alive = Atomic<Int>(0)
        init() { Self.alive.add(1, ordering: .relaxed) }
        deinit { Self.alive.subtract(1, ordering: .relaxed) }
    }

    private struct Step: Sendable {
        let sender: Int
        let number: Int
    }

    /// The state of a store of the tree: the newest number of each sender, and whether one ever went backwards.
    private struct Local: Sendable {
        var count = 0
        var newest = [Int](repeating: 0, count: senders)
        var isOrdered = true
        let canary = Canary()

        mutating func take(_ step: Step) {
            count += 1
            isOrdered = isOrdered && newest[step.sender] < step.number
            newest[step.sender] = step.number
        }
    }

    /// The same type at every level, so that the tree can have any shape.
    private struct Shown: Equatable, Sendable {
        var depth = 0
        var rootCount = 0
        var count = 0
        /// Whether each store above has counted at least as much as the one below it: partly propagated states would
        /// violate this.
        var isConsistent = true
    }

    private typealias Node = Store<Shown, Step>

    private static let taking = Reduce<Local, Step> { state, step in
        state.take(step)
        return .none
    }

    /// The retained stores. Not behind a `Mutex`, which the thread sanitizer does not support.
    private typealias Pool = LockedValue<[Node]>

    private func child(of parent: Node) -> Node {
        parent.child(initialState: Local(), reducer: Self.taking).scope {
            Shown(
                depth: $0.parent.depth + 1,
                rootCount: $0.parent.rootCount,
                count: $0.local.count,
                isConsistent: $0.parent.isConsistent && $0.local.count <= $0.parent.rootCount
            )
        }
    }

    @Test(
        "Stores come and go at any depth under eight senders: actions keep one order, none lost, none doubled, no leaks"
    )
    func stress() async throws {
        let before = Canary.alive.load(ordering: .relaxed)
        try await run()
        #expect(Canary.alive.load(ordering: .relaxed) == before)
    }

    private func run() async throws {
        let root = Store(initialState: Local(), reducer: Self.taking)
        let top = root.scope { Shown(rootCount: $0.count, count: $0.count) }
        let nodes = Pool([top])
        var generator = SimulationGenerator(seed: 7)
        for _ in 0..<Self.stores {
            nodes.withLock { nodes in
                let parent = nodes.randomElement(using: &generator) ?? top
                nodes.append(child(of: parent.snapshot.depth < Self.depth ? parent : top))
            }
        }
        let violations = Collector<String>()
        let watched = nodes.withLock { Array($0.suffix(20)) }
        let observations = watched.map { node in
            let last = Mutex(0)
            return node.observe(\.self) { shown in
                if !shown.isConsistent { violations.append("inconsistent") }
                let previous = last.withLock { last in
                    defer { last = shown.rootCount }
                    return last
                }
                if shown.rootCount < previous { violations.append("backwards") }
            }
        }
        await withDiscardingTaskGroup { group in
            for sender in 0..<Self.senders {
                group.addTask { await send(as: sender, root, nodes, top, violations) }
            }
        }
        let state = await root.state
        #expect(violations.elements.isEmpty)
        #expect(state.isOrdered)
        #expect(state.newest == Array(repeating: Self.actionsPerSender, count: Self.senders))
        #expect(state.count == Self.senders * Self.actionsPerSender)
        #expect(root.revision == UInt64(state.count))
        for node in nodes.withLock({ $0 }) { #expect(node.snapshot.isConsistent) }
        withExtendedLifetime(observations) {}
    }

    private func send(
        as sender: Int,
        _ root: Store<Local, Step>,
        _ nodes: Pool,
        _ top: Node,
        _ violations: Collector<String>
    ) async {
        var generator = SimulationGenerator(seed: UInt64(sender))
        for number in 1...Self.actionsPerSender {
            let node = nodes.withLock { $0.randomElement(using: &generator) } ?? top
            let step = Step(sender: sender, number: number)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                if node.send(step) != .accepted { violations.append("refused") }
            case 5..<9:
                let before = root.snapshot.newest[sender]
                if before >= number { violations.append("early") }
                do {
                    try await node.dispatch(step)
                    if node.snapshot.count == 0 { violations.append("own write not read at the child") }
                    if root.snapshot.newest[sender] != number { violations.append("own write not read") }
                } catch {
                    violations.append("\(error)")
                }
            default:
                root.send(step)
            }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                let new = node.snapshot.depth < Self.depth ? child(of: node) : nil
                let released = nodes.withLock { nodes -> Node? in
                    if let new { nodes.append(new) }
                    guard nodes.count > Self.stores / 2 else { return nil }
                    let index = Int.random(in: 1..<nodes.count, using: &generator)
                    nodes.swapAt(index, nodes.count - 1)
                    return nodes.removeLast()
                }
                _ = released
            }
        }
    }
}
