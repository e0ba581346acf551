import Benchmarking
import Foundation
import Propagation
import Testing

@Suite("Propagation", .timeLimit(.minutes(1)))
struct PropagationTests {
    // MARK: Sightings

    @Test("A report has the latencies since the last one, in picoseconds")
    func latencies() throws {
        let sightings = Sightings()
        sightings.note(Signal(number: 1, sent: 100), at: 105)
        sightings.note(Signal(number: 2, sent: 200), at: 203)
        let first = try sightings.take(2).get()
        #expect(first.count == 2 && first.minimum == 3_000 && first.maximum == 5_000)
        sightings.note(Signal(number: 3, sent: 300), at: 309)
        let second = try sightings.take(3).get()
        #expect(second.count == 1 && second.minimum == 9_000)
        #expect(try sightings.take(3).get().count == 0)
    }

    @Test("A report waits for signals in flight")
    func waiting() async throws {
        let sightings = Sightings()
        async let latencies = onThread { try sightings.take(1).get() }
        try await Task.sleep(for: .milliseconds(20))
        sightings.note(Signal(number: 1, sent: 1), at: 2)
        #expect(try await latencies.count == 1)
    }

    @Test("A report of more or fewer signals than were sent fails, with the number of seen ones")
    func wrongCounts() {
        let sightings = Sightings()
        for number in 1...2 { sightings.note(Signal(number: number, sent: 1), at: 2) }
        #expect(sightings.take(3, within: 0) == .failure(ObserverFailure("It has seen 2 of 3 signals.")))
        #expect(sightings.take(1) == .failure(ObserverFailure("It has seen 2 of 1 signals.")))
    }

    // MARK: Messages

    @Test("Messages arrive in order, also those longer than the socket buffers")
    func messages() async throws {
        let sockets = try Sockets()
        var histogram = Histogram()
        for value in 0..<100_000 { histogram.record(value * 1_000_003) }
        let sent: [ObserverMessage] = [.ready, .report(after: 7), .seen(histogram), .failed("Why\nnot?"), .ready]
        async let sending: Void = onThread {
            let channel = ObserverChannel(sockets.ends[0])
            for message in sent { try channel.send(message) }
            shutdown(sockets.ends[0], Int32(SHUT_RDWR))
        }
        let received = try await onThread {
            let channel = ObserverChannel(sockets.ends[1])
            var received: [ObserverMessage] = []
            while let message = try channel.receive() { received.append(message) }
            return received
        }
        try await sending
        #expect(received == sent)
    }

    @Test("A vanished peer and an invalid line are errors")
    func failures() throws {
        let sockets = try Sockets()
        let channel = ObserverChannel(sockets.ends[0])
        #expect(send(sockets.ends[1], "{}\n", 3, 0) == 3)
        #expect(throws: DecodingError.self) { try channel.receive() }
        shutdown(sockets.ends[1], Int32(SHUT_RDWR))
        #expect(throws: ObserverFailure.self) { try channel.send(.ready) }
    }

    /// Runs a closure that waits for another thread on a thread that may block: tasks have one thread per core.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
        }
    }

    private final class Sockets: Sendable {
        let ends: [Int32]

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            self.ends = ends
        }

        deinit { for end in ends { close(end) } }
    }

    // MARK: Tasks

    @Test(
        "The words of a task select that task",
        arguments: [
            ObserverTask(.replica, .redis(port: 6_379), stream: "a b"),
            ObserverTask(.plain, .postgres(connectionString: "host=127.0.0.1 port=1"), stream: "table"),
        ]
    )
    func words(task: ObserverTask) throws {
        #expect(try ObserverTask(task.words) == task)
    }

    @Test(
        "Other words select no task",
        arguments: [
            [], ["replica", "redis", "1"], ["replica", "redis", "port", "s"], ["other", "redis", "1", "s"],
            ["plain", "sqlite", "1", "s"], ["plain", "redis", "1", "s", "t"],
        ]
    )
    func otherWords(words: [String]) {
        #expect(throws: ObserverFailure.self) { try ObserverTask(words) }
    }
}
