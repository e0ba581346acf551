import ActorStore
import Testing

@testable import TestFixtures

@Suite("Executors of effects", .timeLimit(.minutes(10)))
struct EffectExecutorTests {
    @Test("An operation with an executor keeps it inside an effect with another executor")
    func nearestExecutor() async throws {
        let store = Ledger.store()
        let (inner, outer, seen) = (OneThreadExecutor(), OneThreadExecutor(), Collector<String>())
        func work(_ name: String) -> Effect<Ledger.Action> {
            .run { _ in
                seen.append("\(name): \(inner.isPreferred ? "inner" : outer.isPreferred ? "outer" : "neither")")
            }
        }
        let parts = Effect<Ledger.Action>.merge(work("own").on(inner).on(outer), work("none"))
        try await store.dispatch(.start(parts.on(outer))).finish()
        try await store.dispatch(.start(.concatenate(work("own").on(inner), work("none")).on(outer))).finish()
        #expect(seen.elements.sorted() == ["none: outer", "none: outer", "own: inner", "own: inner"])
    }
}
