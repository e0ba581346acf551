import ActorStore
import Testing

@testable import TestFixtures

@Suite("Guarantee 2: order per sender", .timeLimit(.minutes(10)))
struct OrderPerSenderTests {
    @Test("Numbered actions of 8 concurrent senders, 10,000 each, sent and dispatched: all reduced once, in order")
    func mixedSendersKeepTheirOrder() async throws {
        let store = Ledger.store()
        let senders = 8
        let count = 10_000
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<senders {
                group.addTask {
                    for number in 0..<count {
                        // A pattern of its own for each sender, so that every mixture of the two occurs.
                        if (number * (sender + 3)) % 7 < 3 {
                            try await store.dispatch(.enter(sender, number))
                        } else {
                            store.send(.enter(sender, number))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let entries = await store.state.entries
        #expect(entries.count == senders * count)
        for sender in 0..<senders {
            #expect(entries.filter { $0.sender == sender }.map(\.number) == Array(0..<count))
        }
    }

    @Test("8 threads that are not tasks keep their order")
    func threadsKeepTheirOrder() async {
        let store = Ledger.store()
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<8 {
                let done = Signal()
                onThread {
                    for number in 0..<10_000 { store.send(.enter(sender, number)) }
                    done.fire()
                }
                group.addTask { await done.wait() }
            }
        }
        let entries = await store.state.entries
        #expect(entries.count == 80_000)
        for sender in 0..<8 {
            #expect(entries.filter { $0.sender == sender }.map(\.number) == Array(0..<10_000))
        }
    }

    @Test("A dispatch does not overtake earlier sends of its task to a busy store")
    func dispatchDoesNotOvertake() async throws {
        let store = Ledger.store()
        let hold = await store.holdUp()
        let sender = Task {
            for number in 0..<1_000 { store.send(.enter(0, number)) }
            try await store.dispatch(.enter(0, 1_000))
            return store.snapshot.entries.count
        }
        await until { store.statistics.waitingActions >= 1_001 }
        hold.release()
        #expect(try await sender.value == 1_001)
        #expect(store.snapshot.entries.map(\.number) == Array(0...1_000))
    }

    @Test("A batch keeps its order, and its place among the sends of its task")
    func batchesKeepTheirPlace() async {
        let store = Ledger.store()
        let hold = await store.holdUp()
        store.send(.enter(0, 0))
        store.send(contentsOf: (1...5).map { .enter(0, $0) })
        store.send(.enter(0, 6))
        hold.release()
        #expect(await store.state.entries.map(\.number) == Array(0...6))
    }
}
