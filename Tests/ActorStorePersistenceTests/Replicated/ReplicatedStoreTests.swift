import ActionLogConformance
import ActorStore
import Dispatch
import Testing

@testable import ActorStorePersistence

@Suite("Replicated stores", .timeLimit(.minutes(5)))
struct ReplicatedStoreTests {
    let log = MemoryLog()

    @Test("When dispatch returns, this replica has reduced the action, and the others do, too, in the same order")
    func sameOrder() async throws {
        let stores = try await [ShopStore.open(log), .open(log), .open(log)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, store) in stores.enumerated() {
                group.addTask {
                    for number in 1...100 {
                        try await store.dispatch(.order(index * 1_000 + number))
                        #expect(store.snapshot.orders.last { $0 / 1_000 == index } == index * 1_000 + number)
                    }
                }
            }
            try await group.waitForAll()
        }
        for store in stores { await store.reaches { $0.orders.count == 300 } }
        #expect(Set(stores.map(\.snapshot.orders)).count == 1)
        #expect(Set(stores.map(\.revision)) == [300])
        for (index, _) in stores.enumerated() {
            let mine = stores[0].snapshot.orders.filter { $0 / 1_000 == index }
            #expect(mine == Array(index * 1_000 + 1...index * 1_000 + 100))
        }
        for store in stores { #expect(await store.end().isComplete) }
    }
}
