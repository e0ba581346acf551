#if SQLite
    import ActorStore
    import ActorStoreFoundation
    @testable import ActorStorePersistence
    import ActorStoreSQLite
    import ActorStoreTesting
    import Foundation
    import Testing

    @Suite("Timers of durable stores", .timeLimit(.minutes(10)))
    struct DurableTimerTests {
        /// Timers with ends in the state, begun again by an action of the program.
        struct Auctions: Reducer {
            struct State: Codable, Equatable, Sendable {
                var ends: [Int: WallClock.Instant] = [:]
                var sold: [Int] = []
            }

            enum Action: Codable, Sendable {
                case opened(Int, until: WallClock.Instant)
                case closed(Int)
                case restarted
            }

            let clock: WallClock

            func reduce(into state: inout State, action: Action) -> Effect<Action> {
                switch action {
                case .opened(let lot, let end):
                    state.ends[lot] = end
                    return .send(.closed(lot)).delay(until: end, clock: clock)
                case .restarted:
                    return .merge(state.ends.map { .send(.closed($0)).delay(until: $1, clock: clock) })
                case .closed(let lot):
                    state.ends[lot] = nil
                    state.sold.append(lot)
                    return .none
                }
            }
        }

        private let workplace: Workplace

        init() throws { workplace = try Workplace() }

        private func open(_ clock: WallClock) async throws -> DurableStore<Auctions.State, Auctions.Action> {
            try await Store.durable(
                in: SQLiteLog(at: workplace.log),
                initialState: Auctions.State(),
                reducer: Auctions(clock: clock)
            )
        }

        @Test("A timer to a date in the state fires at that date after a restart, or at once if it has passed")
        func restart() async throws {
            let testClock = TestClock()
            let clock = WallClock(startingAt: Date(timeIntervalSince1970: 1_800_000_000), by: testClock)
            let before = try await open(clock)
            let (soon, late) = (clock.now.advanced(by: .seconds(30)), clock.now.advanced(by: .seconds(60)))
            try await before.dispatch(.opened(1, until: late))
            try await before.dispatch(.opened(2, until: soon))
            await before.shutdown(drain: .cancelEffects)

            await testClock.advance(by: .seconds(40))
            let after = try await open(clock)
            #expect(after.snapshot.ends == [1: late, 2: soon])
            let effects = try await after.dispatch(.restarted)
            try await after.store.condition { $0.sold == [2] }
            await testClock.advance(by: .milliseconds(19_999))
            #expect(after.snapshot.sold == [2])
            await testClock.advance(by: .milliseconds(1))
            try await effects.finish()
            #expect(await after.store.state == Auctions.State(sold: [2, 1]))
            await after.shutdown(drain: .finishEffects)
        }
    }
#endif
