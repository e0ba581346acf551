import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import Testing

@testable import TestFixtures

@Suite("Side effects with a result", .timeLimit(.minutes(10)))
struct SideEffectTests {
    typealias LedgerWork<Value: Sendable> = Work<Ledger.State, Ledger.Action, Value>

    struct Broken: Error, Equatable {}

    /// Adds an amount, and returns the total.
    struct Adding: SideEffect {
        let amount: Int
        func run(_ context: SideEffectContext<Ledger.State, Ledger.Action>) async throws -> Int {
            try await context.dispatch(.add(amount))
            return context.snapshot.total
        }
    }

    enum Context { @TaskLocal static var request = "none" }

    @Test("Dispatching a side effect returns its value")
    func value() async throws {
        let store = Ledger.store()
        let total: Int = try await store.dispatch(Adding(amount: 3))
        #expect(total == 3 && store.snapshot.total == 3)
    }

    @Test("An error of a side effect is thrown to the dispatcher, and reported nowhere else")
    func errors() async throws {
        let store = Ledger.store()
        let errors = store.errors
        await #expect(throws: Broken.self) { try await store.dispatch(LedgerWork<Int> { _ in throw Broken() }) }
        await store.shutdown(drain: .finishEffects)
        #expect(try await errors.all().isEmpty)
    }

    @Test("A side effect reads the current state at each moment, and its own writes")
    func state() async throws {
        let store = Ledger.store()
        let seen = try await store.dispatch(
            LedgerWork { context in
                var seen = [context.snapshot.total]
                try await context.dispatch(.add(1))
                seen.append(context.snapshot.total)
                context.send(.add(1))
                seen.append(await context.state.total)
                return seen
            }
        )
        #expect(seen == [0, 1, 2])
    }

    @Test("A side effect can dispatch others, in sequence or concurrently, at any depth")
    func nesting() async throws {
        let store = Ledger.store()
        let total = try await store.dispatch(
            LedgerWork { context in
                try await context.dispatch(Adding(amount: 1))
                async let first = context.dispatch(Adding(amount: 10))
                async let second = context.dispatch(
                    LedgerWork { context in
                        try await withThrowingTaskGroup(of: Int.self) { group in
                            for _ in 0..<10 { group.addTask { try await context.dispatch(Adding(amount: 100)) } }
                            return try await group.reduce(0) { $0 + $1 }
                        }
                    }
                )
                _ = try await (first, second)
                return context.snapshot.total
            }
        )
        #expect(total == 1_011)
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("Side effects run concurrently, beside the store")
    func parallel() async throws {
        let store = Ledger.store()
        let (there, back) = (Signal(), Signal())
        async let first = store.dispatch(
            LedgerWork { _ in
                there.fire()
                await back.wait()
                return 1
            }
        )
        async let second = store.dispatch(
            LedgerWork { context in
                await there.wait()
                try await context.dispatch(.add(1))
                back.fire()
                return 2
            }
        )
        #expect(try await [first, second] == [1, 2])
    }

    @Test("A side effect has the task-locals and priority of the dispatcher, also when the store is busy")
    func inheritedContext() async throws {
        let store = Ledger.store()
        let hold = await store.holdUp()
        let dispatcher = Task(priority: .low) {
            try await Context.$request.withValue("request 7") {
                try await store.dispatch(LedgerWork { _ in "\(Context.request) \(Task.basePriority == .low)" })
            }
        }
        hold.release()
        #expect(try await dispatcher.value == "request 7 true")
    }

    @Test("A side effect begins after earlier sent actions")
    func order() async throws {
        let store = Ledger.store()
        let hold = await store.holdUp()
        store.send(.add(1))
        async let total = store.dispatch(LedgerWork { context in context.snapshot.total })
        hold.release()
        #expect(try await total == 1)
    }

    @Test("Effects of a side effect's actions can be awaited, and interceptors stop its actions")
    func actionsOfASideEffect() async throws {
        let guardian = Interceptor<Ledger.State, Ledger.Action>("guardian") { action, _, next in
            if case .add(0) = action { return }
            try next(action)
        }
        let store = Ledger.store(interceptors: [guardian])
        let refusal = try await store.dispatch(
            LedgerWork { context in
                try await context.dispatch(.start(.run { send in send(.add(5)) })).finish()
                do {
                    try await context.dispatch(.add(0))
                    return StoreError?.none
                } catch {
                    return error as? StoreError
                }
            }
        )
        #expect(refusal == .rejected(by: "guardian"))
        #expect(await store.state.total == 5)
    }

    @Test("Cancelling the dispatching task cancels the side effect, its children, and its later actions")
    func cancellation() async throws {
        let store = Ledger.store()
        let began = Signal()
        let outcomes = Collector<String>()
        let dispatcher = Task {
            try await store.dispatch(
                LedgerWork { context in
                    try await context.dispatch(
                        LedgerWork { context in
                            began.fire()
                            await untilCancelled()
                            outcomes.append("\(context.send(.add(1)))")
                            do {
                                try await context.dispatch(.add(1))
                            } catch {
                                outcomes.append("\(error as? StoreError == .cancelled)")
                            }
                            throw Broken()
                        }
                    )
                }
            )
        }
        await began.wait()
        dispatcher.cancel()
        await #expect(throws: Broken.self) { try await dispatcher.value }
        #expect(outcomes.elements == ["dropped", "true"])
        #expect(store.snapshot.total == 0)
        #expect(store.statistics.lateActions == 2 && store.statistics.runningEffects == 0)
    }

    @Test("A cancelled side effect's actions are not reduced, even if they were sent before")
    func queuedActionsAreDropped() async throws {
        let store = Ledger.store()
        let (began, sent) = (Signal(), Signal())
        let goOn = Signal()
        let dispatcher = Task {
            try await store.dispatch(
                LedgerWork { context in
                    began.fire()
                    await goOn.wait()
                    let outcome = context.send(.add(1))
                    sent.fire()
                    await untilCancelled()
                    return outcome
                }
            )
        }
        await began.wait()
        let hold = await store.holdUp()
        goOn.fire()
        await sent.wait()
        dispatcher.cancel()
        hold.release()
        #expect(try await dispatcher.value == .accepted)
        #expect(await store.state.total == 0)
        #expect(store.statistics.lateActions == 1)
    }

    @Test("A side effect of a cancelled dispatcher does not begin")
    func cancelledBefore() async throws {
        let store = Ledger.store()
        let ran = Collector<Void>()
        let go = Signal()
        let dispatcher = Task {
            await go.wait()
            try await store.dispatch(LedgerWork { _ in ran.append(()) })
        }
        dispatcher.cancel()
        go.fire()
        await #expect(throws: CancellationError.self) { try await dispatcher.value }
        #expect(ran.elements.isEmpty && store.statistics.runningEffects == 0)
    }

    @Test("The context of an ended side effect dispatches and sends nothing")
    func afterTheEnd() async throws {
        let store = Ledger.store()
        let context = try await store.dispatch(LedgerWork { $0 })
        #expect(context.send(.add(1)) == .dropped)
        await #expect(throws: StoreError.cancelled) { try await context.dispatch(.add(1)) }
        await #expect(throws: StoreError.cancelled) { try await context.dispatch(Adding(amount: 1)) }
        #expect(store.statistics.lateActions == 2 && store.snapshot.total == 0)
    }

    @Test("A command store's side effects dispatch updaters, and change the state by closures")
    func commands() async throws {
        let store = CommandStore(initialState: Account())
        let balance = try await store.dispatch(
            Work<Account, Command<Account>, Int> { context in
                try await context.dispatch(Deposit(amount: 3))
                try await context.update("double") { $0.balance *= 2 }
                return context.snapshot.balance
            }
        )
        #expect(balance == 6)
    }

    @Test("A side effect has the dependencies of its store if there are any, and otherwise its dispatcher's")
    func dependencies() async throws {
        struct Service: Sendable { @Dependency(\.number) var number }
        let asking = Work<[Int], Noting.Action, [Int]> { context in
            try await context.dispatch(.note)
            return [context.dependencies.number, Service().number]
        }
        let plain = Store(initialState: [], reducer: Noting())
        let contained = Store(initialState: [], reducer: Noting()) { values, _ in values.number = 11 }
        let found = try await withDependencies {
            $0.number = 8
        } operation: {
            try await [plain.dispatch(asking), contained.dispatch(asking)]
        }
        #expect(found == [[8, 8], [11, 11]])
        #expect(contained.snapshot == [11])
    }

    @Test("Many nested dispatching side effects lose no action")
    func underLoad() async throws {
        let store = Ledger.store()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<100 {
                        try await store.dispatch(
                            LedgerWork { context in
                                try await context.dispatch(.add(1))
                                try await context.dispatch(Adding(amount: 1))
                                context.send(.add(1))
                            }
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await store.state.total == 2_400)
        #expect(store.statistics.runningEffects == 0 && store.statistics.lateActions == 0)
    }
}
