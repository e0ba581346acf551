import ActorStore
import Testing
import TreeCollections

@Suite("Information about observers", .timeLimit(.minutes(10)))
struct ObserverInformationTests {
    private struct State: Sendable {
        var count = 0
        var table: TreeDictionary<String, Int> = [:]
    }

    @Test("It tells who observes what, since when, how far behind, and how often told")
    func observers() async throws {
        let store = Store(initialState: State()) { (state: inout State, number: Int) in state.count = number }
        #expect(await store.observers == [])
        let firstLine: UInt = #line + 1
        let token = store.observe(\.count) { _ in }
        store.send(1)
        store.send(2)
        let latest = store.values(of: \.count)
        let buffered = store.values(of: \.count, buffering: .bounded(2))
        let entry = store.values(of: \.table, key: "x")
        let actions = store.actions
        for number in 3...6 { store.send(number) }

        let observers = await store.observers
        #expect(observers.count == 5)
        let counts = observers.filter { $0.subject.hasSuffix(".count") }
        #expect(counts.map(\.kind) == [.closure, .sequence, .sequence])
        #expect(counts.map(\.since) == [0, 2, 2])
        #expect(counts.map(\.delivered) == [7, 0, 0])
        #expect(counts.map(\.pending) == [0, 1, 2])
        #expect(counts.map(\.dropped) == [0, 0, 3])
        #expect(counts.compactMap(\.source?.line) == [firstLine, firstLine + 3, firstLine + 4])
        #expect(counts.allSatisfy { $0.source?.fileID == #fileID })
        #expect(observers.contains { $0.subject.hasSuffix(".table[x]") && $0.pending == 1 })
        #expect(observers.contains { $0.subject == "actions" && $0.pending == 4 })

        var iterator = latest.makeAsyncIterator()
        #expect(await iterator.next() == 6)
        let after = await store.observers.filter { $0.subject.hasSuffix(".count") }
        #expect(after.map(\.delivered) == [7, 1, 0])
        #expect(after.map(\.pending) == [0, 0, 2])
        token.cancel()
        #expect(await store.observers.count == 4)
        withExtendedLifetime((buffered, entry, actions)) {}
    }
}
