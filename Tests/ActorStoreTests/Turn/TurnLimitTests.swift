import ActorStore
import Foundation
import Testing

@testable import TestFixtures

/// Work that waits for the end of the turn does not wait long.
@Suite("The limits of a turn", .timeLimit(.minutes(10)))
struct TurnLimitTests {
    private enum Action: Sendable { case hold(Hold), step, marked }

    private struct Setting {
        let time = LockedValue<Int64>(0)
        let log = Collector<String>()
        let executor = PatientExecutor()
        let store: Store<Int, Action>

        /// - Parameter nanoseconds: The duration of an action's reduction.
        init(nanoseconds: Int64, messagesPerSender: Int = 1_000) {
            let (time, log) = (time, log)
            var configuration = StoreConfiguration(executor: executor)
            configuration.limits = WorkLimits(messagesPerSender: messagesPerSender, now: { time.withLock { $0 } })
            store = Store(
                initialState: 0,
                reducer: Reduce<Int, Action> { count, action in
                    switch action {
                    case .hold(let hold): hold.enter()
                    case .step: log.append("step")
                    case .marked: log.append("marked")
                    }
                    time.withLock { $0 += nanoseconds }
                    count += 1
                    return .none
                },
                configuration: configuration
            )
        }

        /// Has a dispatch reduced that comes before 2,000 sends; the turn is left when its sender is done.
        func run() async {
            let hold = Hold()
            let sender = Signal()
            let store = store
            onThread {
                store.send(.hold(hold))
                sender.fire()
            }
            await hold.waitUntilEntered()
            let dispatcher = Task.detached { try await store.dispatch(.marked) }
            await until { store.statistics.waitingActions == 1 }
            for _ in 0..<2_000 { store.send(.step) }
            hold.release()
            await sender.wait()
            _ = try? await dispatcher.value
        }
    }

    @Test("No message begins once 64 have been reduced since a dispatch that waits for its answer")
    func messages() async {
        let setting = Setting(nanoseconds: 0)
        await setting.run()
        #expect(setting.log.elements == ["marked"] + Array(repeating: "step", count: 64))
        setting.executor.runAll()
        #expect(setting.log.elements.count == 2_001)
    }

    @Test("No message begins once a millisecond has passed since a dispatch that waits for its answer was reduced")
    func time() async {
        let setting = Setting(nanoseconds: 300_000)
        await setting.run()
        // After 0, 300, 600 and 900 microseconds.
        #expect(setting.log.elements == ["marked"] + Array(repeating: "step", count: 4))
        setting.executor.runAll()
        #expect(setting.log.elements.count == 2_001)
    }

    @Test("A sender leaves remaining messages to others after a millisecond, although nothing waits for an answer")
    func sender() async {
        let setting = Setting(nanoseconds: 100_000)
        let hold = Hold()
        let sender = Signal()
        onThread {
            setting.store.send(.hold(hold))
            sender.fire()
        }
        await hold.waitUntilEntered()
        for _ in 0..<2_000 { setting.store.send(.step) }
        hold.release()
        await sender.wait()
        // Ten, after the first one, whose end starts the time.
        #expect(setting.log.elements.count == 11)
        setting.executor.runAll()
        #expect(setting.log.elements.count == 2_000)
    }
}

/// The priority of the store's background task for its waiting callers.
@Suite("The priority of the background task", .timeLimit(.minutes(10)))
struct BackgroundPriorityTests {
    @Test("The task that processes a mailbox has at least the priority of the waiting dispatches")
    func priority() async throws {
        let hold = Hold()
        let priorities = Collector<TaskPriority?>()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { count, step in
                if step == 0 { hold.enter() }
                if step == 2 { priorities.append(withUnsafeCurrentTask { $0?.priority }) }
                count += step
                return .none
            },
            configuration: StoreConfiguration(priority: .background)
        )
        let sender = Signal()
        onThread {
            store.send(0)
            sender.fire()
        }
        await hold.waitUntilEntered()
        for _ in 0..<200 { store.send(1) }
        let dispatcher = Task.detached(priority: .high) { try await store.dispatch(2) }
        await until { store.statistics.waitingActions == 201 }
        hold.release()
        await sender.wait()
        _ = try await dispatcher.value
        let priority = try #require(priorities.elements.first ?? nil)
        #expect(priority >= .high)
    }

    @Test("A dispatch that arrives meanwhile raises the priority of the processing task with its next slice")
    func laterDispatch() async throws {
        let (first, later) = (Hold(), Hold())
        let priorities = Collector<TaskPriority?>()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { count, step in
                if step == 0 { first.enter() }
                if count == 300 { later.enter() }
                if step == 2 { priorities.append(withUnsafeCurrentTask { $0?.priority }) }
                count += 1
                return .none
            },
            configuration: StoreConfiguration(priority: .background, executor: ThreadExecutor())
        )
        onThread { store.send(0) }
        await first.waitUntilEntered()
        for _ in 0..<4_000 { store.send(1) }
        first.release()
        // By now the background task reads.
        await later.waitUntilEntered()
        let dispatcher = Task.detached(priority: .high) { try await store.dispatch(2) }
        await until { store.statistics.waitingActions > 0 }
        later.release()
        _ = try await dispatcher.value
        let priority = try #require(priorities.elements.first ?? nil)
        #expect(priority >= .high)
    }

    @Test("A store whose tasks have the lowest raw priority processes all its messages")
    func priorityZero() async throws {
        let hold = Hold()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { count, step in
                if count == 0 { hold.enter() }
                count += step
                return .none
            },
            configuration: StoreConfiguration(priority: TaskPriority(rawValue: 0))
        )
        onThread { store.send(1) }
        await hold.waitUntilEntered()
        for _ in 0..<1_000 { store.send(1) }
        hold.release()
        await until { store.snapshot == 1_001 }
    }
}
