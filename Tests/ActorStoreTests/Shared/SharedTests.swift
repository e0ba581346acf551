import ActorStore
import Testing

@Suite("Shared values that outlive the program", .timeLimit(.minutes(2)))
struct SharedTests {
    struct Broken: Error {}

    /// Saves when the test lets it, and remembers what it was given.
    final class PatientPersistence: PersistenceStrategy {
        let saves = Collector<Int>()
        private let permits = AsyncStream.makeStream(of: Bool.self)
        private let began = AsyncStream.makeStream(of: Int.self)

        func load() async throws -> Int? { nil }

        func save(_ value: Int) async throws {
            began.continuation.yield(value)
            for await isWell in permits.stream {
                guard isWell else { throw Broken() }
                saves.append(value)
                return
            }
        }

        /// Waits until a value is being saved.
        func next() async -> Int? {
            for await value in began.stream { return value }
            return nil
        }

        func allow() { permits.continuation.yield(true) }
        func refuse() { permits.continuation.yield(false) }
    }

    @Test("Changes are commands, in one order, that everybody sees")
    func changes() async throws {
        let shared = Shared(Account(), persistence: MemoryPersistence())
        let balances = shared.store.values(of: \.balance, buffering: .unbounded)
        try await shared.update("deposit") { $0.balance += 3 }
        try await shared.store.dispatch(Deposit(amount: 4))
        #expect(shared.value.balance == 7)
        #expect(try await balances.first(3) == [0, 3, 7])
    }

    @Test("The value that was saved is there again after a restart; changes wait until it is loaded")
    func restart() async throws {
        let persistence = MemoryPersistence<Account>()
        let first = Shared(Account(), persistence: persistence)
        try await first.update { $0.balance = 5 }
        await first.shutdown()
        #expect(persistence.value?.balance == 5)
        let second = Shared(Account(balance: -1), persistence: persistence)
        try await second.update { $0.balance += 1 }
        #expect(second.value.balance == 6)
        var values = second.values.makeAsyncIterator()
        #expect(await values.next()?.balance == 6)
    }

    @Test(
        "Values are saved one after the other; while one is being saved only the newest is kept, and a shutdown saves it"
    )
    func saving() async throws {
        let persistence = PatientPersistence()
        let shared = Shared(0, persistence: persistence)
        try await shared.update { $0 = 1 }
        #expect(await persistence.next() == 1)
        for number in 2...10 { try await shared.update { $0 = number } }
        let shutdown = Task { await shared.shutdown() }
        persistence.allow()
        #expect(await persistence.next() == 10)
        persistence.allow()
        await shutdown.value
        #expect(persistence.saves.elements == [1, 10])
        await #expect(throws: StoreError.shutDown) { try await shared.update { $0 = 11 } }
    }

    @Test("A value that cannot be saved is reported, and saved with the next change")
    func failures() async throws {
        let persistence = PatientPersistence()
        let shared = Shared(0, persistence: persistence)
        try await shared.update { $0 = 1 }
        #expect(await persistence.next() == 1)
        try await shared.update { $0 = 2 }
        persistence.refuse()
        #expect(try await shared.errors.first(1).first?.error is Broken)
        #expect(await persistence.next() == 2)
        persistence.refuse()
        #expect(try await shared.errors.first(1).first?.error is Broken)
        try await shared.update { $0 = 3 }
        #expect(await persistence.next() == 3)
        persistence.allow()
        await shared.shutdown()
        #expect(persistence.saves.elements == [3])
    }

    @Test("If it cannot be loaded nothing is changed, and nothing saved over it")
    func loadingFails() async throws {
        struct BrokenPersistence: PersistenceStrategy {
            let saves: Collector<Int>
            func load() async throws -> Int? { throw Broken() }
            func save(_ value: Int) async throws { saves.append(value) }
        }
        let saves = Collector<Int>()
        let shared = Shared(0, persistence: BrokenPersistence(saves: saves))
        await #expect(throws: Broken.self) { try await shared.ready() }
        await #expect(throws: StoreError.notReady) { try await shared.update { $0 = 1 } }
        #expect(try await shared.errors.first(1).first?.origin == .loading)
        await shared.shutdown()
        #expect(saves.elements.isEmpty)
    }
}
