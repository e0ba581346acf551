import ActorStoreCommands
import ActorStoreSimulation
import Testing
import TreeCollections

@testable import ActorStore
@testable import TestFixtures

@Suite("Actions of children in the mailbox", .timeLimit(.minutes(10)))
struct EffectRepliesTests {
    /// A pending action, with the result of searching all pending ones for each departed child.
    private struct Waiting {
        let origin: ReplyOrigin
        let scope: EffectScope
        var counts = true
    }

    @Test(
        "An action is accepted unless its child has gone since the request, in any order of arrivals and departures",
        arguments: UInt64(1)...400
    )
    func model(seed: UInt64) {
        var random = SimulationGenerator(seed: seed)
        var replies = EffectReplies()
        var waiting: [Waiting] = []
        var number: UInt64 = 0
        for _ in 0..<300 {
            number += 1
            switch random.number(below: 8) {
            case 0...2:
                let scope = Self.scope(&random)
                let origin = Self.origin(scope, number)
                replies.append(origin)
                waiting.append(Waiting(origin: origin, scope: scope))
            case 3...5 where !waiting.isEmpty:
                let next = waiting.removeFirst()
                let counts = replies.take(next.origin)
                #expect(counts == next.counts)
            default:
                let gone = Self.cancellation(&random)
                replies.cancel(gone, before: number)
                for index in waiting.indices where gone.covers(waiting[index].scope.path) {
                    let scope = waiting[index].scope
                    let dismisses = scope.isDismissal && scope.presentationDepth >= gone.depth
                    if scope.endsWithChild && !gone.sparesWork || dismisses { waiting[index].counts = false }
                }
            }
        }
        for next in waiting {
            let counts = replies.take(next.origin)
            #expect(counts == next.counts)
        }
        #expect(!replies.looksAtPaths)
    }

    private static func origin(_ scope: EffectScope, _ number: UInt64) -> ReplyOrigin {
        ReplyOrigin(scope, .child, number: number, tracker: nil)
    }

    private static func path(_ random: inout SimulationGenerator) -> EffectPath {
        var path = EffectPath()
        for _ in 0...random.number(below: 3) { path.steps.append(.element(ExactIdentity(random.number(below: 3)))) }
        return path
    }

    private static func scope(_ random: inout SimulationGenerator) -> EffectScope {
        var scope = EffectScope(path: path(&random))
        scope.isDetached = random.number(below: 3) == 0
        scope.isDismissal = random.number(below: 3) == 0
        scope.presentationDepth = random.number(below: scope.path.steps.count + 1)
        return scope
    }

    private static func cancellation(_ random: inout SimulationGenerator) -> EffectCancellation {
        let present = ExactIdentity(random.number(below: 3))
        let gone: EffectCancellation =
            random.number(below: 4) == 0
            ? .elements(
                below: path(&random),
                except: { $0 == present },
                version: random.number(below: 2) == 0 ? present : nil
            ) : .all(below: path(&random))
        return random.number(below: 4) == 0 ? .outlived(gone) : gone
    }

    private final class Key: Hashable, Sendable {
        static func == (left: Key, right: Key) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    @Test("A departure is forgotten after the actions that waited then have been reduced, also if others wait")
    func forgetting() {
        var replies = EffectReplies()
        var number: UInt64 = 0
        var waiting: [ReplyOrigin] = []
        func wait() {
            number += 1
            let origin = Self.origin(EffectScope(path: EffectPath(.element(ExactIdentity("always")))), number)
            replies.append(origin)
            waiting.append(origin)
        }
        wait()
        weak var key: Key?
        for _ in 0..<2 {
            do {
                let gone = Key()
                key = gone
                number += 1
                replies.cancel(.all(below: EffectPath(.element(ExactIdentity(gone)))), before: number)
            }
            #expect(key != nil)
            for _ in 0..<3 {
                wait()
                let counts = replies.take(waiting.removeFirst())
                #expect(counts)
            }
            #expect(key == nil && !waiting.isEmpty)
        }
    }

    // MARK: Costs

    @Test("Children that go one by one while actions of all of them wait take linear time")
    func machineIsLinear() async throws {
        try await expectLinear { count in
            let paths = (0..<count / 4).map { EffectPath(.element(ExactIdentity($0))) }
            return {
                var machine = EffectMachine()
                for path in paths { _ = machine.begin(Effect.send(1).scoped(to: path).operation!) }
                for path in paths { _ = machine.begin(Effect<Int>.cancelAll(below: path).operation!) }
                let counting = machine.takeReplies().filter { $0.origin.map { machine.take($0) } ?? true }
                #expect(counting.isEmpty)
            }
        }
    }

    @Test("Actions for children that are not on their stack take linear time, also while actions of others wait")
    func missingChildren() async throws {
        try await expectLinear { count in
            let paths = (0..<count / 4).map { EffectPath(.element(ExactIdentity($0))) }
            let missing = Effect<Int>.endPresentations(
                below: EffectPath(),
                except: { _ in true },
                version: ExactIdentity("the stack"),
                .endWithChild
            )
            return {
                var machine = EffectMachine()
                for path in paths { _ = machine.begin(Effect.send(1).scoped(to: path).operation!) }
                for _ in paths { _ = machine.begin(missing.operation!) }
                let counting = machine.takeReplies().filter { $0.origin.map { machine.take($0) } ?? true }
                #expect(counting.count == paths.count)
            }
        }
    }

    /// A table of running rows, each of which sends an action when it is touched.
    private enum Rows {
        typealias Row = EffectState<EffectFailure>
        typealias State = TreeDictionary<Int, Row>
        enum Action: Sendable { case row(Int, RowAction), clear, then(@Sendable () -> Void) }
        enum RowAction: Sendable { case touch, touched }

        static let row = CasePath<Action, (id: Int, action: RowAction)>(
            embed: { .row($0.id, $0.action) },
            extract: { if case .row(let id, let action) = $0 { (id, action) } else { nil } }
        )

        static func store(_ count: Int, _ effects: ChildEffects) -> Store<State, Action> {
            Store(
                initialState: TreeDictionary(uniqueKeysWithValues: (0..<count).map { ($0, .running()) }),
                reducer: Reduce<State, Action> { rows, action in
                    switch action {
                    case .row: break
                    case .clear: rows = [:]
                    case .then(let body): body()
                    }
                    return .none
                }
                .forEach(\.self, action: row, whenMissing: .ignore, effects: effects) {
                    Reduce<Row, RowAction> { _, action in
                        if case .touch = action { .send(.touched) } else { .none }
                    }
                }
            )
        }
    }

    @Test("Removing n rows of a table at once, while an action of each waits, takes linear time in n")
    func tableIsLinear() async throws {
        try await expectLinear { count in
            let count = count / 4
            let store = Rows.store(count, .endWithChild)
            return {
                store.send(contentsOf: (0..<count).map { .row($0, .touch) } + [.clear])
                #expect(await store.state.isEmpty && store.statistics.lateActions == count)
            }
        }
    }

    @Test("Removing n entries that drive effects, while n actions wait, takes linear time in n")
    func drivenEffectsAreLinear() async throws {
        try await expectLinear { count in
            let count = count / 2
            let store = Rows.store(count, .outliveChild)
            store.effect(forEach: \.self) { _, _ in .none }
            return {
                // During the reduction of the first, so that the rows go before the touched ones' actions are reduced.
                store.send(
                    .then {
                        store.send(contentsOf: (0..<count).map { .row($0, .touch) })
                        store.send(.clear)
                    }
                )
                #expect(await store.state.isEmpty && store.statistics.lateActions == 0)
            }
        }
    }
}
