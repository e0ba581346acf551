import ActorStore
import Soaking
import Synchronization

/// Observers of all kinds, until they are cancelled.
final class Watchers: Sendable {
    private struct State {
        var tasks: [Task<Void, Never>] = []
        var observations: [StoreObservation] = []
        var flaws: [String] = []
    }

    private let state = Mutex(State())

    private static let most = 60

    /// Violations in their values.
    var flaws: [String] { state.withLock { $0.flaws } }

    private func note(_ flaw: String) { state.withLock { $0.flaws.append(flaw) } }

    /// Adds one, and cancels an old one if there are many.
    func watch(_ node: SoakNode, _ tree: SoakTree, _ random: inout SeededGenerator) {
        switch random.below(7) {
        case 0: observe(node)
        case 1: keep(read(node, .unbounded))
        case 2: keep(read(node, .bounded(16, onOverflow: .suspendStore)))
        case 3:
            let policies: [BufferingPolicy] = [
                .latest, .bounded(4), .bounded(4, onOverflow: .dropNewest), .bounded(4, onOverflow: .finish),
            ]
            keep(read(node, policies[random.below(4)], pause: .milliseconds(random.below(4))))
        case 4: keep(ignore(node, random.below(2) == 0 ? .latest : .bounded(8)))
        case 5:
            // Ends in the middle of its values.
            let task = read(node, .unbounded)
            keep(task)
            let delay = Duration.microseconds(random.below(2_000))
            keep(
                Task {
                    try? await Task.sleep(for: delay)
                    task.cancel()
                }
            )
        default: keep(readActions(tree))
        }
    }

    /// Cancels all, and waits for their ends.
    func leave() async {
        let tasks = state.withLock { state in
            defer { (state.tasks, state.observations) = ([], []) }
            for task in state.tasks { task.cancel() }
            return state.tasks
        }
        for task in tasks { await task.value }
    }

    private func keep(_ task: Task<Void, Never>) {
        let oldest = state.withLock { state in
            state.tasks.append(task)
            return state.tasks.count > Self.most ? state.tasks.removeFirst() : nil
        }
        oldest?.cancel()
    }

    private func observe(_ node: SoakNode) {
        let last = Mutex(0)
        let observation = node.observe(\.self) { [weak self] shown in
            let previous = last.withLock { last in
                defer { last = shown.rootCount }
                return last
            }
            if shown.rootCount < previous { self?.note("A closure received an older state after a newer one.") }
            if !shown.isConsistent { self?.note("A closure received an inconsistent state.") }
        }
        let oldest = state.withLock { state in
            state.observations.append(observation)
            return state.observations.count > Self.most ? state.observations.removeFirst() : nil
        }
        withExtendedLifetime(oldest) {}
    }

    private func read(_ node: SoakNode, _ policy: BufferingPolicy, pause: Duration = .zero) -> Task<Void, Never> {
        let values = node.values(of: \.self, buffering: policy)
        return Task { [weak self] in
            var last = 0
            for await shown in values {
                if shown.rootCount < last { self?.note("An observer was given an older state after a newer one.") }
                if !shown.isConsistent { self?.note("An observer was given half a state.") }
                last = shown.rootCount
                if pause > .zero { try? await Task.sleep(for: pause) }
            }
        }
    }

    /// Begins to observe, and never takes a value.
    private func ignore(_ node: SoakNode, _ policy: BufferingPolicy) -> Task<Void, Never> {
        let values = node.values(of: \.count, buffering: policy)
        return Task {
            let iterator = values.makeAsyncIterator()
            await untilCancelled()
            withExtendedLifetime(iterator) {}
        }
    }

    private func readActions(_ tree: SoakTree) -> Task<Void, Never> {
        let actions = tree.root.actions
        return Task { [weak self] in
            var newest = Array(repeating: 0, count: SoakRun.senders)
            for await (action, state) in actions {
                guard case .step(let sender, let number) = action else { continue }
                if number <= newest[sender] { self?.note("Actions came out of order.") }
                if state.tally.entries[sender].newest != number {
                    self?.note("An action came with another one's state.")
                }
                newest[sender] = number
            }
        }
    }
}
