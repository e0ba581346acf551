import ActorStore
import ActorStoreComposition
import Foundation
import Testing

@testable import FlightBoard

@Suite("Interruption", .timeLimit(.minutes(10)))
struct InterruptionTests {
    /// The results of a separate run of the program.
    private struct Outcome: Sendable {
        let status: Int32
        let wasKilled: Bool
        let output: String
        let errors: String
    }

    /// Runs the program until its output contains a text, and then interrupts it.
    private func interrupt(_ arguments: [String], at text: String) async throws -> Outcome {
        // Reading blocks, which a task's thread must not do.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try Self.run(arguments, interruptedAt: text) })
            }
        }
    }

    private static func run(_ arguments: [String], interruptedAt text: String) throws -> Outcome {
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent("flightboard")
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        var seen = Data()
        while !String(decoding: seen, as: UTF8.self).contains(text) {
            let news = output.fileHandleForReading.availableData
            if news.isEmpty { break }
            seen += news
        }
        process.interrupt()
        seen += output.fileHandleForReading.readDataToEndOfFile()
        let complaints = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            wasKilled: process.terminationReason == .uncaughtSignal,
            output: String(decoding: seen, as: UTF8.self),
            errors: String(decoding: complaints, as: UTF8.self)
        )
    }

    @Test("An interrupt during a replay ends it in order, with a summary so far, and status 130")
    func midReplay() async throws {
        let outcome = try await interrupt(["--duration", "20"], at: "10%")
        #expect(outcome.status == 130 && !outcome.wasKilled)
        #expect(outcome.errors.isEmpty)
        let summary = try #require(outcome.output.split(separator: "\n").first { $0.hasPrefix("Interrupted after ") })
        #expect(summary.hasSuffix(" events: the figures are those up to then"))
        #expect(outcome.output.contains("By origin: EWR "))
        #expect(!outcome.output.contains("100%"))
        #expect(!outcome.output.contains("A plain loop"))
    }

    @Test("An interrupt while the weather service is silent ends the replay at once, with unfinished requests")
    func requestsInFlight() async throws {
        // An airport that is late from its first departure on, and the rest of the flights of the month after it.
        let schedule = Schedule(try FlightFile(InputFile(path: try FlightBoard.includedPath())).flights)
        let (wishes, wish) = AsyncStream.makeStream(of: Void.self)
        var replay = Replay(schedule: schedule, display: SilentDisplay(), duration: .seconds(3_600))
        replay.rules.alerts = AlertThresholds(window: 1, raise: -1_000, clear: -1_001)
        replay.interruption = Interruption(wishes: wishes)
        let result = try await withDependencies {
            $0.weather = WeatherService { _, _ in
                wish.finish()
                try await Task.sleep(for: .seconds(3_600))
                throw WeatherError.unavailable
            }
        } operation: { [replay] in
            try await replay.run()
        }
        #expect(result.wasInterrupted)
        #expect(result.weather.requests > 0 && result.weather.unfinished == result.weather.requests)
        #expect(Differences.between(state: result.state, lastSeen: result.lastSeen).isEmpty)
        #expect(Summary(result: result).text.contains("\(result.weather.requests) unfinished"))
    }

    @Test("A replay interrupted before its beginning ends with an empty summary")
    func beforeTheReplay() async throws {
        let schedule = Schedule(try FlightFile(InputFile(path: try FlightBoard.includedPath())).flights)
        var replay = Replay(schedule: schedule, display: SilentDisplay(), duration: .seconds(3_600))
        replay.interruption = .now
        let result = try await replay.run()
        #expect(result.wasInterrupted)
        #expect(result.state.whole.events < result.eventCount)
        #expect(Differences.between(state: result.state, lastSeen: result.lastSeen).isEmpty)
        #expect(Differences.betweenLevels(of: result.state).isEmpty)
        #expect(Summary(result: result).text.contains("Interrupted after "))
        #expect(Report(result).interrupted == true)
    }

    @Test("The summary of an uninterrupted replay mentions no interrupt")
    func uninterrupted() async throws {
        let result = try await Replay(schedule: Schedule([]), display: SilentDisplay()).run()
        #expect(!result.wasInterrupted)
        #expect(Report(result).interrupted == nil)
        #expect(!Summary(result: result).text.contains("Interrupted"))
    }
}
