import ActorStore
import ActorStoreInstruments
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("ObserverInformation", .timeLimit(.minutes(10)))
struct ObserverInformationTests {
    private struct State: Sendable {
        var count = 0
        var table: TreeDictionary<String, Int> = [:]
    }

    @Test("The information has the subject, source location, start, lag and number of deliveries of an observer")
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
        let (actions, errors) = (store.actions, store.errors)
        for number in 3...6 { store.send(number) }

        let observers = await store.observers
        #expect(observers.count == 6)
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
        #expect(observers.contains { $0.subject == "errors" && $0.pending == 0 })

        var iterator = latest.makeAsyncIterator()
        #expect(await iterator.next() == 6)
        let after = await store.observers.filter { $0.subject.hasSuffix(".count") }
        #expect(after.map(\.delivered) == [7, 1, 0])
        #expect(after.map(\.pending) == [0, 0, 2])
        token.cancel()
        #expect(await store.observers.count == 5)
        withExtendedLifetime((buffered, entry, actions, errors)) {}
    }

    @Test("A sequence counts the offered values, including those skipped after changing back")
    func passedOver() async throws {
        let store = Store(initialState: State()) { (state: inout State, number: Int) in state.count = number }
        let counts = store.values(of: \.count)
        var iterator = counts.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        // The newest value replaces the previous one, and equals the last returned value.
        for number in [1, 0] { store.send(number) }
        let next = Task { [iterator] in
            var iterator = iterator
            return await iterator.next()
        }
        await until { await store.observers.allSatisfy { $0.pending == 0 } }
        #expect(await store.observers.map(\.delivered) == [2])
        store.send(2)
        #expect(await next.value == 2)
        #expect(await store.observers.map(\.delivered) == [3])
    }

    @Test("A timed sequence counts the offered values, including those held back and replaced")
    func heldBack() async throws {
        let store = Store(initialState: State()) { (state: inout State, number: Int) in state.count = number }
        let counts = store.values(of: \.count).debounce(for: .seconds(10), clock: ManualClock())
        let got = Collector<Int>()
        let loop = Task { for await count in counts { got.append(count) } }
        for number in 1...3 {
            await until { await store.observers.allSatisfy { $0.pending == 0 } }
            #expect(await store.observers.map(\.delivered) == [number])
            store.send(number)
        }
        // It returns the first value at once, and the others have replaced each other.
        #expect(got.elements == [0])
        loop.cancel()
    }
}
