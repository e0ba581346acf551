import ActorStoreFoundation
import Foundation
import Testing

@Suite("Stop signals", .timeLimit(.minutes(10)))
struct StopSignalsTests {
    @Test("A signal is delivered once to each waiting sequence, also before the loop begins")
    func noted() async {
        let (signals, others) = (StopSignals([SIGUSR1]), StopSignals([SIGUSR1]))
        kill(getpid(), SIGUSR1)
        for sequence in [signals, others] {
            for await number in sequence {
                #expect(number == SIGUSR1)
                break
            }
        }
    }

    @Test("A sequence created after another one of the same signal gets it as well")
    func again() async {
        for _ in 0..<50 {
            let signals = StopSignals([SIGUSR2])
            kill(getpid(), SIGUSR2)
            for await _ in signals { break }
        }
        for _ in 0..<50 { _ = StopSignals([SIGUSR2]) }
        let signals = StopSignals([SIGUSR2])
        kill(getpid(), SIGUSR2)
        for await _ in signals { break }
    }

    @Test("A loop over signals ends when its task is cancelled")
    func cancelled() async {
        let task = Task { for await _ in StopSignals([SIGWINCH]) {} }
        task.cancel()
        await task.value
    }

    @Test("Two loops over one sequence share its signals")
    func shared() async {
        let signals = StopSignals([SIGHUP, SIGALRM])
        kill(getpid(), SIGHUP)
        kill(getpid(), SIGALRM)
        let numbers = await withTaskGroup(of: Int32?.self) { group in
            for _ in 0..<2 { group.addTask { await signals.first { _ in true } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(numbers) == [SIGHUP, SIGALRM])
    }

    #if !os(iOS) && !os(tvOS) && !os(watchOS)
        @Test("The second signal ends the process")
        func second() async {
            await #expect(processExitsWith: .signal(SIGTERM)) {
                let signals = StopSignals()
                kill(getpid(), SIGTERM)
                for await _ in signals { break }
                kill(getpid(), SIGTERM)
                try await Task.sleep(for: .seconds(60))
            }
        }

        @Test("The second signal ends a process that was started with a signal mask")
        func masked() async {
            await #expect(processExitsWith: .signal(SIGTERM)) {
                // No other thread takes it: those of Dispatch mask all signals.
                await MainActor.run {
                    var mask = sigset_t()
                    sigemptyset(&mask)
                    sigaddset(&mask, SIGTERM)
                    pthread_sigmask(SIG_BLOCK, &mask, nil)
                }
                let signals = StopSignals()
                kill(getpid(), SIGTERM)
                for await _ in signals { break }
                kill(getpid(), SIGTERM)
                try await Task.sleep(for: .seconds(60))
            }
        }

        @Test("A signal ends the process after the release of its waiting sequence")
        func released() async {
            await #expect(processExitsWith: .signal(SIGTERM)) {
                do { _ = StopSignals() }
                kill(getpid(), SIGTERM)
                try await Task.sleep(for: .seconds(60))
            }
        }

        @Test("A signal ends the process after the cancellation of the task that iterated over the sequence")
        func afterCancellation() async {
            await #expect(processExitsWith: .signal(SIGTERM)) {
                let signals = StopSignals()
                let task = Task { for await _ in signals {} }
                task.cancel()
                await task.value
                kill(getpid(), SIGTERM)
                try await Task.sleep(for: .seconds(60))
                // The release of the sequence is not what ends the wait.
                withExtendedLifetime(signals) {}
            }
        }
    #endif
}
