import ActorStore
import Soaking
import Synchronization

/// The actions of a soak.
enum SoakAction: Sendable {
    /// A sender's next, counted action.
    case step(sender: Int, number: Int)
    /// An effect begins.
    case start(EffectKind, id: Int)
    /// An action sent by an effect.
    case echo
}

/// The state of the root of a tree.
struct RootState: Sendable {
    var tally = Tally(senders: SoakRun.senders)
    var echoes = 0
}

/// The observable part of a store of a tree, of the same type at every level.
struct Shown: Equatable, Sendable {
    var depth = 0
    var rootCount = 0
    var count = 0
    /// Whether each store has counted at least as much as the one below it.
    var isConsistent = true
}

typealias SoakNode = Store<Shown, SoakAction>

/// A tree of stores: a root that lasts as long as the soak, and children that come and go.
final class SoakTree: Sendable {
    let root: Store<RootState, SoakAction>
    let top: SoakNode
    /// Whether accepted actions may be displaced.
    let mayLose: Bool
    /// The number of effects' actions that were accepted.
    let echoes = EchoCounter()
    private let nodes: Mutex<[SoakNode]>

    private static let deepest = 6
    private static let largest = 300

    init(name: String, mailbox: MailboxCapacity, mayLose: Bool = false) {
        self.mayLose = mayLose
        let echoes = echoes
        let reducer = Reduce<RootState, SoakAction> { state, action in
            switch action {
            case .step(let sender, let number): state.tally.take(number, of: sender)
            case .echo: state.echoes += 1
            case .start(let kind, let id): return kind.effect(id: id, echoes)
            }
            return .none
        }
        let configuration = StoreConfiguration(name: name, mailbox: mailbox)
        root = Store(initialState: RootState(), reducer: reducer, configuration: configuration)
        top = root.scope { Shown(rootCount: $0.tally.count, count: $0.tally.count) }
        nodes = Mutex([top])
    }

    /// The number of observers for the whole soak.
    var lastingObservers: Int { observersAtFirst.load(ordering: .relaxed) }

    private let observersAtFirst = Atomic<Int>(0)

    /// Observes errors, so that they are not reported: failing effects are part of the soak.
    func watchErrors() async {
        let errors = root.errors
        Task { for await _ in errors {} }
        while root.statistics.observers == 0 { try? await Task.sleep(for: .milliseconds(1)) }
        observersAtFirst.store(root.statistics.observers, ordering: .relaxed)
    }

    /// A present store; it can go at any moment.
    func anyNode(_ random: inout SeededGenerator) -> SoakNode {
        let number = Int(truncatingIfNeeded: random.next() >> 1)
        return nodes.withLock { $0[number % $0.count] }
    }

    /// Creates a child of any store.
    func grow(_ random: inout SeededGenerator) {
        let parent = anyNode(&random)
        let echoes = echoes
        let reducer = Reduce<Int, SoakAction> { count, action in
            switch action {
            case .step: count += 1
            case .echo: break
            case .start(let kind, let id): return kind.effect(id: id, echoes)
            }
            return .none
        }
        let child = (parent.snapshot.depth < Self.deepest ? parent : top).child(initialState: 0, reducer: reducer) {
            if case .start = $0 { nil } else { $0 }
        }.scope {
            Shown(
                depth: $0.parent.depth + 1,
                rootCount: $0.parent.rootCount,
                count: $0.local,
                isConsistent: $0.parent.isConsistent && $0.local <= $0.parent.rootCount
            )
        }
        let released = nodes.withLock { nodes in
            nodes.append(child)
            return nodes.count > Self.largest ? nodes.remove(at: 1) : nil
        }
        withExtendedLifetime(released) {}
    }

    /// Releases a child.
    func release(_ random: inout SeededGenerator) -> SoakNode? {
        let number = Int(truncatingIfNeeded: random.next() >> 1)
        return nodes.withLock { nodes in nodes.count > 1 ? nodes.remove(at: 1 + number % (nodes.count - 1)) : nil }
    }

    /// Releases all children.
    func releaseAll() {
        let released = nodes.withLock { nodes in
            defer { nodes = [top] }
            return nodes
        }
        withExtendedLifetime(released) {}
    }
}

/// Counts the actions sent by effects.
final class EchoCounter: Sendable {
    private let sent = Atomic<Int>(0)

    var count: Int { sent.load(ordering: .relaxed) }

    /// Sends, and counts before that, so that no store has ever seen more than are counted.
    func send(_ send: Send<SoakAction>) {
        sent.add(1, ordering: .relaxed)
        _ = send(.echo)
    }

    /// Counts an action that the store sends by itself.
    func note() { sent.add(1, ordering: .relaxed) }
}
