import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import Testing

@testable import TestFixtures

@Suite("Side effects that return a value", .timeLimit(.minutes(10)))
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

    @Test("Dispatching one returns its value")
    func value() async throws {
        let store = Ledger.store()
        let total: Int = try await store.dispatch(Adding(amount: 3))
        #expect(total == 3 && store.snapshot.total == 3)
    }

    @Test("What it throws is thrown to the dispatcher, and goes nowhere else")
    func errors() async throws {
        let store = Ledger.store()
        let errors = store.errors
        await #expect(throws: Broken.self) { try await store.dispatch(LedgerWork<Int> { _ in throw Broken() }) }
        await store.shutdown(drain: .finishEffects)
        #expect(try await errors.all().isEmpty)
    }

    @Test("It sees the state as it is at each moment, and reads its own writes")
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

    @Test("It can dispatch others, one after the other or several at once, in any nesting")
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

    @Test("Several run at the same time, beside the store")
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

    @Test("It has the task-locals and the priority of the dispatcher, also when the store is busy")
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

    @Test("It begins after what was sent before")
    func order() async throws {
        let store = Ledger.store()
        let hold = await store.holdUp()
        store.send(.add(1))
        async let total = store.dispatch(LedgerWork { context in context.snapshot.total })
        hold.release()
        #expect(try await total == 1)
    }

    @Test("The effects that its actions start can be awaited, and interceptors stop its actions")
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

    @Test("Cancelling the dispatching task cancels it, its children, and what it still sends")
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

    @Test("After it has been cancelled none of its actions is reduced, even if it was sent before")
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

    @Test("One whose dispatcher is cancelled already does not begin")
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

    @Test("After it has ended, its context dispatches and sends nothing more")
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

    @Test("It has the dependencies of a store that was created with some, and otherwise those of its dispatcher")
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

    @Test("Many of them, that dispatch and nest, lose nothing")
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
