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
    for (second, events) in seconds(of: changes).enumerated() {
        // What happens at the end of an interval comes before a change in the same second.
        if second > 0 { clock.advance(by: .seconds(1)) }
        executor.runUntilIdle()
        for event in events {
            if event == "|" {
                await store.shutdown(drain: .finishEffects)
            } else if second > 0 {
                store.send(event)
            }
        }
        executor.runUntilIdle()
        let new = delivered.elements.dropFirst(count)
        count += new.count
        timeline += text(of: new)
    }
    #expect(timeline == expected, "The changes were \(changes)", sourceLocation: place)
    observer.cancel()
    executor.runUntilIdle()
}

/// Expects what the effects of requests send, and when they end, second by second.
///
/// In all texts each character is a second, `-` is a second without an event, and the events of one second stand in
/// parentheses. In `requests` a letter is an action for which the reducer returns an effect, and `|` is a shutdown that
/// cancels the effects. In `send` a letter is an action that an effect sends. In `end` a letter is a request whose
/// effects have all ended: at once if they were dropped, early if they were replaced or cancelled.
///
/// ```swift
/// try await expect(requests: "a-b----", send: "-----b-", end: "--a--b-") { request, clock in
///     .send(request).debounce(id: "search", for: .seconds(3), clock: clock)
/// }
/// ```
///
/// The effects run on an executor that the test runs, so that each second is over before the next one begins. What is
/// due in a second happens before its requests. At the end no effect and no sleeper may be left.
func expect(
    requests: String,
    send expectedActions: String,
    end expectedEnds: String,
    _ place: Testing.SourceLocation = #_sourceLocation,
    effect: @escaping @Sendable (Character, ManualClock) -> Effect<Character>
) async throws {
    enum Action: Sendable { case request(Character), sent(Character) }
    let (clock, executor, sent) = (ManualClock(), ManualExecutor(), Collector<Character>())
    let reducer = Reduce<Int, Action> { _, action in
        switch action {
        case .request(let request): return effect(request, clock).map(Action.sent)
        case .sent(let letter):
            sent.append(letter)
            return .none
        }
    }
    let store = Store(initialState: 0, reducer: reducer, configuration: StoreConfiguration(executor: executor))
    var (actions, ends, count, requestCount) = ("", "", 0, 0)
    var tasks: [(request: Character, task: StoreTask)] = []
    for (second, events) in seconds(of: requests).enumerated() {
        if second > 0 { clock.advance(by: .seconds(1)) }
        executor.runUntilIdle()
        for event in events {
            if event == "|" {
                store.beginShutdown(drain: .cancelEffects)
            } else {
                tasks.append((event, try await store.dispatch(.request(event))))
                requestCount += 1
            }
        }
        executor.runUntilIdle()
        let new = sent.elements.dropFirst(count)
        count += new.count
        actions += text(of: new)
        ends += text(of: tasks.filter(\.task.isFinished).map(\.request))
        tasks.removeAll(where: \.task.isFinished)
    }
    #expect(actions == expectedActions, "What was sent for the requests \(requests)", sourceLocation: place)
    #expect(ends == expectedEnds, "The ends of the requests \(requests)", sourceLocation: place)
    #expect(Int(store.revision) == requestCount + count, "Actions for \(requests)", sourceLocation: place)
    #expect(store.statistics.runningEffects == 0, "Effects are left of \(requests)", sourceLocation: place)
    #expect(clock.sleepers == 0, "Sleepers are left of \(requests)", sourceLocation: place)
    store.beginShutdown(drain: .cancelEffects)
    executor.runUntilIdle()
}

/// The events of each second of a timeline.
private func seconds(of timeline: String) -> [[Character]] {
    var (seconds, group): ([[Character]], [Character]?) = ([], nil)
    for character in timeline {
        switch character {
        case "(": group = []
        case ")":
            seconds.append(group ?? [])
            group = nil
        case _ where group != nil: group?.append(character)
        case "-": seconds.append([])
        default: seconds.append([character])
        }
    }
    precondition(group == nil, "The timeline \(timeline) has a parenthesis that is not closed.")
    return seconds
}

/// The text of the events of one second.
private func text(of events: some Collection<Character>) -> String {
    events.count > 1 ? "(\(String(events)))" : String(events.first ?? "-")
}
