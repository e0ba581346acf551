import ActorStore
import ActorStoreTesting
import Testing

@testable import TestFixtures

/// Expects what an observer receives of the changes of a store, second by second.
///
/// In both texts each character is a second: `-` is a second without a value, a letter is a value, and `|` is the end
/// of the store or of the observation. Values and the end of one second stand in parentheses. The first letter is the
/// initial state.
///
/// ```swift
/// await expect(changes: "a-b----|", deliver: "a----b-|") { values, clock in
///     values.debounce(for: .seconds(3), clock: clock)
/// }
/// ```
///
/// The observer runs on an executor that the test runs, so that each second is over before the next one begins.
func expect<Values: AsyncSequence<Character, Never> & Sendable>(
    changes: String,
    deliver expected: String,
    _ place: Testing.SourceLocation = #_sourceLocation,
    observed: (StoreSequence<Character>, ManualClock) -> Values
) async {
    let (clock, executor, delivered) = (ManualClock(), ManualExecutor(), Collector<Character>())
    let store = Store(initialState: changes.first ?? "-") { (state: inout Character, new: Character) in state = new }
    let values = observed(store.values(of: \.self), clock)
    let observer = Task(executorPreference: executor) {
        for await value in values { delivered.append(value) }
        delivered.append("|")
    }
    var (timeline, count) = ("", 0)
    for (second, change) in changes.enumerated() {
        // What happens at the end of an interval comes before a change in the same second.
        if second > 0 { clock.advance(by: .seconds(1)) }
        executor.runUntilIdle()
        switch change {
        case "|": await store.shutdown(drain: .finishEffects)
        case "-": break
        default: if second > 0 { store.send(change) }
        }
        executor.runUntilIdle()
        let new = delivered.elements.dropFirst(count)
        count += new.count
        timeline += new.count > 1 ? "(\(String(new)))" : String(new.first ?? "-")
    }
    #expect(timeline == expected, "The changes were \(changes)", sourceLocation: place)
    observer.cancel()
    executor.runUntilIdle()
}
