import Testing

@testable import ActorStorePersistence

@Suite("The schedule of reminders")
struct ReminderScheduleTests {
    private typealias Schedule = ReminderSchedule<Int, ContinuousClock.Instant>

    private let start = ContinuousClock.now
    private var schedule = Schedule()

    private func time(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private mutating func plan(_ times: [Int: Int], at now: Int) -> Schedule.Plan {
        schedule.note(times.mapValues { time($0) })
        return schedule.plan(at: time(now))
    }

    private mutating func send(_ key: Int, for seconds: Int) -> Bool { schedule.noteSent(key, for: time(seconds)) }

    private func expected(_ due: [Int], next: Int? = nil) -> Schedule.Plan {
        Schedule.Plan(due: due, next: next.map { time($0) })
    }

    @Test("Reminders are due in the order of their times, and the first of the others is next")
    mutating func order() {
        let times = [1: 3, 2: 1, 3: 2, 4: 9, 5: 7]
        #expect(plan(times, at: 0) == expected([], next: 1))
        #expect(plan(times, at: 3) == expected([2, 3, 1], next: 7))
        #expect(plan([:], at: 3) == expected([]))
    }

    @Test("A sent reminder is due again after it was refused, moved, or removed and added, and not otherwise")
    mutating func repeats() {
        #expect(plan([1: 5], at: 6) == expected([1]))
        #expect(send(1, for: 5))
        #expect(plan([1: 5], at: 6) == expected([]))
        schedule.noteRefused(1, at: time(6))
        #expect(plan([1: 5], at: 7) == expected([1]))
        #expect(send(1, for: 5))
        #expect(plan([1: 8], at: 7) == expected([], next: 8))
        #expect(plan([1: 8], at: 8) == expected([1]))
        #expect(send(1, for: 8))
        #expect(plan([:], at: 9) == expected([]))
        #expect(!send(1, for: 8))
        #expect(plan([1: 8], at: 9) == expected([1]))
        #expect(!send(1, for: 7))
    }

    @Test("A refused reminder is due after twice the delay each time, up to a minute, and delays no other one")
    mutating func refusals() {
        var now = 10
        for delay in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
            #expect(plan([1: 5, 2: 9_000], at: now) == expected([1], next: 9_000))
            #expect(send(1, for: 5))
            schedule.noteRefused(1, at: time(now))
            #expect(plan([1: 5, 2: now], at: now) == expected([2], next: now + delay))
            now += delay
        }
        // A moved one is another one.
        #expect(plan([1: 6], at: now) == expected([1]))
        #expect(send(1, for: 6))
        schedule.noteRefused(1, at: time(now))
        #expect(plan([1: 6], at: now) == expected([], next: now + 1))
    }
}
