import ActorStore
import Synchronization
import Testing

@Suite("Guarantee 5: scoped wake-ups", .timeLimit(.minutes(2)))
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
        while wakeUps.elements.isEmpty { await Task.yield() }
        for number in 0..<1_000 { try await store.dispatch(.enter(0, number)) }
        try await store.dispatch(.write("end"))
        await observer.value
        #expect(wakeUps.elements == ["", "end"])
        #expect(calls.elements == ["", "end"])
        token.cancel()
    }

    @Test("Any number of observers of one key path cost one comparison for each action")
    func oneComparisonForEachGroup() async throws {
        let comparisons = Comparisons()
        struct State: Equatable, Sendable {
            var part: Counted
            var other = 0
        }
        let initialState = State(part: Counted(comparisons: comparisons))
        let store = Store(initialState: initialState) { (state: inout State, step: Int) in state.other += step }
        let sequences = (0..<100).map { _ in store.values(of: \.part) }
        let tokens = (0..<100).map { _ in store.observe(\.part) { _ in } }
        let before = comparisons.count.load(ordering: .relaxed)
        for _ in 0..<50 { try await store.dispatch(1) }
        #expect(comparisons.count.load(ordering: .relaxed) - before == 50)
        withExtendedLifetime((sequences, tokens)) {}
    }

    @Test("A group without observers is no longer compared")
    func emptyGroupsCostNothing() async throws {
        let comparisons = Comparisons()
        struct State: Equatable, Sendable {
            var part: Counted
            var other = 0
        }
        let initialState = State(part: Counted(comparisons: comparisons))
        let store = Store(initialState: initialState) { (state: inout State, step: Int) in state.other += step }
        var token: Observation? = store.observe(\.part) { _ in }
        _ = store.values(of: \.part)
        #expect(store.statistics.observers == 1)
        try await store.dispatch(1)
        token = nil
        #expect(token == nil && store.statistics.observers == 0)
        let before = comparisons.count.load(ordering: .relaxed)
        for _ in 0..<50 { try await store.dispatch(1) }
        #expect(comparisons.count.load(ordering: .relaxed) == before)
    }
}
