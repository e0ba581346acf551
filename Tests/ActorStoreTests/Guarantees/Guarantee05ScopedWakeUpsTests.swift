import ActorStore
import Synchronization
import Testing

@testable import TestFixtures

@Suite("Guarantee 5: scoped wake-ups", .timeLimit(.minutes(10)))
struct ScopedWakeUpsTests {
    /// Counts how often it is compared.
    struct Counted: Equatable, Sendable {
        var value = 0
        let comparisons: Comparisons
        static func == (left: Counted, right: Counted) -> Bool {
            left.comparisons.count.add(1, ordering: .relaxed)
            return left.value == right.value
        }
    }

    final class Comparisons: Sendable { let count = Atomic<Int>(0) }

    @Test("An observer is not woken by changes of other parts")
    func otherPartsDoNotWake() async throws {
        let store = Ledger.store()
        let calls = Collector<String>()
        let token = store.observe(\.note) { calls.append($0) }
        let wakeUps = Collector<String>()
        let observer = Task {
            for await note in store.values(of: \.note) {
                wakeUps.append(note)
                if note == "end" { break }
            }
        }
        await until { !wakeUps.elements.isEmpty }
        for number in 0..<1_000 { try await store.dispatch(.enter(0, number)) }
        try await store.dispatch(.write("end"))
        await observer.value
        #expect(wakeUps.elements == ["", "end"])
        #expect(calls.elements == ["", "end"])
        token.cancel()
    }

    /// A part that counts its comparisons, stored and computed.
    struct Parts: Equatable, Sendable {
        var part: Counted
        var other = 0
        var computed: Counted { part }
    }

    enum Step: Sendable { case other, part }

    static func store(_ comparisons: Comparisons) -> Store<Parts, Step> {
        Store(initialState: Parts(part: Counted(comparisons: comparisons))) { (state: inout Parts, step: Step) in
            switch step {
            case .other: state.other += 1
            case .part: state.part.value += 1
            }
        }
    }

    @Test(
        "Observers of a stored part cost one comparison per action that writes it, and none for other actions"
    )
    func oneComparisonForEachGroup() async throws {
        let comparisons = Comparisons()
        let store = Self.store(comparisons)
        let calls = Collector<Int>()
        let sequences = (0..<100).map { _ in store.values(of: \.part) }
        let tokens = (0..<100).map { _ in store.observe(\.part) { calls.append($0.value) } }
        let before = comparisons.count.load(ordering: .relaxed)
        for _ in 0..<50 { try await store.dispatch(.other) }
        #expect(comparisons.count.load(ordering: .relaxed) == before)
        for _ in 0..<50 { try await store.dispatch(.part) }
        #expect(comparisons.count.load(ordering: .relaxed) == before + 50)
        #expect(calls.elements.count == 100 * 51)
        withExtendedLifetime((sequences, tokens)) {}
    }

    @Test("Observers of a computed part cost one comparison per action, whatever their number")
    func oneComparisonForEachComputedGroup() async throws {
        let comparisons = Comparisons()
        let store = Self.store(comparisons)
        let tokens = (0..<100).map { _ in store.observe(\.computed) { _ in } }
        let before = comparisons.count.load(ordering: .relaxed)
        for _ in 0..<50 { try await store.dispatch(.other) }
        #expect(comparisons.count.load(ordering: .relaxed) == before + 50)
        withExtendedLifetime(tokens) {}
    }

    @Test("A group without observers is no longer compared")
    func emptyGroupsCostNothing() async throws {
        let comparisons = Comparisons()
        let store = Self.store(comparisons)
        var token: StoreObservation? = store.observe(\.computed) { _ in }
        _ = store.values(of: \.computed)
        #expect(store.statistics.observers == 1)
        try await store.dispatch(.other)
        token = nil
        #expect(token == nil && store.statistics.observers == 0)
        let before = comparisons.count.load(ordering: .relaxed)
        for _ in 0..<50 { try await store.dispatch(.other) }
        #expect(comparisons.count.load(ordering: .relaxed) == before)
    }
}
