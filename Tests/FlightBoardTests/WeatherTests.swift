import ActorStore
import ActorStoreComposition
import Testing

@testable import FlightBoard
@testable import TestFixtures

@Suite("Weather", .timeLimit(.minutes(10)))
struct WeatherTests {
    private let snow = WeatherReport(sky: .snow, windInKnots: 24)

    @Test("A late airport retries after failures, with growing waits, and shows the report")
    func retries() async throws {
        let airport = LateAirport { _, attempt in
            if attempt < 3 { throw WeatherError.unavailable }
            return WeatherReport(sky: .snow, windInKnots: 24)
        }
        try await airport.depart(late: 60, at: 0)
        await airport.advance(to: 4)
        #expect(airport.tally == WeatherTally(requests: 1))
        await airport.advance(to: 14)
        #expect(airport.tally == WeatherTally(requests: 1, retries: 1))
        #expect(airport.weather == AirportWeather(request: .asking))
        await airport.advance(to: 15)
        #expect(airport.tally == WeatherTally(requests: 1, retries: 2, answered: 1))
        #expect(airport.weather == AirportWeather(report: snow))
    }

    @Test("An attempt without a response in time is cancelled, and after the last one the state has the reason")
    func timeout() async throws {
        let airport = LateAirport { clock, _ in
            try await clock.sleep(for: .minutes(24 * 60))
            throw WeatherError.unavailable
        }
        try await airport.depart(late: 60, at: 0)
        // Four attempts of 10 minutes, and waits of 5, 10 and 20.
        await airport.advance(to: 74)
        #expect(airport.tally == WeatherTally(requests: 1, retries: 3))
        await airport.advance(to: 75)
        #expect(airport.tally == WeatherTally(requests: 1, retries: 3, failed: 1))
        #expect(airport.weather == AirportWeather(request: .failed(.noAnswer)))
        #expect(airport.clock.sleepers == 0)
    }

    @Test("A request is cancelled when the airport is no longer late, and its response is dropped")
    func cancellation() async throws {
        let cancelled = AsyncStream.makeStream(of: Bool.self)
        let airport = LateAirport { [snow] clock, _ in
            do { try await clock.sleep(for: .minutes(8)) } catch { cancelled.continuation.yield(Task.isCancelled) }
            return snow
        }
        try await airport.depart(late: 60, at: 0)
        await airport.advance(to: 1)
        #expect(airport.weather.request == .asking)
        try await airport.depart(late: 0, at: 2)
        await airport.advance(to: 3)
        var cancellations = cancelled.stream.makeAsyncIterator()
        #expect(await cancellations.next() == true)
        await airport.advance(to: 60)
        #expect(airport.tally == WeatherTally(requests: 1, withdrawn: 1))
        #expect(airport.weather == AirportWeather())
        #expect(airport.clock.sleepers == 0)
    }

    @Test("An airport has one running request, however often it asks")
    func oneAtATime() async throws {
        var rules = WeatherRules()
        rules.interval = .zero
        let airport = LateAirport(weather: rules) { [snow] clock, _ in
            try await clock.sleep(for: .minutes(8))
            return snow
        }
        for minute in 0..<8 { try await airport.depart(late: 60, at: minute) }
        #expect(airport.tally == WeatherTally(requests: 1))
        await airport.advance(to: 8)
        #expect(airport.tally == WeatherTally(requests: 1, answered: 1))
        try await airport.depart(late: 60, at: 9)
        await airport.advance(to: 10)
        #expect(airport.tally == WeatherTally(requests: 2, answered: 1))
    }

    @Test("An airport that is still late asks again when its report has expired")
    func interval() async throws {
        let airport = LateAirport { [snow] _, _ in snow }
        for minute in [0, 60, 179] { try await airport.depart(late: 60, at: minute) }
        await airport.advance(to: 180)
        #expect(airport.tally == WeatherTally(requests: 1, answered: 1))
        try await airport.depart(late: 60, at: 180)
        await airport.advance(to: 181)
        #expect(airport.tally == WeatherTally(requests: 2, answered: 2))
    }

    @Test("The simulated service is deterministic, and fails only if configured to")
    func simulation() async throws {
        for (reliability, hasFailures) in [(WeatherService.Reliability.reliable, false), (.flaky, true)] {
            var outcomes: [[String]] = []
            for _ in 0..<2 {
                let clock = BoardClock(executor: EffectExecutor())
                await clock.advance(to: BoardTime(minutes: 1_000_000))
                let service = WeatherService.simulated(reliability)
                var texts: [String] = []
                for hour in 0..<20 {
                    async let text: String = withDependencies {
                        $0.clock = clock
                    } operation: {
                        do {
                            return try await service.report("EWR", BoardTime(minutes: hour * 60)).description
                        } catch { return "\(error)" }
                    }
                    await until { clock.sleepers > 0 }
                    await clock.finish()
                    texts.append(await text)
                }
                outcomes.append(texts)
            }
            #expect(outcomes[0] == outcomes[1])
            #expect(outcomes[0].contains("unavailable") == hasFailures)
        }
    }
}
