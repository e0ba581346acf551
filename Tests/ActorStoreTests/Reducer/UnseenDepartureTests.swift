import ActorStore
import Testing
import TreeCollections

@Suite("What follows when a store notices that children have gone unseen", .timeLimit(.minutes(10)))
struct UnseenDepartureTests {
    /// The identity of a row; it counts how often it is compared or hashed.
    struct CountedID: Hashable, Sendable {
        let number: Int
        let uses: Guarded<Int>

        static func == (left: CountedID, right: CountedID) -> Bool {
            left.uses.withLock { $0 += 1 }
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            uses.withLock { $0 += 1 }
            hasher.combine(number)
        }
    }

    struct Row: Reducer {
        struct State: Identifiable, Sendable {
            let id: CountedID
            var meter = Meter.State()
        }

        func reduce(into state: inout State, action: Meter.Action) -> Effect<Meter.Action> {
            Meter().reduce(into: &state.meter, action: action)
        }
    }

    /// Has two tables of rows, and replaces the first one around the reducer of its rows.
    struct App<Rows: ReducibleTable<CountedID, Row.State> & Sendable>: Reducer where Rows.Members: Sendable {
        struct Tab: Sendable { var rows: Rows }
        struct State: Sendable { var first, second: Tab }
        enum Action: Sendable {
            case first(Part.Action)
            case second(Part.Action)
            case replace(Rows)
        }

        struct Part: Reducer {
            enum Action: Sendable { case row(id: CountedID, action: Meter.Action) }

            var body: some Reducer<Tab, Action> {
                EmptyReducer<Tab, Action>()
                    .forEach(\.rows, action: CasePath(Action.row), whenMissing: .ignore) { Row() }
            }
        }

        var body: some Reducer<State, Action> {
            Scope(state: \.first, action: CasePath(Action.first)) { Part() }
            Scope(state: \.second, action: CasePath(Action.second)) { Part() }
            Reduce<State, Action> { state, action in if case .replace(let rows) = action { state.first.rows = rows } }
        }
    }

    private let uses = Guarded(0)

    private func id(_ number: Int) -> CountedID { CountedID(number: number, uses: uses) }

    private func rows(_ numbers: Range<Int>) -> [Row.State] { numbers.map { Row.State(id: id($0)) } }

    /// How often identities are used while `body` runs.
    private func uses(in body: () async throws -> Void) async rethrows -> Int {
        let before = uses.withLock { $0 }
        try await body()
        return uses.withLock { $0 } - before
    }

    @Test("Actions of m children that have gone unseen are dropped in a time that is linear in m and in the work on hand")
    func waitingActions() async throws {
        func cost(_ count: Int) async throws -> Int {
            let table = TreeDictionary(uniqueKeysWithValues: rows(0..<count).map { ($0.id, $0) })
            typealias Rows = TreeDictionary<CountedID, Row.State>
            let tab = App<Rows>.Tab(rows: table)
            let store = Store(initialState: App<Rows>.State(first: tab, second: tab), reducer: App<Rows>())
            let latch = Latch()
            for number in 0..<count {
                let effect = Effect<Meter.Action>.run { _ in await latch.wait() }
                try await store.dispatch(.second(.row(id: id(number), action: .start(effect))))
            }
            let actions = (0..<count).map { number in
                App<Rows>.Action.first(.row(id: id(number), action: .start(.send(.record(1)))))
            }
            let cost = await uses {
                store.send(contentsOf: actions + [.replace([:])])
                _ = await store.state
            }
            #expect(store.statistics.lateActions == count)
            latch.open()
            await store.shutdown(drain: .finishEffects)
            #expect(store.statistics.lateActions == count)
            return cost
        }
        let (few, many) = (try await cost(50), try await cost(400))
        #expect(many < few * 16, "Identities are used \(few) times for 50 children, and \(many) times for 400.")
    }

    @Test("That the elements of an array have gone unseen is noticed in a time that is linear in their number")
    func arrays() async throws {
        func cost(_ count: Int) async throws -> Int {
            let tab = App<[Row.State]>.Tab(rows: rows(0..<count))
            let store = Store(
                initialState: App<[Row.State]>.State(first: tab, second: tab),
                reducer: App<[Row.State]>()
            )
            let (latch, goOn) = (Latch(), Signal())
            let sending = Effect<Meter.Action>.run { send in
                await goOn.wait()
                send(.record(1))
                latch.open()
            }
            for number in 0..<count {
                let effect = number == 0 ? sending : .run { _ in await latch.wait() }
                try await store.dispatch(.first(.row(id: id(number), action: .start(effect))))
            }
            try await store.dispatch(.replace(rows(count..<2 * count)))
            let cost = await uses {
                goOn.fire()
                await latch.wait()
                _ = await store.state
            }
            #expect(store.statistics.lateActions == 1)
            await store.shutdown(drain: .finishEffects)
            return cost
        }
        let (few, many) = (try await cost(50), try await cost(400))
        #expect(many < few * 16, "Identities are used \(few) times for 50 elements, and \(many) times for 400.")
    }
}
