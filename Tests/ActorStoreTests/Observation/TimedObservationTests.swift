import ActorStore
import Testing

@testable import TestFixtures

@Suite("Timed observations", .timeLimit(.minutes(10)))
struct TimedObservationTests {
    private let clock = ManualClock()
    private let store = Store(initialState: 0) { (number: inout Int, new: Int) in number = new }

    private enum Timing: CaseIterable { case throttle, coalesce, debounce }

    private func makeStore() -> Store<Int, Int> {
        Store(initialState: 0) { (number: inout Int, new: Int) in number = new }
    }

    /// Holds values back for 10 s.
    private func sequence(
        _ timing: Timing,
        of values: StoreSequence<Int>,
        _ clock: ManualClock
    ) -> any AsyncSequence<Int, Never> & Sendable {
        switch timing {
        case .throttle: values.throttle(for: .seconds(10), clock: clock)
        case .coalesce: values.coalesce(for: .seconds(10), clock: clock)
        case .debounce: values.debounce(for: .seconds(10), clock: clock)
        }
    }

    /// Waits until the observers have taken everything.
    private func waitUntilAllIsTaken(from store: Store<Int, Int>) async {
        await until { await !(store.observerRecords.contains(where: { $0.pending > 0 })) }
    }

    /// Follows a sequence in a task, and collects its values.
    private func follow(_ values: any AsyncSequence<Int, Never> & Sendable) -> (
        task: Task<Void, Never>, got: Collector<Int>
    ) {
        let got = Collector<Int>()
        return (Task { for await value in values { got.append(value) } }, got)
    }

    private func wait(for count: Int, in got: Collector<Int>) async {
        await until { got.elements.count >= count }
    }

    @Test("throttle delivers the first change at once, then the newest at the end of each interval")
    func throttle() async {
        await expect(changes: "abc----d-e---|", deliver: "a--c---d--e--|") { values, clock in
            values.throttle(for: .seconds(3), clock: clock)
        }
    }

    @Test("coalesce delivers the newest value at the end of the interval that the first change began")
    func coalesce() async {
        await expect(changes: "ab-c------d-|-", deliver: "a---c--------(d|)") { values, clock in
            values.coalesce(for: .seconds(3), clock: clock)
        }
    }

    @Test("debounce delivers the newest value after an interval without a change")
    func debounce() async {
        await expect(changes: "a-b-c------d|", deliver: "a------c----(d|)") { values, clock in
            values.debounce(for: .seconds(3), clock: clock)
        }
    }

    @Test("debounce with a maximum wait delivers a value under ceaseless changes")
    func maximumWait() async {
        await expect(changes: "a-b-c-d-e-----|", deliver: "a------d---e--|") { values, clock in
            values.debounce(for: .seconds(3), maximumWait: .seconds(5), clock: clock)
        }
    }

    @Test("A value that changes and changes back within the interval is delivered by none of them")
    func changedBackInTime() async {
        await expect(changes: "a---bab---|", deliver: "a---b-----|") { values, clock in
            values.throttle(for: .seconds(3), clock: clock)
        }
        await expect(changes: "a---ba----|", deliver: "a---------|") { values, clock in
            values.coalesce(for: .seconds(3), clock: clock)
        }
        await expect(changes: "a---ba----|", deliver: "a---------|") { values, clock in
            values.debounce(for: .seconds(3), clock: clock)
        }
    }

    @Test("The end of the store delivers a value held back by debounce, and ends the sequence")
    func end() async {
        let (task, got) = follow(store.values(of: \.self).debounce(for: .seconds(10), clock: clock))
        await wait(for: 1, in: got)
        store.send(1)
        await clock.waitForSleeper(until: .seconds(10))
        await store.shutdown(drain: .finishEffects)
        await task.value
        #expect(got.elements == [0, 1])
    }

    @Test("A value that changes and changes back within the interval is not delivered again")
    func changedBack() async {
        for timing in Timing.allCases {
            let (clock, store) = (ManualClock(), makeStore())
            let (task, got) = follow(sequence(timing, of: store.values(of: \.self), clock))
            await wait(for: 1, in: got)
            if timing == .throttle { await clock.waitForSleepers() }
            store.send(1)
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
            store.send(0)
            if timing == .debounce { await clock.waitForSleeper(until: .seconds(11)) }
            clock.advance(by: .seconds(10))
            await clock.waitForSleepers(0)
            await waitUntilAllIsTaken(from: store)
            store.send(2)
            if timing != .throttle {
                await clock.waitForSleepers()
                clock.advance(by: .seconds(10))
            }
            await wait(for: 2, in: got)
            #expect(got.elements == [0, 2], "\(timing)")
            task.cancel()
            await task.value
        }
    }

    @Test("A value that changes and changes back before the end of the store is not delivered again")
    func changedBackAtTheEnd() async {
        for timing in Timing.allCases {
            let (clock, store) = (ManualClock(), makeStore())
            let sequence = sequence(timing, of: store.values(of: \.self), clock)
            let (task, got) = follow(sequence)
            await wait(for: 1, in: got)
            if timing == .throttle { await clock.waitForSleepers() }
            store.send(1)
            await clock.waitForSleepers()
            store.send(0)
            await store.shutdown(drain: .finishEffects)
            clock.advance(by: .seconds(10))
            await task.value
            #expect(got.elements == [0], "\(timing)")
        }
    }

    @Test("The end of the store delivers the newest held-back value")
    func newestAtTheEnd() async {
        for timing in Timing.allCases {
            for buffering in [BufferingPolicy.latest, .unbounded] {
                let (clock, store) = (ManualClock(), makeStore())
                let sequence = sequence(timing, of: store.values(of: \.self, buffering: buffering), clock)
                let (task, got) = follow(sequence)
                await wait(for: 1, in: got)
                store.send(1)
                await clock.waitForSleepers()
                store.send(0)
                store.send(2)
                await store.shutdown(drain: .finishEffects)
                await until {
                    clock.advance(by: .seconds(10))
                    return got.elements.last == 2
                }
                clock.advance(by: .seconds(10))
                await task.value
                #expect(zip(got.elements, got.elements.dropFirst()).allSatisfy { $0 != $1 }, "\(timing), \(buffering)")
            }
        }
    }

    @Test("A sequence does not wait for impossible values after the end of the store")
    func afterTheEnd() async {
        for timing in Timing.allCases {
            let (clock, store) = (ManualClock(), makeStore())
            var iterator = sequence(timing, of: store.values(of: \.self), clock).makeAsyncIterator()
            #expect(await iterator.next(isolation: nil) == 0)
            if timing != .throttle { store.send(1) }
            await store.shutdown(drain: .finishEffects)
            if timing != .throttle { #expect(await iterator.next(isolation: nil) == 1, "\(timing)") }
            #expect(await iterator.next(isolation: nil) == nil, "\(timing)")
        }
    }

    @Test("An observation without a notion of equality delivers equal values")
    func withoutEquality() async {
        for timing in Timing.allCases {
            let (clock, store) = (ManualClock(), makeStore())
            let values = store.values(of: .part(\.self, removeDuplicates: .everyAction))
            let (task, got) = follow(sequence(timing, of: values, clock))
            await wait(for: 1, in: got)
            if timing == .throttle { await clock.waitForSleepers() }
            store.send(0)
            await clock.waitForSleepers()
            clock.advance(by: .seconds(10))
            await wait(for: 2, in: got)
            #expect(got.elements == [0, 0], "\(timing)")
            task.cancel()
            await task.value
        }
    }

    @Test("Values are compared by the equality of the observation")
    func otherEquality() async {
        for timing in Timing.allCases {
            let (clock, store) = (ManualClock(), makeStore())
            let values = store.values(
                of: .part(\.self, removeDuplicates: Deduplication { old, new in old % 10 == new % 10 })
            )
            let (task, got) = follow(sequence(timing, of: values, clock))
            await wait(for: 1, in: got)
            if timing == .throttle { await clock.waitForSleepers() }
            store.send(1)
            await clock.waitForSleepers()
            store.send(20)
            await store.shutdown(drain: .finishEffects)
            clock.advance(by: .seconds(10))
            await task.value
            #expect(got.elements == [0], "\(timing)")
        }
    }

    @Test("coalesce and debounce deliver the newest of buffered values, throttle one in each interval")
    func buffered() async {
        for timing in Timing.allCases {
            let (clock, store) = (ManualClock(), makeStore())
            let (task, got) = follow(sequence(timing, of: store.values(of: \.self, buffering: .unbounded), clock))
            await wait(for: 1, in: got)
            if timing == .throttle { await clock.waitForSleepers() }
            store.send(1)
            await clock.waitForSleepers()
            for number in 2...5 { store.send(number) }
            await until {
                clock.advance(by: .seconds(10))
                return got.elements.last == 5
            }
            #expect(got.elements == (timing == .throttle ? [0, 1, 2, 3, 4, 5] : [0, 5]), "\(timing)")
            task.cancel()
            await task.value
        }
    }

    @Test("debounce counts its maximum wait from the first change, also if the value changes back meanwhile")
    func maximumWaitOfChangesBack() async {
        let sequence = store.values(of: \.self).debounce(for: .seconds(10), maximumWait: .seconds(15), clock: clock)
        let (task, got) = follow(sequence)
        await wait(for: 1, in: got)
        store.send(1)
        await clock.waitForSleeper(until: .seconds(10))
        clock.advance(by: .seconds(8))
        store.send(0)
        await clock.waitForSleeper(until: .seconds(18))
        clock.advance(by: .seconds(4))
        store.send(1)
        await clock.waitForSleeper(until: .seconds(15))
        clock.advance(by: .seconds(3))
        await wait(for: 2, in: got)
        #expect(got.elements == [0, 1])
        task.cancel()
        await task.value
    }

    @Test("debounce delivers the next new value at once if its maximum wait ended with an equal one")
    func maximumWaitThatEndsOnAnEqualValue() async {
        let sequence = store.values(of: \.self).debounce(for: .seconds(10), maximumWait: .seconds(15), clock: clock)
        let (task, got) = follow(sequence)
        await wait(for: 1, in: got)
        store.send(1)
        await clock.waitForSleeper(until: .seconds(10))
        clock.advance(by: .seconds(8))
        store.send(0)
        await clock.waitForSleeper(until: .seconds(18))
        clock.advance(by: .seconds(8))
        #expect(got.elements == [0])
        // Changes have not ceased for longer than the maximum wait.
        store.send(1)
        await wait(for: 2, in: got)
        #expect(got.elements == [0, 1])
        task.cancel()
        await task.value
    }

    @Test("An iterator delivers nothing after the cancellation of its task, whatever the store sends")
    func nothingAfterCancellation() async {
        for timing in Timing.allCases {
            let (clock, store) = (ManualClock(), makeStore())
            let sequence = sequence(timing, of: store.values(of: \.self), clock)
            let task = Task {
                var iterator = sequence.makeAsyncIterator()
                var got = [await iterator.next(isolation: nil)]
                store.send(1)
                got.append(await iterator.next(isolation: nil))
                store.send(2)
                got.append(await iterator.next(isolation: nil))
                return got
            }
            await clock.waitForSleepers()
            task.cancel()
            #expect(await task.value == [0, nil, nil], "\(timing)")
            #expect(store.statistics.observers == 0, "\(timing)")
        }
    }

    @Test("A cancelled task ends the observation in each of its waits")
    func cancellation() async {
        for timing in Timing.allCases {
            let (task, got) = follow(sequence(timing, of: store.values(of: \.self), clock))
            await wait(for: 1, in: got)
            store.send(store.snapshot + 1)
            await until { clock.sleepers != 0 }
            task.cancel()
            await task.value
            #expect(got.elements.count == 1)
            await until { clock.sleepers == 0 }
        }
    }
}
