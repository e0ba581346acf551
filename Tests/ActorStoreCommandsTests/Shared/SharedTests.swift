import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Shared persisted values", .timeLimit(.minutes(10)))
struct SharedTests {
    struct Broken: Error {}

    /// Saves when the test permits it, and records the values.
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

    @Test("Changes of a shared value are commands, in one order, visible to all users")
    func changes() async throws {
        let shared = SharedValue(Account(), persistence: MemoryPersistence())
        let balances = shared.store.values(of: \.balance, buffering: .unbounded)
        try await shared.update("deposit") { $0.balance += 3 }
        try await shared.store.dispatch(Deposit(amount: 4))
        #expect(shared.value.balance == 7)
        #expect(try await balances.first(3) == [0, 3, 7])
    }

    @Test("A saved value is restored after a restart; changes wait until it is loaded")
    func restart() async throws {
        let persistence = MemoryPersistence<Account>()
        let first = SharedValue(Account(), persistence: persistence)
        try await first.update { $0.balance = 5 }
        await first.shutdown()
        #expect(persistence.value?.balance == 5)
        let second = SharedValue(Account(balance: -1), persistence: persistence)
        try await second.update { $0.balance += 1 }
        #expect(second.value.balance == 6)
        var values = second.values.makeAsyncIterator()
        #expect(await values.next()?.balance == 6)
    }

    @Test(
        "Saves are serial, with only the newest value pending, and a shutdown saves it"
    )
    func saving() async throws {
        let persistence = PatientPersistence()
        let shared = SharedValue(0, persistence: persistence)
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

    @Test("A failed save is reported, and repeated with the next change")
    func failures() async throws {
        let persistence = PatientPersistence()
        let shared = SharedValue(0, persistence: persistence)
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

    @Test(
        "save() waits until all changes are saved, retries failed ones, and throws the reason"
    )
    func savingOnDemand() async throws {
        let persistence = PatientPersistence()
        let shared = SharedValue(0, persistence: persistence)
        try await shared.save()
        try await shared.update { $0 = 1 }
        #expect(await persistence.next() == 1)
        try await shared.update { $0 = 2 }
        let save = Task { try await shared.save() }
        persistence.allow()
        #expect(await persistence.next() == 2)
        persistence.refuse()
        await #expect(throws: Broken.self) { try await save.value }
        #expect(try await shared.errors.first(1).first?.error is Broken)
        let again = Task { try await shared.save() }
        #expect(await persistence.next() == 2)
        persistence.allow()
        try await again.value
        try await shared.save()
        #expect(persistence.saves.elements == [1, 2])
        await shared.shutdown()
        await #expect(throws: StoreError.shutDown) { try await shared.save() }
    }

    /// Begins save(), and waits until it was requested.
    private func saveOnDemand(_ shared: SharedValue<Int>) async -> Task<Void, any Error> {
        let revision = shared.store.revision
        let save = Task { try await shared.save() }
        await until { shared.store.revision > revision }
        return save
    }

    @Test("save() throws after one more failed attempt, although changes keep causing further attempts")
    func savingOnDemandDuringChanges() async throws {
        let persistence = PatientPersistence()
        let shared = SharedValue(0, persistence: persistence)
        try await shared.update { $0 = 1 }
        #expect(await persistence.next() == 1)
        let save = await saveOnDemand(shared)
        for number in 2...3 {
            try await shared.update { $0 = number }
            persistence.refuse()
            #expect(await persistence.next() == number)
        }
        // During the third attempt.
        await #expect(throws: Broken.self) { try await save.value }
        #expect(try await shared.errors.first(2).count == 2)
        persistence.allow()
        await shared.shutdown()
        #expect(persistence.saves.elements == [3])
    }

    @Test("save() throws after one more failed attempt, although other callers keep requesting attempts")
    func savingOnDemandSeveralTimes() async throws {
        let persistence = PatientPersistence()
        let shared = SharedValue(0, persistence: persistence)
        try await shared.update { $0 = 1 }
        #expect(await persistence.next() == 1)
        var saves: [Task<Void, any Error>] = []
        for _ in 1...3 {
            saves.append(await saveOnDemand(shared))
            persistence.refuse()
            #expect(await persistence.next() == 1)
        }
        // During the fourth attempt, which is the first one after the last request.
        for save in saves.dropLast() { await #expect(throws: Broken.self) { try await save.value } }
        persistence.allow()
        try await saves[2].value
        #expect(persistence.saves.elements == [1])
        #expect(try await shared.errors.first(3).count == 3)
    }

    @Test("A failure of the attempt that runs when save() is called does not count: the next attempt decides")
    func savingOnDemandDuringAnAttempt() async throws {
        let persistence = PatientPersistence()
        let shared = SharedValue(0, persistence: persistence)
        try await shared.update { $0 = 1 }
        for isWell in [true, false] {
            #expect(await persistence.next() == 1)
            let save = await saveOnDemand(shared)
            persistence.refuse()
            #expect(await persistence.next() == 1)
            if isWell {
                persistence.allow()
                try await save.value
                try await shared.update { $0 = 1 }
            } else {
                persistence.refuse()
                await #expect(throws: Broken.self) { try await save.value }
            }
        }
        #expect(persistence.saves.elements == [1])
        #expect(try await shared.errors.first(3).count == 3)
    }

    @Test("A shutdown retries failed saves; a value that cannot be saved then is among the errors")
    func shutdownTriesAgain() async throws {
        for isWell in [true, false] {
            let persistence = PatientPersistence()
            let shared = SharedValue(0, persistence: persistence)
            try await shared.update { $0 = 1 }
            #expect(await persistence.next() == 1)
            persistence.refuse()
            #expect(try await shared.errors.first(1).first?.error is Broken)
            let shutdown = Task { await shared.shutdown() }
            #expect(await persistence.next() == 1)
            if isWell { persistence.allow() } else { persistence.refuse() }
            await shutdown.value
            #expect(persistence.saves.elements == (isWell ? [1] : []))
            #expect(try await shared.errors.all().count == (isWell ? 0 : 1))
        }
    }

    @Test("A shutdown during a save retries if that fails")
    func shutdownDuringAnAttempt() async throws {
        let persistence = PatientPersistence()
        let shared = SharedValue(0, persistence: persistence)
        try await shared.update { $0 = 1 }
        #expect(await persistence.next() == 1)
        let shutdown = Task { await shared.shutdown() }
        await until {
            if case .shuttingDown = shared.store.phase { true } else { false }
        }
        persistence.refuse()
        #expect(await persistence.next() == 1)
        persistence.allow()
        await shutdown.value
        #expect(persistence.saves.elements == [1])
        #expect(try await shared.errors.all().map { $0.error is Broken } == [true])
    }

    @Test("A value is saved although an attempt was cancelled before its beginning", arguments: [false, true])
    func attemptCancelledBeforeItBegan(isAskedForLater: Bool) async throws {
        let (executor, blockade, persistence) = (OneThreadExecutor(), Blockade(), MemoryPersistence<Int>())
        let shared = SharedValue(0, persistence: persistence, configuration: StoreConfiguration(executor: executor))
        try await shared.ready()
        Task(executorPreference: executor) { blockade.block() }
        await blockade.waitUntilBegun()
        // The task of the attempt waits for the thread.
        let change = try await shared.store.update { $0 = 1 }
        change.cancel()
        blockade.release()
        try? await change.finish()
        if isAskedForLater { try await shared.save() } else { await shared.shutdown() }
        #expect(persistence.value == 1)
    }

    @Test("A full mailbox does not prevent another save")
    func fullMailbox() async throws {
        let persistence = PatientPersistence()
        let shared = SharedValue(
            0,
            persistence: persistence,
            configuration: StoreConfiguration(mailbox: .bounded(1, whenFull: .dropOldest))
        )
        try await shared.update { $0 = 1 }
        #expect(await persistence.next() == 1)
        let hold = Hold()
        onThread { shared.store.send(Command("hold") { _ in hold.enter() }) }
        await hold.waitUntilEntered()
        shared.store.send(Command("change") { $0 = 2 })
        persistence.allow()
        await until { !persistence.saves.elements.isEmpty }
        // Meanwhile the save reports its end, and newer changes displace older ones.
        for number in 3...100 {
            shared.store.send(Command("change") { $0 = number })
            await Task.yield()
        }
        hold.release()
        // The change that blocked the store counts as well.
        var saved = await persistence.next()
        if saved == 1 {
            persistence.allow()
            saved = await persistence.next()
        }
        #expect(saved == 100)
        persistence.allow()
        try await shared.save()
    }

    @Test(
        "A shutdown and save() need no room in a full mailbox, and displace no change",
        arguments: [MailboxCapacity.OverflowPolicy.dropOldest, .dropNewest, .reject, .suspend]
    )
    func requestsInAFullMailbox(policy: MailboxCapacity.OverflowPolicy) async throws {
        for shutsDown in [true, false] {
            let persistence = MemoryPersistence<[Int]>()
            let configuration = StoreConfiguration(mailbox: .bounded(1, whenFull: policy))
            let shared = SharedValue([], persistence: persistence, configuration: configuration)
            try await shared.ready()
            let hold = Hold()
            onThread {
                shared.store.send(
                    Command("first") {
                        hold.enter()
                        $0.append(1)
                    }
                )
            }
            await hold.waitUntilEntered()
            #expect(shared.store.send(Command("second") { $0.append(2) }) == .accepted)
            let request = Task.immediate {
                if shutsDown { await shared.shutdown() } else { try await shared.save() }
            }
            if shutsDown {
                await until {
                    if case .shuttingDown = shared.store.phase { true } else { false }
                }
            }
            hold.release()
            try await request.value
            #expect(persistence.value == [1, 2])
        }
    }

    @Test("Several stores share a value: each follows it by a rule, and changes it in its effects")
    func severalStores() async throws {
        enum Action: Sendable {
            case deposit(Int)
            case accountChanged(Account)
        }
        struct Teller: Reducer {
            let account: SharedValue<Account>

            func reduce(into state: inout [Int], action: Action) -> Effect<Action> {
                switch action {
                case .deposit(let amount):
                    return .run { _ in try await account.update { $0.balance += amount } }
                case .accountChanged(let account):
                    state.append(account.balance)
                    return .none
                }
            }
        }
        let account = SharedValue(Account(), persistence: MemoryPersistence(Account(balance: 100)))
        let tellers = (1...3).map { _ in
            Store(
                initialState: [],
                reducer: Teller(account: account),
                interceptors: [.observing(.on(account.values) { .accountChanged($0) })]
            )
        }
        let balances = tellers.map { $0.values(of: \.self, buffering: .unbounded) }
        for (index, teller) in tellers.enumerated() {
            try await teller.dispatch(.deposit(10 * (index + 1))).finish()
        }
        #expect(account.value.balance == 160)
        for balances in balances {
            for await told in balances where told.last == 160 {
                #expect(told == told.sorted())
                break
            }
        }
    }

    @Test("A shared value whose loading failed is not changed, and nothing is saved over it")
    func loadingFails() async throws {
        struct BrokenPersistence: PersistenceStrategy {
            let saves: Collector<Int>
            func load() async throws -> Int? { throw Broken() }
            func save(_ value: Int) async throws { saves.append(value) }
        }
        let saves = Collector<Int>()
        let shared = SharedValue(0, persistence: BrokenPersistence(saves: saves))
        await #expect(throws: Broken.self) { try await shared.ready() }
        await #expect(throws: StoreError.notReady) { try await shared.update { $0 = 1 } }
        await #expect(throws: StoreError.notReady) { try await shared.save() }
        #expect(try await shared.errors.first(1).first?.origin == .loading)
        await shared.shutdown()
        #expect(saves.elements.isEmpty)
    }

    /// Loads and saves when the test permits it, and not in a cancelled task.
    private struct CancellablePersistence: PersistenceStrategy {
        let mayLoad = Latch()
        let maySave = Latch()
        let saves = Collector<Int>()

        func load() async throws -> Int? {
            await mayLoad.wait()
            try Task.checkCancellation()
            return 10
        }

        func save(_ value: Int) async throws {
            await maySave.wait()
            try Task.checkCancellation()
            saves.append(value)
        }
    }

    @Test("A shutdown in a cancelled task saves unsaved changes")
    func shutdownInACancelledTask() async throws {
        let persistence = CancellablePersistence()
        persistence.mayLoad.open()
        let shared = SharedValue(0, persistence: persistence)
        try await shared.update { $0 += 1 }
        try await shared.update { $0 += 1 }
        let shutdown = Task {
            await until { Task.isCancelled }
            await shared.shutdown()
        }
        shutdown.cancel()
        await until {
            if case .shuttingDown = shared.store.phase { true } else { false }
        }
        persistence.maySave.open()
        await shutdown.value
        #expect(persistence.saves.elements == [11, 12])
        #expect(try await shared.errors.all().isEmpty)
    }

    @Test("A shutdown waits for the loading if changes wait for it, and saves them")
    func shutdownWhileLoading() async throws {
        let persistence = CancellablePersistence()
        persistence.maySave.open()
        let shared = SharedValue(0, persistence: persistence)
        #expect(shared.store.send(Command("add") { $0 += 1 }) == .accepted)
        let shutdown = Task { await shared.shutdown() }
        await letOtherTasksRun(yields: 1_000)
        persistence.mayLoad.open()
        await shutdown.value
        #expect(persistence.saves.elements == [11])
    }

    @Test("A shutdown cancels the loading if no change waits for it, and saves nothing")
    func shutdownOfAnUnusedValue() async {
        struct EndlessLoading: PersistenceStrategy {
            let saves: Collector<Int>
            func load() async throws -> Int? {
                for await _ in AsyncStream<Never>.makeStream().stream {}
                throw CancellationError()
            }
            func save(_ value: Int) async throws { saves.append(value) }
        }
        let saves = Collector<Int>()
        let shared = SharedValue(0, persistence: EndlessLoading(saves: saves))
        let save = Task.immediate { try await shared.save() }
        await shared.shutdown()
        await #expect(throws: StoreError.shutDown) { try await save.value }
        #expect(saves.elements.isEmpty)
    }

    @Test("A task cancelled during save() gets a cancellation error, and the save continues")
    func cancelledSaving() async throws {
        let persistence = PatientPersistence()
        let shared = SharedValue(0, persistence: persistence)
        try await shared.update { $0 = 1 }
        #expect(await persistence.next() == 1)
        let save = await saveOnDemand(shared)
        save.cancel()
        await #expect(throws: CancellationError.self) { try await save.value }
        #expect(persistence.saves.elements.isEmpty)
        persistence.allow()
        try await shared.save()
        #expect(persistence.saves.elements == [1])
    }

    @Test("A shared value's store does not retain the value: afterwards it shows the last one, and refuses changes")
    func storeAlone() async throws {
        var shared: SharedValue<Int>? = SharedValue(0, persistence: MemoryPersistence())
        try await shared?.update { $0 = 3 }
        try await shared?.save()
        let store = try #require(shared?.store)
        shared = nil
        #expect(store.send(Command("change") { $0 = 4 }) == .refused(.shutDown))
        #expect(store.snapshot == 3)
        await #expect(throws: StoreError.shutDown) { try await store.update { $0 = 5 } }
    }
}
