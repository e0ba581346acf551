import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import Testing

@testable import TestFixtures

@Suite("Commands", .timeLimit(.minutes(10)))
struct CommandTests {
    @Test("An action can carry its own change of the state, dispatched or sent")
    func updaters() async throws {
        let store = CommandStore(initialState: Account())
        try await store.dispatch(Deposit(amount: 3))
        #expect(store.send(Note(text: "sent")) == .accepted)
        #expect(await store.state == Account(balance: 3, notes: ["sent"]))
        #expect(store.revision == 2)
    }

    @Test("A change can be anonymous, with a name or its source location")
    func closures() async throws {
        let names = Collector<String>()
        let store = CommandStore(
            initialState: Account(),
            interceptors: [
                Interceptor("names") { action, _, next in
                    names.append(action.name)
                    try next(action)
                }
            ]
        )
        try await store.update("deposit") { $0.balance += 3 }
        let line: UInt = #line + 1
        try await store.update { $0.balance += 1 }
        #expect(store.snapshot.balance == 4)
        #expect(names.elements == ["deposit", "update at ActorStoreCommandsTests/CommandTests.swift:\(line)"])
    }

    @Test("A store of commands loads its state, has dependencies that use it, and needs no reducer")
    func loading() async throws {
        enum Balance: DependencyKey {
            static let liveValue: @Sendable () -> Int = { -1 }
            static let testValue: @Sendable () -> Int = { -1 }
        }
        struct Look: SideEffect {
            func run(_ context: SideEffectContext<Account, Command<Account>>) async throws -> Int {
                context.dependencies[Balance.self]()
            }
        }
        let gate = AsyncStream<Void>.makeStream()
        let store = CommandStore(
            initialState: Account(),
            loading: {
                for await _ in gate.stream { break }
                return Account(balance: 40)
            },
            dependencies: { values, store in values[Balance.self] = { store.snapshot?.balance ?? -1 } }
        )
        store.send(Deposit(amount: 2))
        #expect(store.snapshot == Account())
        gate.continuation.yield()
        #expect(try await store.dispatch(Look()) == 42)
    }

    @Test("A store of commands with a default-initialisable state loads it without another one")
    func loadingByDefault() async throws {
        struct Shelf: DefaultInitializable, Equatable { var books = ["one"] }
        let store = CommandStore<Shelf>(loading: { Shelf(books: ["loaded"]) })
        try await store.update { $0.books.append("two") }
        #expect(store.snapshot.books == ["loaded", "two"])
    }

    @Test("Commands are described by their updater with its properties, or by their name")
    func descriptions() {
        #expect(ValueDescription(of: Command(Deposit(amount: 3))).line == "Deposit(amount: 3)")
        #expect(
            ValueDescription(of: BankAction.command(Command(Deposit(amount: 3)))).line == "command(Deposit(amount: 3))"
        )
        #expect(ValueDescription(of: Command<Account>("deposit") { _ in }).line == "deposit")
        #expect(Command(Deposit(amount: 3)).name == "Deposit")
        #expect(Command(Deposit(amount: 3)).updater as? Deposit == Deposit(amount: 3))
        #expect(Command<Account>("deposit") { _ in }.updater == nil)
    }

    @Test("A store of other actions accepts commands if the actions have a case for them")
    func embeddedCommands() async throws {
        let store = Store(initialState: Account(), reducer: Bank())
        try await store.dispatch(Deposit(amount: 3))
        store.send(Deposit(amount: 4))
        try await store.update("double") { $0.balance *= 2 }
        #expect(await store.state.balance == 14)
        try await store.dispatch(.close)
        #expect(store.snapshot.notes == ["closed"])
    }

    @Test("Interceptors stop commands like other actions, and observers are notified of their changes")
    func interceptors() async throws {
        let guardian = Interceptor<Account, Command<Account>>("guardian") { command, _, next in
            if let deposit = command.updater as? Deposit, deposit.amount < 0 { return }
            try next(command)
        }
        let store = CommandStore(initialState: Account(), interceptors: [guardian])
        let balances = store.values(of: \.balance, buffering: .unbounded)
        await #expect(throws: StoreError.rejected(by: "guardian")) { try await store.dispatch(Deposit(amount: -1)) }
        try await store.dispatch(Note(text: "x"))
        try await store.dispatch(Deposit(amount: 2))
        #expect(try await balances.first(2) == [0, 2])
    }

    @Test("A child accepts commands of its own state")
    func children() async throws {
        let root = Ledger.store()
        let child = root.child(initialState: Account(), reducer: Bank()) { _ in .add(1) }
        try await child.dispatch(Deposit(amount: 3))
        #expect(child.snapshot.local.balance == 3 && root.snapshot.total == 1)
    }
}
