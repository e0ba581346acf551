import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import ActorStoreFoundation
import ActorStoreGroups
import ActorStoreInstruments
import ActorStoreSimulation
import ActorStoreTesting
import ActorStoreViews
import Testing
import TreeCollections

@testable import TestFixtures

private func print(_ value: Any) {}

private let temperatures = Collector<Int>()

private func show(_ temperature: Int) { temperatures.append(temperature) }

/// The listings of the first pages of the modules.
@Suite("The first pages of the modules", .timeLimit(.minutes(10)))
struct ModulePageTests {
    @Test("The page of ActorStore dispatches, sends, reads and observes")
    func core() async throws {
        let counts = Collector<Int>()
        let print: @Sendable (Int) -> Void = { counts.append($0) }
        let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }

        let program = Task {
            try await store.dispatch(1)  // Returns when it is reduced and visible to every reader.
            store.send(1)  // Returns at once.
            let now = store.snapshot  // The state between two actions.
            for await count in store.values(of: \.self) {  // The current value, then each change.
                print(count)
            }
            return now
        }
        await until { counts.elements.last == 2 }
        await store.shutdown(drain: .finishEffects)
        #expect(try await program.value >= 1)
    }

    @Test("The page of ActorStoreCommands dispatches a command")
    func commands() async throws {
        struct Deposit: StateUpdater {
            let amount: Int
            func update(_ account: inout Account) { account.balance += amount }
        }
        let store = CommandStore(initialState: Account())
        try await store.dispatch(Deposit(amount: 3))
        #expect(store.snapshot.balance == 3)
    }

    struct Details: Reducer {
        struct State: Sendable { var row: Int }
        enum Action: Sendable { case closed }
        func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
    }

    struct List: Reducer {
        struct State: Sendable { @Presented var details: Details.State? }
        enum Action: Sendable { case details(PresentationAction<Details.Action>), rowTapped(Int) }

        var body: some Reducer<State, Action> {
            Reduce { state, action in
                if case .rowTapped(let row) = action { state.details = Details.State(row: row) }
            }
            .ifPresented(\.$details, action: CasePath(Action.details)) { Details() }
        }
    }

    @Test("The page of ActorStoreComposition presents a child")
    func composition() async throws {
        let store = Store(initialState: List.State(), reducer: List())
        try await store.dispatch(.rowTapped(7))
        #expect(store.snapshot.details?.row == 7)
    }

    /// Of the page of ActorStoreFoundation. It waits for a signal to this process.
    private func serve(_ store: Store<Int, Int>) async {
        let signals = StopSignals()  // Before the store starts its work.
        for await _ in signals { break }  // Ctrl-C, or SIGTERM of a service manager.
        await store.shutdown(drain: .finishEffects)
    }

    private actor Archive {
        var accounts: [String: Int] = [:]

        func save(_ account: BankAccount, for id: String) { accounts[id] = account.balance }
        func load(_ id: String) -> BankAccount { BankAccount(id: id, balance: accounts[id] ?? 0) }
    }

    struct BankAccount: Sendable {
        let id: String
        var balance = 0
    }

    enum AccountAction: Sendable { case deposit(Int) }

    struct AccountReducer: Reducer {
        func reduce(into state: inout BankAccount, action: AccountAction) -> Effect<AccountAction> {
            if case .deposit(let amount) = action { state.balance += amount }
            return .none
        }
    }

    @Test("The page of ActorStoreGroups dispatches to a store that is created on demand")
    func groups() async throws {
        typealias Account = BankAccount
        typealias AccountID = String
        let archive = Archive()
        let accounts = StoreGroup(
            eviction: .afterIdle(.seconds(300)) { id, account in await archive.save(account, for: id) }
        ) { (id: AccountID) in
            Store(initialState: Account(id: id), loading: { await archive.load(id) }, reducer: AccountReducer())
        }
        try await accounts.dispatch(.deposit(3), to: "A7")
        #expect(await accounts.evict("A7"))
        try await accounts.dispatch(.deposit(4), to: "A7")
        #expect(accounts["A7"].snapshot.balance == 7)
        await accounts.shutdown(drain: .finishEffects)
    }

    @Test("The page of ActorStoreInstruments counts and logs")
    func instruments() async throws {
        let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let counting = CountingInstrument()
        store.use(counting)
        print(counting.counts.reductions.quantile(0.99))
    }

    @Test("The page of ActorStoreInstruments writes lines")
    func lines() async throws {
        let authorise = Interceptor<Int, Int>("authorise") { action, _, next in try next(action) }
        let (s, r) = (0, Reduce<Int, Int> { $0 += $1 })
        let store = Store(initialState: s, reducer: r, interceptors: [.logger(level: .debug), authorise])
        let shown = Store(initialState: s, reducer: r, interceptors: [.printChanges()])
        withExtendedLifetime((store, shown)) {}
    }

    struct Engine: Equatable, Sendable { var temperature = 20 }
    enum EngineAction: Sendable { case heated(Int) }

    private actor Gauge: StateConsumer {
        nonisolated func props(from state: Engine, send: Send<EngineAction>) -> Int { state.temperature }
        func update(_ temperature: Int) { show(temperature) }
    }

    @Test("The page of ActorStoreViews connects a consumer")
    func views() async throws {
        let store = Store(initialState: Engine()) { (engine: inout Engine, action: EngineAction) in
            if case .heated(let temperature) = action { engine.temperature = temperature }
        }
        let gauge = Gauge()
        store.connect(gauge)
        try await store.dispatch(.heated(90))
        await until { temperatures.elements.last == 90 }
        withExtendedLifetime(gauge) {}
    }

    struct Flight: Equatable, Sendable, Identifiable {
        let id: Int
        var delay = 0
    }

    @Test("The page of TreeCollections observes the changes of a table")
    func tables() async throws {
        struct Board { var flights: TreeDictionary<Flight.ID, Flight> = [:] }

        let store = Store(initialState: Board()) { (board: inout Board, flight: Flight) in
            board.flights[flight.id] = flight
        }
        let counts = Collector<Int>()
        @Sendable func show(_ changes: TreeDictionaryDifference<Int, Flight>) { counts.append(1) }
        let display = Task {
            for await changes in store.changes(of: \.flights) { show(changes) }
        }
        try await store.dispatch(Flight(id: 7))
        await until { !counts.elements.isEmpty }
        await store.shutdown(drain: .finishEffects)
        await display.value
    }
}
