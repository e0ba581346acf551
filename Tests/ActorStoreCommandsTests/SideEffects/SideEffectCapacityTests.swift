import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Side effects with a bounded mailbox", .timeLimit(.minutes(10)))
struct SideEffectCapacityTests {
    @Test("Actions dispatched by side effects take no room in the mailbox, and need none")
    func capacity() async throws {
        let executor = PatientExecutor()
        var configuration = StoreConfiguration(mailbox: .bounded(1, whenFull: .reject))
        configuration.executor = executor
        let store = Ledger.store(configuration: configuration)
        let (begun, ended, mayDispatch) = (Collector<Void>(), Collector<Void>(), [Latch(), Latch()])
        for (number, latch) in mayDispatch.enumerated() {
            let work = Work<Ledger.State, Ledger.Action, Void> { context in
                begun.append(())
                await latch.wait()
                try await context.dispatch(.add(10))
            }
            Task {
                defer { ended.append(()) }
                await #expect(throws: Never.self) { try await store.dispatch(work) }
            }
            await until {
                executor.runAll()
                return begun.elements.count == number + 1
            }
        }
        let hold = await store.holdUp()
        mayDispatch[0].open()
        executor.runAll()
        // The first dispatch waits for the end of the turn.
        #expect(store.send(.add(1)) == .accepted)
        #expect(store.send(.add(2)) == .refused(.overloaded))
        mayDispatch[1].open()
        executor.runAll()
        hold.release()
        await until {
            executor.runAll()
            return ended.elements.count == 2
        }
        #expect(store.snapshot.total == 21)
    }
}
