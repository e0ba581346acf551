import ActorStore
import Testing

@testable import TestFixtures

@Suite("Several instruments", .timeLimit(.minutes(10)))
struct SeveralInstrumentsTests {
    /// Records which of several instruments gets an event of an action or of an effect.
    private struct NamedInstrument: StoreInstrument {
        let name: String
        let events: Collector<String>

        func record(_ event: InstrumentEvent) {
            switch event {
            case .actionAccepted: events.append("\(name) accepted")
            case .actionReduced: events.append("\(name) reduced")
            case .effectBegan: events.append("\(name) began")
            case .effectEnded: events.append("\(name) ended")
            default: break
            }
        }
    }

    @Test("Several instruments receive each event in the order of their addition")
    func order() async throws {
        let (store, events) = (Ledger.store(), Collector<String>())
        let names = ["first", "second", "third"]
        let uses = names.map { store.use(NamedInstrument(name: $0, events: events)) }
        try await store.dispatch(.start(.run { _ in })).finish()
        _ = await store.state
        let kinds = ["accepted", "reduced", "began", "ended"]
        #expect(events.elements == kinds.flatMap { kind in names.map { "\($0) \(kind)" } })
        uses[0].remove()
        store.use(NamedInstrument(name: "fourth", events: events))
        store.send(.add(1))
        #expect(
            events.elements.suffix(6) == [
                "second accepted", "third accepted", "fourth accepted",
                "second reduced", "third reduced", "fourth reduced",
            ]
        )
    }

    @Test("A removed instrument does not receive the end of an effect that began before")
    func removedInstrument() async throws {
        let (store, events, goOn) = (Ledger.store(), Collector<String>(), Signal())
        let removed = store.use(NamedInstrument(name: "removed", events: events))
        store.use(NamedInstrument(name: "other", events: events))
        let effect = try await store.dispatch(.start(.run { _ in await goOn.wait() }))
        removed.remove()
        goOn.fire()
        try await effect.finish()
        _ = await store.state
        #expect(events.elements.suffix(3) == ["removed began", "other began", "other ended"])
    }
}
