import ActorStore
import ActorStoreSimulation
import ActorStoreTesting
import Foundation
import Testing

@testable import ActorStoreFoundation

@Suite("Wall clocks", .timeLimit(.minutes(10)))
struct WallClockTests {
    static let opening = Date(timeIntervalSince1970: 1_800_000_000)

    /// Lots, each of which is sold when its time is over.
    struct Auctions: Reducer {
        struct State: Codable, Equatable, Sendable {
            var ends: [Int: WallClock.Instant] = [:]
            var sold: [Int] = []
        }

        enum Action: Equatable, Sendable {
            case opened(Int, until: WallClock.Instant)
            case restarted
            case ended(Int)
        }

        let clock: WallClock

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .opened(let lot, let end):
                state.ends[lot] = end
                return .send(.ended(lot)).delay(until: end, clock: clock)
            case .restarted:
                return .merge(
                    state.ends.sorted { $0.key < $1.key }.map { lot, end in
                        .send(.ended(lot)).delay(until: end, clock: clock)
                    }
                )
            case .ended(let lot):
                state.ends[lot] = nil
                state.sold.append(lot)
                return .none
            }
        }
    }

    @Test("An effect delayed until a date begins then, also if it is begun anew with a restored state")
    func restart() async throws {
        let testClock = TestClock()
        let clock = WallClock(startingAt: Self.opening, by: testClock)
        let end = clock.now.advanced(by: .seconds(60))
        let before = TestStore(initialState: Auctions.State(), reducer: Auctions(clock: clock))
        let task = await before.dispatch(.opened(1, until: end)) { $0.ends = [1: end] }
        await testClock.advance(by: .seconds(40))
        let saved = try JSONEncoder().encode(before.state)
        await task.cancel()
        await before.finish()

        let restored = try JSONDecoder().decode(Auctions.State.self, from: saved)
        let after = TestStore(initialState: restored, reducer: Auctions(clock: clock))
        await after.dispatch(.restarted)
        await testClock.advance(by: .milliseconds(19_999))
        #expect(after.store.snapshot.sold.isEmpty)
        await testClock.advance(by: .milliseconds(1))
        await after.receive(.ended(1)) {
            $0.ends = [:]
            $0.sold = [1]
        }
        // An expired one begins at once.
        await after.dispatch(.opened(2, until: end)) { $0.ends = [2: end] }
        await after.receive(.ended(2)) {
            $0.ends = [:]
            $0.sold = [1, 2]
        }
        await after.finish()
    }

    @Test("A cancelled delay, and a delay until the end of time, neither begin nor trap")
    func extremes() async {
        let testClock = TestClock()
        let clock = WallClock(startingAt: Self.opening, by: testClock)
        let store = TestStore(initialState: Auctions.State(), reducer: Auctions(clock: clock))
        for (lot, date) in [Date.distantFuture, Date(timeIntervalSince1970: 1e300)].enumerated() {
            let end = WallClock.Instant(date)
            let task = await store.dispatch(.opened(lot, until: end)) { $0.ends[lot] = end }
            await testClock.advance(by: .seconds(1_000_000))
            await task.cancel()
        }
        let past = WallClock.Instant(Date(timeIntervalSince1970: -1e300))
        await store.dispatch(.opened(7, until: past)) { $0.ends[7] = past }
        await store.receive(.ended(7)) {
            $0.ends[7] = nil
            $0.sold = [7]
        }
        await store.finish()
    }

    @Test("A sleep until a date in two thousand years ends at the date, and not before")
    func distantFuture() async throws {
        let clock = WallClock(startingAt: Self.opening, by: ImmediateClock())
        try await clock.sleep(until: WallClock.Instant(.distantFuture))
        #expect(clock.now.date >= .distantFuture)
    }

    @Test("A sleep ends soon after the machine's clock is set forward, and not early after it is set back")
    func changes() async throws {
        let testClock = TestClock()
        let shift = Shift()
        let wall = WallClock(startingAt: Self.opening, by: testClock)
        let clock = WallClock(date: { wall.now.date.addingTimeInterval(shift.seconds) }, by: testClock)
        let woken = Shift()
        let deadline = clock.now.advanced(by: .seconds(600))
        let sleeper = Task {
            try await clock.sleep(until: deadline)
            woken.seconds = 1
        }
        await testClock.advance(by: .seconds(100))
        shift.seconds = -100
        await testClock.advance(by: .seconds(590))
        #expect(woken.seconds == 0)
        shift.seconds = 1_000
        await testClock.advance(by: .seconds(30))
        try await sleeper.value
        #expect(woken.seconds == 1)
    }

    @Test("A sleep does not end before its date, also if that is between two microseconds")
    func fractions() async throws {
        var generator = SimulationGenerator(seed: 1)
        // 0.3 microseconds, and at random.
        for distance in [3e-7] + (0..<200).map({ _ in Double.random(in: 0...1_000, using: &generator) }) {
            let start = Date(timeIntervalSinceReferenceDate: .random(in: 7e8...9e8, using: &generator).rounded())
            let deadline = WallClock.Instant(start.addingTimeInterval(distance))
            let testClock = TestClock()
            let moved = WallClock(startingAt: start, by: testClock)
            let ofMachine = WallClock(date: { moved.now.date }, by: testClock)
            let executor = ManualExecutor()
            let sleepers = [moved, ofMachine].map { clock in
                Task(executorPreference: executor) {
                    try await clock.sleep(until: deadline)
                    #expect(clock.now >= deadline)
                    #expect(clock.now.date < deadline.date.addingTimeInterval(3e-6))
                }
            }
            executor.runUntilIdle()
            await testClock.run()
            for sleeper in sleepers { try await sleeper.value }
        }
    }

    /// The clock step of the machine.
    final class Shift: @unchecked Sendable {
        // Sound: the variable is accessed only under the lock.
        private let lock = NSLock()
        private var value = 0.0
        var seconds: Double {
            get { lock.withLock { value } }
            set { lock.withLock { value = newValue } }
        }
    }

    @Test("The machine's clock tells the date, wakes sleepers, and can be cancelled")
    func machine() async throws {
        let clock = WallClock()
        #expect(abs(clock.now.date.timeIntervalSinceNow) < 60)
        try await clock.sleep(until: clock.now.advanced(by: .milliseconds(1)))
        let sleeper = Task { try await clock.sleep(until: clock.now.advanced(by: .seconds(3_600))) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}
