import ActorStore
import ActorStoreInstruments
import Foundation
import Testing

@testable import TestFixtures

@Suite("Ready-made instruments", .timeLimit(.minutes(10)))
struct ReadyMadeInstrumentTests {
    @Test("A recording keeps the last events, in order, and counts those beyond its capacity")
    func recording() async throws {
        let (store, recording) = (Ledger.store(), RecordingInstrument(capacity: 3))
        store.use(recording)
        for amount in 1...3 { store.send(.add(amount)) }
        #expect(recording.lines == ["store 2 reduced #2", "store 3 accepted add(3)", "store 3 reduced #3"])
        #expect(recording.discarded == 3)
        recording.removeAll()
        #expect(recording.events.isEmpty && recording.discarded == 0)
        store.send(.add(4))
        #expect(recording.lines == ["store 4 accepted add(4)", "store 4 reduced #4"])
    }

    @Test("The counts are exact with many stores and threads")
    func counting() async throws {
        let counting = CountingInstrument()
        let stores = [Ledger.store(), Ledger.store()]
        for store in stores { store.use(counting) }
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<4 {
                group.addTask { for number in 0..<500 { stores[sender % 2].send(.enter(sender, number)) } }
            }
        }
        for store in stores { _ = await store.state }
        #expect(counting.counts.actions.count == 2_000)
        #expect(counting.counts.reductions.count == 2_000)
        #expect(counting.counts.begunEffects == 0 && counting.counts.rejected == 0)
    }

    @Test("A trace is JSON: a complete event for each reduction, a pair for each effect, one row for each store")
    func trace() async throws {
        let (clock, text) = (ManualClock(), Collector<String>())
        let trace = ChromeTraceInstrument { piece in text.append(piece) }
        let store = Ledger.store(configuration: StoreConfiguration(name: "the \"orders\"\\\u{1}"))
        store.use(trace, clock: clock)
        clock.advance(by: .nanoseconds(1_234_005))
        store.send(.write("a\nb"))
        let effect = Effect<Ledger.Action>.run(id: "fetch") { _ in clock.advance(by: .microseconds(5)) }
        try await store.dispatch(.start(effect)).finish()
        _ = await store.state
        trace.finish()
        trace.finish()
        store.send(.add(1))
        let json = try JSONSerialization.jsonObject(with: Data(text.elements.joined().utf8))
        let events = try #require(json as? [[String: Any]])
        #expect(events.map { $0["ph"] as? String } == ["M", "X", "X", "b", "e"])
        #expect(Set(events.map { $0["tid"] as? Int }) == [1])
        #expect((events[0]["args"] as? [String: Any])?["name"] as? String == "the \"orders\"\\\u{1}")
        #expect(events[1]["name"] as? String == "write(\"a\\nb\")")
        #expect(events[1]["ts"] as? Double == 1_234.005)
        #expect(events[1]["dur"] as? Double == 0)
        #expect(events[3]["name"] as? String == "fetch")
        #expect(events[3]["id"] as? String == events[4]["id"] as? String)
        #expect(events[4]["ts"] as? Double == 1_239.005)
        #expect((events[4]["args"] as? [String: Any])?["outcome"] as? String == "ended")
    }

    @Test("A trace continues when its clock exceeds the range of whole nanoseconds")
    func distantTimes() async throws {
        let (clock, text) = (ManualClock(), Collector<String>())
        let trace = ChromeTraceInstrument { piece in text.append(piece) }
        let store = Ledger.store()
        store.use(trace, clock: clock)
        clock.advance(by: .seconds(10_000_000_000))
        store.send(.add(1))
        _ = await store.state
        trace.finish()
        let json = try JSONSerialization.jsonObject(with: Data(text.elements.joined().utf8))
        #expect((json as? [[String: Any]])?.last?["ts"] as? Double == 1e16)
    }

    @Test("A trace without events is JSON")
    func emptyTrace() throws {
        let text = Collector<String>()
        ChromeTraceInstrument { piece in text.append(piece) }.finish()
        let json = try JSONSerialization.jsonObject(with: Data(text.elements.joined().utf8))
        #expect((json as? [Any])?.isEmpty == true)
    }
}
