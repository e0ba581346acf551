import ActorStore
import Testing

@testable import TestFixtures

/// A sending thread processes messages of others meanwhile, but with a limit.
@Suite("Handing the turn over", .timeLimit(.minutes(10)))
struct HandOverTests {
    @Test("A sending thread processes at most 64 messages of others, and a task the rest")
    func senderIsSetFree() async {
        let reducedByTask = Collector<Bool>()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Work> { count, work in
                switch work {
                case .hold(let hold): hold.enter()
                case .count:
                    count += 1
                    reducedByTask.append(withUnsafeCurrentTask { $0 != nil })
                }
                return .none
            },
            configuration: Self.configuration()
        )
        let hold = Hold()
        let sender = Signal()
        onThread {
            store.send(.hold(hold))
            sender.fire()
        }
        await hold.waitUntilEntered()
        for _ in 0..<1_000 { store.send(.count) }
        hold.release()
        await sender.wait()
        #expect(await store.state == 1_000)
        let expected = Array(repeating: false, count: 64) + Array(repeating: true, count: 936)
        #expect(reducedByTask.elements == expected)
    }

    @Test("Each sender processes a share of the remaining messages until the task runs")
    func sendersDoTheirShare() async {
        let executor = PatientExecutor()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Work> { count, work in
                if case .hold(let hold) = work { hold.enter() } else { count += 1 }
                return .none
            },
            configuration: Self.configuration(executor: executor)
        )
        let hold = Hold()
        let sender = Signal()
        onThread {
            store.send(.hold(hold))
            sender.fire()
        }
        await hold.waitUntilEntered()
        for _ in 0..<1_000 { store.send(.count) }
        hold.release()
        await sender.wait()
        #expect(store.snapshot == 64)
        store.send(.count)
        #expect(store.snapshot == 128)
        store.send(.count)
        #expect(store.snapshot == 192)
        // One task is enough, however many threads have left messages to it.
        #expect(executor.waitingJobs == 1)
        executor.runAll()
        #expect(store.snapshot == 1_002)
        store.send(.count)
        #expect(store.snapshot == 1_003)
    }

    /// Limits that do not depend on the speed of the machine.
    private static func configuration(executor: (any TaskExecutor)? = nil) -> StoreConfiguration {
        var configuration = StoreConfiguration(executor: executor)
        configuration.limits = .withoutTime
        return configuration
    }

    private enum Work: Sendable {
        case hold(Hold)
        case count
    }
}
