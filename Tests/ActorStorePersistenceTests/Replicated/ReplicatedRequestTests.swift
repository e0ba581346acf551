import ActionLogConformance
import ActorStore
import Testing

@testable import ActorStorePersistence

@Suite("Requests to replicated stores", .timeLimit(.minutes(10)))
struct ReplicatedRequestTests {
    let log = FaultyLog(MemoryLog())

    @Test("A request cut off from the log is answered after it has arrived")
    func disconnection() async throws {
        let store = try await ShopStore.open(log)
        log.disconnect()
        let place = Task { try await store.ask(Shop.Queue(order: 7)) }
        try await until { !store.statistics.isConnected }
        log.reconnect()
        #expect(try await place.value == 1)
        await store.end()
    }

    @Test("A request without a response is reduced, and throws that it was not answered")
    func unanswered() async throws {
        let store = try await ShopStore.open(log)
        await #expect(throws: StoreError.unanswered) { try await store.ask(Shop.Silence()) }
        #expect(store.revision == 1)
        await store.end()
    }

    @Test("A request to the store itself, which does not wait for the response, throws that it was not answered")
    func atTheStore() async throws {
        let store = try await ShopStore.open(log)
        await #expect(throws: StoreError.unanswered) { try await store.store.ask(Shop.Queue(order: 7)) }
        try await store.commit()
        #expect(store.snapshot.orders == [7])
        await store.end()
    }

    @Test("A refused request is not reduced, and throws the reason")
    func refusal() async throws {
        let store = try await ShopStore.open(log)
        await store.end()
        await #expect(throws: (any Error).self) { try await store.ask(Shop.Queue(order: 7)) }
        #expect(store.snapshot.orders.isEmpty)
    }
}
