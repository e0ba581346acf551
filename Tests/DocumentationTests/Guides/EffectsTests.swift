import ActorStore
import ActorStoreSimulation
import Testing

@testable import TestFixtures

/// What the weather reducer of `Effects.md` asks.
protocol Station: Sendable {
    func temperature(in city: String) async throws -> Double
    func measurements(in city: String) -> AsyncStream<Double>
    func forget(_ city: String) async
}

struct ConnectionLost: Error {}

/// The code of `Effects.md`.
@Suite("The article about effects", .timeLimit(.minutes(10)))
struct EffectsTests {
    struct Weather: Reducer {
        struct State: Equatable, Sendable {
            var city: String?
            var temperature: Double?
            var problem: String?
            var isStale = false
        }

        enum Action: Sendable {
            case opened(city: String)
            case measured(Double)
            case loaded(Result<Double, any Error>)
            case refresh
            case stationIsSilent
            case closed
        }

        let station: any Station
        var clock: any Clock<Duration> = ContinuousClock()

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .opened(let city):
                let previous = state.city
                state.city = city
                return .merge {
                    refresh(city)
                    Effect.timer(id: "refresh", policy: .cancelInFlight, every: .seconds(600), clock: clock) { _ in
                        .refresh
                    }
                    Effect.sequence(id: "live", policy: .cancelInFlight, station.measurements(in: city)) { value in
                        .measured(value)
                    }
                    if let previous { Effect.fireAndForget { await station.forget(previous) } }
                }
            case .refresh:
                return state.city.map(refresh) ?? .none
            case .measured(let temperature), .loaded(.success(let temperature)):
                state.temperature = temperature
                state.isStale = false
                return .none
            case .loaded(.failure(let error)):
                state.problem = "\(error)"
                return .none
            case .stationIsSilent:
                state.isStale = true
                return .none
            case .closed:
                state = State()
                return .merge(.cancel(id: "refresh"), .cancel(id: "live"), .cancel(id: "load"))
            }
        }

        private func refresh(_ city: String) -> Effect<Action> {
            .task(id: "load", policy: .cancelInFlight) {
                try await station.temperature(in: city)
            } then: { result in
                .loaded(result)
            }
            .timeout(after: .seconds(20), clock: clock) { .stationIsSilent }
        }
    }

    /// A station that answers the odd attempts only after an error, has one measurement, and is silent about Atlantis.
    private final class FakeStation: Station {
        let attempts = Collector<String>()
        let forgotten = Collector<String>()

        func temperature(in city: String) async throws -> Double {
            attempts.append(city)
            if city == "Atlantis" { await untilCancelled() }
            if city == "Oslo" && !attempts.elements.count.isMultiple(of: 2) { throw ConnectionLost() }
            return 20
        }

        func measurements(in city: String) -> AsyncStream<Double> {
            AsyncStream { continuation in if city == "Rome" { continuation.yield(30) } }
        }

        func forget(_ city: String) async { forgotten.append(city) }
    }

    @Test("The article's weather is measured, refreshed by a timer, timed out, and closed")
    func weather() async throws {
        let station = FakeStation()
        let clock = ManualClock()
        let store = Store(initialState: .init(), reducer: Weather(station: station, clock: clock))
        try await store.dispatch(.opened(city: "Bergen"))
        await until { store.snapshot.temperature == 20 }
        await clock.waitForSleeper(until: .seconds(600))
        clock.advance(by: .seconds(600))
        await until { station.attempts.elements.count >= 2 }

        try await store.dispatch(.opened(city: "Rome"))
        await until { station.attempts.elements.count >= 3 && store.snapshot.temperature != nil }
        #expect(station.forgotten.elements == ["Bergen"])

        clock.advance(by: .seconds(5))
        let silent = try await store.dispatch(.opened(city: "Atlantis"))
        await clock.waitForSleeper(until: .seconds(625))
        clock.advance(by: .seconds(20))
        await until { store.snapshot.isStale }
        try await store.dispatch(.closed)
        try await silent.finish()
        #expect(await store.state == Weather.State())
        await until { store.statistics.runningEffects == 0 }
        #expect(clock.sleepers == 0)
    }

    @Test("The retries of the article end")
    func retries() async throws {
        let station = FakeStation()
        let clock = ManualClock()
        let random = SimulationGenerator(seed: 1)
        let lines = Collector<String>()
        let log: @Sendable (String) -> Void = { lines.append($0) }

        let policy = RetryPolicy(
            maxAttempts: 5,
            backoff: .exponential(base: .milliseconds(200), cap: .seconds(10)),
            jitter: .full
        )
        let effect: Effect<Weather.Action> = .task {
            .measured(try await station.temperature(in: "Oslo"))
        } catch: { error in
            .loaded(.failure(error))
        }
        let patient = effect.retry(policy, clock: clock, random: random) { error in error is ConnectionLost }

        let reducer = Reduce<Double, Weather.Action> { temperature, action in
            if case .measured(let measured) = action { temperature = measured }
            if case .refresh = action { return patient }
            return .none
        }
        let store = Store(initialState: 0, reducer: reducer)
        var generator = random
        let wait = try #require(policy.wait(afterAttempt: 1, using: &generator))
        let task = try await store.dispatch(.refresh)
        await clock.waitForSleeper(until: wait)
        clock.advance(by: wait)
        try await task.finish()
        #expect(await store.state == 20)

        let waiter = Task {
            await clock.waitForSleeper(until: wait + wait)
            clock.advance(by: wait)
        }
        let temperature = try await retry(policy, clock: clock, random: random) { attempt in
            log("attempt \(attempt.number)")
            return try await withTimeout(.seconds(5), clock: clock) { try await station.temperature(in: "Oslo") }
        }
        await waiter.value
        #expect(temperature == 20)
        #expect(lines.elements == ["attempt 1", "attempt 2"])
    }
}
