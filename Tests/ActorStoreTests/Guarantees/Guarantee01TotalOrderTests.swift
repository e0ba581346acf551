import ActorStore
import Testing

@testable import TestFixtures

@Suite("Guarantee 1: one total order", .timeLimit(.minutes(10)))
struct TotalOrderTests {
    @Test("Actions are reduced one at a time, and the revision grows by one for each")
    func revisionGrowsByOne() async throws {
        let store = Ledger.store()
        #expect(store.revision == 0)
        for expected in 1...100 {
            try await store.dispatch(.add(1))
            #expect(store.revision == UInt64(expected))
        }
        store.send(contentsOf: [.add(1), .add(1), .add(1)])
        #expect(store.revision == 103)
        #expect(store.snapshot.total == 103)
    }

    @Test("Every observer of actions sees the same order, and each action's state is the one after it")
    func allSeeTheSameOrder() async throws {
        let store = Ledger.store()
        let observations = [store.actions, store.actions, store.actions]
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<4 {
                group.addTask { for number in 0..<250 { store.send(.enter(sender, number)) } }
            }
        }
        var orders: [[Ledger.Entry]] = []
        for observation in observations {
            var order: [Ledger.Entry] = []
            for try await (action, state) in observation {
                guard case .enter(let entry) = action else { continue }
                order.append(entry)
                #expect(state.entries.last == entry)
                #expect(state.total == order.count)
                if order.count == 1_000 { break }
            }
            orders.append(order)
        }
        #expect(orders[0] == orders[1])
        #expect(orders[0] == orders[2])
        #expect(orders[0] == store.snapshot.entries)
    }
}
