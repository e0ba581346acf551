import ActorStoreFoundation
import Foundation
import Testing

/// With signals that nothing else in the process uses, one for each test.
@Suite("Signals that ask a process to stop", .timeLimit(.minutes(10)))
struct StopSignalsTests {
    @Test("A signal is noted once, also before the loop begins, and does afterwards what it does to any process")
    func noted() async throws {
        let signals = StopSignals([SIGUSR1])
        kill(getpid(), SIGUSR1)
        for await number in signals {
            #expect(number == SIGUSR1)
            break
        }
        try await waitUntilDefault(SIGUSR1)
    }

    @Test("Signals do what they do to any process when nobody listens any more")
    func released() async throws {
        do {
            let signals = StopSignals([SIGUSR2])
            #expect(!isDefault(SIGUSR2))
            withExtendedLifetime(signals) {}
        }
        try await waitUntilDefault(SIGUSR2)
    }

    @Test("A loop over signals ends when its task is cancelled")
    func cancelled() async throws {
        let signals = StopSignals([SIGWINCH])
        let task = Task { for await _ in signals {} }
        task.cancel()
        await task.value
        try await waitUntilDefault(SIGWINCH)
    }

    private func waitUntilDefault(_ number: Int32) async throws {
        while !isDefault(number) { try await Task.sleep(for: .milliseconds(1)) }
    }

    private func isDefault(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        #if os(Linux)
            return action.__sigaction_handler.sa_handler == nil
        #else
            return action.__sigaction_u.__sa_handler == nil
        #endif
    }
}
