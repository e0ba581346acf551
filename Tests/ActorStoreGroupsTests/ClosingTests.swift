import ActorStore
import Testing

@Suite("The end of an evicted store", .timeLimit(.minutes(10)))
struct ClosingTests {
    private func makeStore() -> Store<Int, Int> {
        Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
    }

    /// The steps of an eviction in the turn.
    private func close(_ store: Store<Int, Int>, since revision: UInt64, whileClosing: () -> Void = {}) -> Bool {
        guard let idle = store.visitIfIdle() else { return false }
        whileClosing()
        let isClosed = idle.closeIfUntouched(since: revision)
        idle.leave()
        return isClosed
    }

    @Test("An evicted store refuses all callers, through any handle, although it still exists")
    func refusing() async throws {
        let store = makeStore()
        let (scope, weak) = (store.scope(\.self), store.weak)
        store.send(1)
        #expect(close(store, since: 1))
        #expect(scope.send(1) == .refused(.shutDown) && scope.send(contentsOf: [1]) == .refused(.shutDown))
        #expect(weak.send(1) == .refused(.shutDown) && store.send(1) == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await weak.dispatch(1) }
        #expect(store.snapshot == 1)
    }

    @Test("A store stays if an action was reduced since its hand-over, or waits during the eviction")
    func staying() {
        let store = makeStore()
        store.send(1)
        #expect(!close(store, since: 0))
        let weak = store.weak
        var outcome = SendOutcome.dropped
        // The turn is taken, as by another thread, so that sent actions wait.
        let isClosed = close(store, since: 1) { outcome = weak.send(1) }
        #expect(!isClosed && outcome == .accepted)
        #expect(store.snapshot == 2)
        #expect(close(store, since: 2))
    }
}
