import ActorStore
import ActorStoreSimulation
import Testing

@Suite("Refused actions in histories", .timeLimit(.minutes(10)))
struct RefusedActionTests {
    @Test("A sent or dispatched action that the store refuses is not part of the history")
    func refusals() async throws {
        let store = Store(initialState: 0) { (sum: inout Int, step: Int) in sum += step }
        let history = StoreHistory(of: StoreAccess(store))
        let sender = history.sender(1)
        #expect(sender.send(1))
        await store.shutdown(drain: .finishEffects)
        #expect(!sender.send(2))
        await #expect(throws: StoreError.shutDown) { try await sender.dispatch(3) }
        #expect(await sender.snapshot() == 1)
        #expect(
            history.history.operations.map(\.description) == [
                "process 1: send(1) -> no answer", "process 1: snapshot -> state(1)",
            ]
        )
        #expect(try history.check(initialState: 0) { $0 += $1 } == [1])
    }
}
