import ActorStore
import ActorStoreTesting
import Testing

@Suite("The effects of test stores", .timeLimit(.minutes(10)))
struct TestStoreTaskTests {
    /// Counts its requests; the waits of its effects do not end by cancellation.
    struct Relay: Reducer {
        enum Action: Equatable, Sendable { case begin, goOn, arrived }

        let door = AsyncStream.makeStream(of: Void.self)

        func reduce(into state: inout Int, action: Action) -> Effect<Action> {
            state += 1
            return switch action {
            case .begin: .run { send in send(.goOn) }
            case .goOn:
                .run { [door] send in
                    await Task.detached { for await _ in door.stream {} }.value
                    send(.arrived)
                }
            case .arrived: .none
            }
        }

        func openDoor() { door.continuation.finish() }
    }

    private let goesOn = "The effects of the action still run. Cancel them, or make them end."

    @Test("The task of a step ends after the effects of all actions that its effects have sent")
    func feedback() async {
        let relay = Relay()
        let store = TestStore(initialState: 0, reducer: relay)
        let task = await store.dispatch(.begin) { $0 = 1 }
        await store.receive(.goOn) { $0 = 2 }
        #expect(!task.isFinished)
        #expect(await failures { await task.finish(timeout: .zero) }.map(\.message) == [goesOn])
        relay.openDoor()
        await task.finish(timeout: .seconds(60))
        #expect(task.isFinished)
        await store.receive(.arrived) { $0 = 3 }
    }

    @Test("Cancelling the effects of a step fails the test if they continue")
    func stubbornEffects() async {
        let relay = Relay()
        let store = TestStore(initialState: 0, reducer: relay)
        let task = await store.dispatch(.goOn) { $0 = 1 }
        let line: UInt = #line + 1
        let issues = await failures { await task.cancel(timeout: .zero) }
        #expect(issues.map(\.message) == [goesOn] && issues.first?.location.line == line)
        relay.openDoor()
        await task.finish(timeout: .seconds(60))
        // Actions sent after its cancellation do not arrive.
        await store.finish(timeout: .seconds(60))
    }

    @Test("Skipping does not cancel effects of child stores, and cancels those of the store itself")
    func effectsOfChildren() async throws {
        let door = AsyncStream.makeStream(of: Void.self)
        let ended = Recorder<String>()
        func reducer(_ name: String) -> Reduce<Int, Int> {
            Reduce<Int, Int> { count, step in
                count += step
                return step == 2
                    ? .none
                    : .run { send in
                        for await _ in door.stream {}
                        ended.record(Task.isCancelled ? "\(name) cancelled" : name)
                        send(2)
                    }
            }
        }
        let store = TestStore(initialState: 0, reducer: reducer("own"))
        let child = store.store.child(initialState: 0, reducer: reducer("child"), action: { _ in nil })
        await store.dispatch(1) { $0 = 1 }
        child.send(1)
        await store.skipInFlightEffects()
        await ended.expect(["own cancelled"])
        await store.finish()
        door.continuation.finish()
        store.runUntilIdle()
        await ended.expect(["child"])
        #expect(child.snapshot.local == 3)
    }
}
