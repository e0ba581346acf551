import ActorStore
import Testing

@Suite("Observation in time", .timeLimit(.minutes(10)))
struct TimedObservationTests {
    private let clock = ManualClock()
    private let store = Store(initialState: 0) { (number: inout Int, new: Int) in number = new }

    /// Follows a sequence in a task, and collects what comes.
    private func follow(_ values: TimedStoreSequence<Int, ManualClock>) -> (
        task: Task<Void, Never>, got: Collector<Int>
    ) {
        let got = Collector<Int>()
        return (Task { for await value in values { got.append(value) } }, got)
    }

    private func wait(for count: Int, in got: Collector<Int>) async {
        while got.elements.count < count { await Task.yield() }
    }

    @Test("throttle gives the first change at once, then the newest at the end of each interval")
    func throttle() async {
        let (task, got) = follow(store.values(of: \.self).throttle(for: .seconds(10), clock: clock))
        await wait(for: 1, in: got)
        await clock.waitForSleepers()
        store.send(1)
        store.send(2)
        clock.advance(by: .seconds(10))
        await wait(for: 2, in: got)
        #expect(got.elements == [0, 2])
        // Nothing happens for longer than an interval: the next change comes at once.
        await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        await clock.waitForSleepers(0)
        clock.advance(by: .seconds(5))
        store.send(3)
        await wait(for: 3, in: got)
        #expect(got.elements == [0, 2, 3])
        task.cancel()
        await task.value
    }

    @Test("coalesce gives the newest value when the interval is over that began with the first change")
    func coalesce() async {
        let (task, got) = follow(store.values(of: \.self).coalesce(for: .seconds(10), clock: clock))
        await wait(for: 1, in: got)
        #expect(got.elements == [0])
        store.send(1)
        await clock.waitForSleeper(until: .seconds(10))
        clock.advance(by: .seconds(9))
        store.send(2)
        #expect(got.elements == [0])
        clock.advance(by: .seconds(1))
        await wait(for: 2, in: got)
        #expect(got.elements == [0, 2])
        task.cancel()
        await task.value
    }

    @Test("debounce gives the newest value when nothing has changed for a while, counted from the last change")
    func debounce() async {
        let (task, got) = follow(store.values(of: \.self).debounce(for: .seconds(10), clock: clock))
        await wait(for: 1, in: got)
        store.send(1)
        await clock.waitForSleeper(until: .seconds(10))
        clock.advance(by: .seconds(6))
        store.send(2)
        await clock.waitForSleeper(until: .seconds(16))
        clock.advance(by: .seconds(9))
        #expect(got.elements == [0])
        clock.advance(by: .seconds(1))
        await wait(for: 2, in: got)
        #expect(got.elements == [0, 2])
        task.cancel()
        await task.value
    }

    @Test("debounce with a maximum wait gives a value although changes never cease")
    func maximumWait() async {
        let sequence = store.values(of: \.self).debounce(for: .seconds(10), maximumWait: .seconds(15), clock: clock)
        let (task, got) = follow(sequence)
        await wait(for: 1, in: got)
        store.send(1)
        await clock.waitForSleeper(until: .seconds(10))
        clock.advance(by: .seconds(8))
        store.send(2)
        await clock.waitForSleeper(until: .seconds(15))
        clock.advance(by: .seconds(7))
        await wait(for: 2, in: got)
        #expect(got.elements == [0, 2])
        task.cancel()
        await task.value
    }

    @Test("When the store ends, a value that is held back by debounce comes at once, and the sequence ends")
    func end() async {
        let (task, got) = follow(store.values(of: \.self).debounce(for: .seconds(10), clock: clock))
        await wait(for: 1, in: got)
        store.send(1)
        await clock.waitForSleeper(until: .seconds(10))
        await store.shutdown(drain: .finishEffects)
        await task.value
        #expect(got.elements == [0, 1])
    }

    @Test("A cancelled task ends the observation whatever it waits for")
    func cancellation() async {
        for sequence in [
            store.values(of: \.self).throttle(for: .seconds(10), clock: clock),
            store.values(of: \.self).coalesce(for: .seconds(10), clock: clock),
            store.values(of: \.self).debounce(for: .seconds(10), clock: clock),
        ] {
            let (task, got) = follow(sequence)
            await wait(for: 1, in: got)
            store.send(store.snapshot + 1)
            while clock.sleepers == 0 { await Task.yield() }
            task.cancel()
            await task.value
            #expect(got.elements.count == 1)
            while clock.sleepers > 0 { await Task.yield() }
        }
    }
}
