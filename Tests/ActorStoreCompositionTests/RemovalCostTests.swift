import ActorStore
import ActorStoreComposition
import Testing

@testable import TestFixtures
@testable import TreeCollections

@Suite("The cost of removing entries of a table one by one", .timeLimit(.minutes(10)))
struct RemovalCostTests {
    typealias Row = UnseenDepartureTests.Row
    typealias CountedID = UnseenDepartureTests.CountedID

    private let uses = LockedValue(0)

    private func rows(_ count: Int) -> KeyedArray<Row.State> {
        KeyedArray((0..<count).map { Row.State(id: CountedID(number: $0, uses: uses)) })
    }

    /// Has a table of rows.
    struct Rows: Reducer {
        enum Action: Sendable {
            case row(id: CountedID, action: Meter.Action)
            case change(@Sendable (inout KeyedArray<Row.State>) -> Void)
        }

        var body: some Reducer<KeyedArray<Row.State>, Action> {
            Reduce<KeyedArray<Row.State>, Action> { rows, action in
                if case .change(let change) = action { change(&rows) }
            }
            .forEach(\.self, action: CasePath(Action.row), whenMissing: .ignore) { Row() }
        }
    }

    /// Has a stack of children that are counted while they are retained.
    struct Members: Reducer {
        typealias State = StackState<Census.Member>
        enum Action: Sendable {
            case stack(StackAction<Census.Member, Int>)
            case change(@Sendable (inout State) -> Void)
        }

        var body: some Reducer<State, Action> {
            Reduce<State, Action> { stack, action in if case .change(let change) = action { change(&stack) } }
                .forEach(\.self, action: CasePath(Action.stack)) { EmptyReducer() }
        }
    }

    @Test("The effects of a batch that pops children retain none of them, and do not make the stack copy")
    func stack() {
        let ways: [@Sendable (inout Members.State) -> Void] = [
            { $0.pop() },
            { stack in if let top = stack.topID { stack.pop(from: top) } },
            { stack in if stack.count > 1 { stack.pop(to: stack.ids[stack.count - 2]) } else { stack.removeAll() } },
            { stack in if let bottom = stack.ids.first { stack.remove(id: bottom) } },
            { stack in if let top = stack.topID { stack[id: top] = nil } },
            { stack in for _ in 0..<3 { stack.pop() } },
        ]
        for (number, way) in ways.enumerated() {
            let census = Census()
            let reducer = Members().prepared()
            var stack = StackState((0..<100).map { _ in census.member() })
            // A batch retains them until its end.
            var effects: [Effect<Members.Action>] = []
            while !stack.isEmpty { effects.append(reducer.reduce(into: &stack, action: .change(way))) }
            #expect(census.living == 0, "Way \(number)")
            #expect(effects.allSatisfy { !$0.isNone }, "Way \(number)")
        }
    }

    @Test("The effects of a batch that removes elements of a KeyedArray do not make it copy its index")
    func keyedArray() {
        let reducer = Rows().prepared()
        var rows = rows(100)
        let index = rows.index.map(ObjectIdentifier.init)
        var effects: [Effect<Rows.Action>] = []
        while !rows.isEmpty {
            effects.append(
                reducer.reduce(
                    into: &rows,
                    action: .change { rows in
                        rows.remove(at: rows.count / 2)
                        if !rows.isEmpty { rows.remove(at: 0) }
                        _ = rows.popLast()
                    }
                )
            )
        }
        #expect(rows.index.map(ObjectIdentifier.init) == index)
    }

    @Test("Removing one of n elements of a KeyedArray with effects visits no other element")
    func effectsOfOthers() async throws {
        func cost(_ count: Int) async throws -> Int {
            let store = Store(initialState: rows(count), reducer: Rows())
            let latch = Latch()
            for id in store.snapshot.map(\.id) {
                let effect = Effect<Meter.Action>.run { _ in await latch.wait() }
                try await store.dispatch(.row(id: id, action: .start(effect)))
            }
            // The first one copies the index, of which the snapshot above has retained a copy.
            try await store.dispatch(.change { _ = $0.popLast() })
            let before = uses.withLock { $0 }
            try await store.dispatch(.change { _ = $0.popLast() })
            let cost = uses.withLock { $0 } - before
            latch.open()
            await store.shutdown(drain: .finishEffects)
            return cost
        }
        let (few, many) = (try await cost(50), try await cost(400))
        #expect(many < few * 2, "Identities are used \(few) times for 50 elements, and \(many) times for 400.")
    }

    @Test("A KeyedArray records its removed elements while they are few and it is not copied")
    func removedIDs() {
        var rows = rows(80)
        func removed(since lineage: KeyedArray<Row.State>.Lineage) -> [Int]? {
            rows.removedIDs(since: lineage).map { $0.map(\.number) }
        }
        let start = rows.lineage
        #expect(removed(since: start) == [])
        rows.remove(at: 3)
        let later = rows.lineage
        rows.remove(at: 0)
        rows.append(Row.State(id: CountedID(number: 3, uses: uses)))
        #expect(removed(since: start) == [0] && removed(since: later) == [0])
        for _ in 0..<2 {
            rows.append(Row.State(id: CountedID(number: 99, uses: uses)))
            rows.remove(at: rows.count - 1)
        }
        // One that came and went counts once.
        #expect(removed(since: start) == [0, 99])
        let copy = rows
        _ = rows.popLast()
        #expect(removed(since: start) == nil && removed(since: copy.lineage) == nil)
        #expect(copy.removedIDs(since: start)?.count == 2)
        let last = rows.lineage
        for _ in 0..<16 { _ = rows.popLast() }
        #expect(removed(since: last)?.count == 16)
        for _ in 0..<16 { _ = rows.popLast() }
        #expect(removed(since: last) == nil)
    }

    @Test("Effects of a child are cancelled by any kind of removal, and no others")
    func effects() async throws {
        typealias Pages = UnseenDepartureTests.Pages
        let older = StackState((0..<4).map { Meter.State(reading: $0) })
        let ways: [(change: @Sendable (inout StackState<Meter.State>) -> Void, left: [Int])] = [
            ({ $0.pop() }, [0, 1, 2]),
            ({ stack in for _ in 0..<3 { stack.pop() } }, [0]),
            ({ $0.remove(id: $0.ids[1]) }, [0, 2, 3]),
            ({ stack in for _ in 0..<40 { stack.pop(from: stack.push(Meter.State())) } }, [0, 1, 2, 3]),
            (
                { stack in
                    for _ in 0..<20 { stack.pop(from: stack.push(Meter.State())) }
                    stack.pop()
                }, [0, 1, 2]
            ),
            (
                { stack in
                    let copy = stack
                    stack.pop()
                    stack = copy
                    stack.remove(id: stack.ids[0])
                }, [1, 2, 3]
            ),
            (
                { stack in
                    for _ in 0..<100 { stack.push(Meter.State()) }
                    stack.pop(from: stack.ids[2])
                }, [0, 1]
            ),
            (
                { stack in
                    stack = older
                    stack.pop()
                }, [0, 1, 2]
            ),
        ]
        for (number, way) in ways.enumerated() {
            let store = Store(initialState: older, reducer: Pages())
            let held = older.ids.map { _ in HeldEffect() }
            for (id, held) in zip(older.ids, held) {
                try await store.dispatch(.page(id: id, action: .start(held.effect())))
                await held.waitUntilBegun()
            }
            try await store.dispatch(.change(way.change))
            for held in held { await held.finish() }
            await store.shutdown(drain: .finishEffects)
            let goOn = held.indices.filter { held[$0].wasCancelled.elements == [false] }
            #expect(goOn == way.left, "Way \(number)")
        }
    }
}
