import Testing

@testable import ActorStore

@Suite("The end of a store that is evicted", .timeLimit(.minutes(10)))
struct ClosingTests {
    private func makeCore() throws -> (Store<Int, Int>, StoreCore<Int, Int>) {
        let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        return (store, try #require(store.weak.core))
    }

    /// What an eviction does in the turn.
    private func close(_ core: StoreCore<Int, Int>, since revision: UInt64, whileClosing: () -> Void = {}) -> Bool {
        guard core.gate.beginIfIdle() else { return false }
        whileClosing()
        let isClosed = core.closeIfUntouched(since: revision)
        core.gate.endWriting()
        core.leave()
        return isClosed
    }

    @Test("When it is taken out it refuses everybody, however they reach it, although it is still there")
    func refusing() async throws {
        let (store, core) = try makeCore()
        let (scope, weak) = (store.scope(\.self), store.weak)
        store.send(1)
        #expect(close(core, since: 1))
        #expect(scope.send(1) == .refused(.shutDown) && scope.send(contentsOf: [1]) == .refused(.shutDown))
        #expect(weak.send(1) == .refused(.shutDown) && store.send(1) == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await weak.dispatch(1) }
        #expect(store.snapshot == 1)
    }

    @Test("It stays if an action was reduced since its state was handed over, or waits while it is to be taken out")
    func staying() throws {
        let (store, core) = try makeCore()
        store.send(1)
        #expect(!close(core, since: 0))
        let weak = store.weak
        var outcome = SendOutcome.dropped
        // The turn is taken, as by another thread, so that what is sent waits.
        let isClosed = close(core, since: 1) { outcome = weak.send(1) }
        #expect(!isClosed && outcome == .accepted)
        #expect(store.snapshot == 2)
        #expect(close(core, since: 2))
    }
}
