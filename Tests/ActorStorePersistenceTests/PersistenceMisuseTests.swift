import ActionLogConformance
import ActorStore
import ActorStorePersistence
import Testing

#if os(Linux) || os(macOS)
    @Suite("Misuse of durable and replicated stores", .timeLimit(.minutes(10)))
    struct PersistenceMisuseTests {
        @Test("Attaching a reducer to a durable store traps, because a replay would miss its changes")
        func durable() async throws {
            let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let store = try await LedgerStore.open(MemoryLog())
                store.store.attach(reducer: Ledger(), forKey: "attached")
                // It is done in the next turn of the store if another one is running.
                try await store.dispatch(.book(1))
            }
            #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("whose actions are kept"))
        }

        @Test("Attaching a reducer to a replicated store traps, because other replicas would miss its changes")
        func replicated() async throws {
            let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let store = try await ShopStore.open(MemoryLog())
                store.store.attach(reducer: Shop(), forKey: "attached")
                try await store.dispatch(.order(1))
            }
            #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("whose actions are kept"))
        }
    }
#endif
