import ActorStore
import ActorStoreComposition
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("Consequences of unseen departures of children", .timeLimit(.minutes(10)))
struct UnseenDepartureTests {
    /// The identity of a row; it counts its comparisons and hashes.
    struct CountedID: Hashable, Sendable {
        let number: Int
        let uses: LockedValue<Int>

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

    private let uses = LockedValue(0)

    private func id(_ number: Int) -> CountedID { CountedID(number: number, uses: uses) }

    private func rows(_ numbers: Range<Int>) -> [Row.State] { numbers.map { Row.State(id: id($0)) } }

    /// The uses of identities while `body` runs.
    private func uses(in body: () async throws -> Void) async rethrows -> Int {
        let before = uses.withLock { $0 }
        try await body()
        return uses.withLock { $0 } - before
    }

    @Test("Actions of m unseen departed children are dropped in time linear in m and in the pending operations")
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

    @Test("Unseen departures of array elements are detected in time linear in their number")
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

    // MARK: Successors

    typealias Tabs = ReplacedChildrenTests.App

    private func makeTabs() -> Store<Tabs.State, Tabs.Action> { Store(initialState: Tabs.State(), reducer: Tabs()) }

    /// Replaces all children, and has that detected by an effect of one of them.
    private func replaceAndNotice(
        _ child: ReplacedChildrenTests.Tab.Child,
        in store: Store<Tabs.State, Tabs.Action>,
        _ change: @escaping @Sendable (inout Tabs.State) -> Void = { $0.tab = .another }
    ) async throws {
        let held = HeldEffect()
        try await store.dispatch(.tab(child.action(.start(held.effect()))))
        await held.waitUntilBegun()
        try await store.dispatch(.change(change))
        await held.finish()
        _ = await store.state
        #expect(store.statistics.lateActions == 1)
    }

    @Test(
        "The successor of a departed child has its own intervals, also if another departure was detected",
        arguments: ReplacedChildrenTests.Tab.Child.allCases
    )
    func intervals(noticed: ReplacedChildrenTests.Tab.Child) async throws {
        let store = makeTabs()
        let clock = ManualClock()
        func ask(_ amount: Int) async throws {
            let effect = Effect<Meter.Action>.send(.record(amount)).throttle(id: "t", for: .seconds(10), clock: clock)
            try await store.dispatch(.tab(.tenant(.start(effect))))
        }
        try await ask(1)
        #expect(await store.state.tab.tenant?.reading == 1)
        try await replaceAndNotice(noticed, in: store)
        try await ask(10)
        #expect(await store.state.tab.tenant?.reading == 10)
        await store.shutdown(drain: .cancelEffects)
    }

    @Test("The successor of a departed child does not wait in the queue of its predecessor")
    func queues() async throws {
        let store = makeTabs()
        let latch = Latch()
        let first = Effect<Meter.Action>.run(id: "q", policy: .serial) { _ in await latch.wait() }
        try await store.dispatch(.tab(.tenant(.start(first))))
        try await replaceAndNotice(.tenant, in: store)
        let next = Effect<Meter.Action>.send(.record(1)).cancellable(id: "q", policy: .serial)
        try await store.dispatch(.tab(.tenant(.start(next))))
        #expect(await store.state.tab.tenant?.reading == 1)
        latch.open()
        await store.shutdown(drain: .finishEffects)
    }

    @Test("Effects that a child requests before its predecessor's departure is detected stay its own")
    func beforeTheNotice() async throws {
        let store = makeTabs()
        let (held, work) = (HeldEffect(), HeldEffect())
        try await store.dispatch(.tab(.tenant(.start(held.effect()))))
        await held.waitUntilBegun()
        try await store.dispatch(.logout)
        let clock = ManualClock()
        let throttled = Effect<Meter.Action>.send(.record(1)).throttle(id: "t", for: .seconds(10), clock: clock)
        try await store.dispatch(.tab(.tenant(.start(.merge(work.effect(id: "w"), throttled)))))
        await work.waitUntilBegun()
        await held.finish()
        _ = await store.state
        #expect(store.statistics.lateActions == 1)
        try await store.dispatch(.tab(.tenant(.start(throttled))))
        #expect(await store.state.tab.tenant?.reading == 1)
        try await store.dispatch(.tab(.tenant(.start(.cancel(id: "w")))))
        await work.finish()
        #expect(work.wasCancelled.elements == [true])
        await store.shutdown(drain: .cancelEffects)
    }

    @Test("An interval that a child begins before its predecessor's departure is detected stays its own")
    func intervalBeforeTheNotice() async throws {
        let store = makeTabs()
        let clock = ManualClock()
        let held = HeldEffect()
        try await store.dispatch(.tab(.tenant(.start(held.effect()))))
        await held.waitUntilBegun()
        try await store.dispatch(.logout)
        let throttled = Effect<Meter.Action>.send(.record(1)).throttle(id: "t", for: .seconds(10), clock: clock)
        try await store.dispatch(.tab(.tenant(.start(throttled))))
        #expect(await store.state.tab.tenant?.reading == 1)
        await held.finish()
        _ = await store.state
        #expect(store.statistics.lateActions == 1)
        try await store.dispatch(.tab(.tenant(.start(throttled))))
        #expect(await store.state.tab.tenant?.reading == 1)
        await store.shutdown(drain: .cancelEffects)
    }

    @Test("A present child keeps its intervals and queues when the departure of another is detected")
    func others() async throws {
        let store = makeTabs()
        let clock = ManualClock()
        let latch = Latch()
        let throttled = Effect<Meter.Action>.send(.record(1)).throttle(id: "t", for: .seconds(10), clock: clock)
        let first = Effect<Meter.Action>.run(id: "q", policy: .serial) { _ in await latch.wait() }
        try await store.dispatch(.tab(.row(id: 1, action: .start(.merge(throttled, first)))))
        try await replaceAndNotice(.tenant, in: store) { $0.tab.tenant = NumberedMeter.State(id: 2) }
        let next = Effect<Meter.Action>.send(.record(10)).cancellable(id: "q", policy: .serial)
        try await store.dispatch(.tab(.row(id: 1, action: .start(.merge(throttled, next)))))
        #expect(await store.state.tab.rows[1]?.reading == 1)
        latch.open()
        await store.shutdown(drain: .cancelEffects)
    }

    /// Has a stack whose children's actions are like those of a table's entries.
    struct Pages: Reducer {
        enum Action: Sendable {
            case page(id: StackElementID, action: Meter.Action)
            case change(@Sendable (inout StackState<Meter.State>) -> Void)
        }

        var body: some Reducer<StackState<Meter.State>, Action> {
            Reduce<StackState<Meter.State>, Action> { pages, action in
                if case .change(let change) = action { change(&pages) }
            }
            .forEach(\.self, action: CasePath(Action.page), whenMissing: .ignore) { Meter() }
        }
    }

    @Test(
        "An effect of a stack's child does not act on another of its identity, also if composed as a table entry",
        arguments: [false, true]
    )
    func stackAsTable(isUnseen: Bool) async throws {
        let store = Store(initialState: [Meter.State()], reducer: Pages())
        let held = HeldEffect()
        let id = StackElementID(number: 0)
        try await store.dispatch(.page(id: id, action: .start(.merge(held.effect(), .send(.record(1))))))
        #expect(await store.state.map(\.reading) == [1])
        await held.waitUntilBegun()
        let replacement = Pages.Action.change { $0 = [Meter.State(reading: 100)] }
        if isUnseen {
            let around = Reduce<StackState<Meter.State>, Pages.Action> { pages, action in
                if case .change(let change) = action { change(&pages) }
            }
            store.attach(reducer: around, forKey: "around")
        }
        try await store.dispatch(replacement)
        await held.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot.map(\.reading) == [100] && store.statistics.lateActions == 1)
    }

    /// A custom table type.
    struct OwnRows: ReducibleTable, Sendable {
        var rows: [CountedID: Row.State]

        mutating func modifyEntry<Result>(_ id: CountedID, _ body: (inout Row.State) -> Result) -> Result? {
            rows.modifyEntry(id, body)
        }

        var entryVersion: [CountedID: Row.State] { rows }

        func removals(since version: [CountedID: Row.State]) -> RemovedEntries<CountedID, Set<CountedID>> {
            rows.removals(since: version)
        }
    }

    @Test("Departed entries of custom table types are not detected, and their effects continue")
    func ownTable() async throws {
        func store<Rows>(_ rows: Rows) -> Store<App<Rows>.State, App<Rows>.Action> {
            let tab = App<Rows>.Tab(rows: rows)
            return Store(initialState: App<Rows>.State(first: tab, second: tab), reducer: App<Rows>())
        }
        func lateActions<Rows>(
            in store: Store<App<Rows>.State, App<Rows>.Action>,
            replacing rows: Rows
        ) async throws -> Int {
            let held = HeldEffect()
            try await store.dispatch(.first(.row(id: id(1), action: .start(held.effect()))))
            await held.waitUntilBegun()
            try await store.dispatch(.replace(rows))
            await held.finish()
            _ = await store.state
            return store.statistics.lateActions
        }
        let rows = Dictionary(uniqueKeysWithValues: rows(0..<3).map { ($0.id, $0) })
        #expect(try await lateActions(in: store(rows), replacing: [:]) == 1)
        #expect(try await lateActions(in: store(OwnRows(rows: rows)), replacing: OwnRows(rows: [:])) == 0)
    }
}
