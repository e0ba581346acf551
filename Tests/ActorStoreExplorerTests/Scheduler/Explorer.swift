import ActorStore
import CExplorer
import Foundation

/// Runs scenarios through many schedules.
struct Explorer {
    /// The result of a scenario.
    struct Outcome {
        var seeds = 0
        var steps = 0
        var failure: Failure?
    }

    /// A run that violated a guarantee.
    struct Failure: CustomStringConvertible {
        let scenario: String
        let seed: UInt64
        let message: String
        let schedule: String

        var description: String {
            """
            \(message)
            Seed \(seed) of "\(scenario)"; EXPLORER_SEED=\(seed) EXPLORER_SCENARIO="\(scenario)" replays it. \
            The threads went on in this order (b: what a thread had stored became visible; t: time passed):
            \(schedule)
            """
        }
    }

    /// Whether stores that need not be visible at once are delayed, in half of the runs.
    var delaysStores = true

    /// One at a time: the threads of a run keep their freed memory in one place.
    private static let isBusy = NSLock()

    /// Runs a scenario under one seed after the other, until one fails.
    ///
    /// - Parameter mayGoOn: Called before each run, with the number of runs so far.
    func explore(_ scenario: Scenario, from first: UInt64 = 0, while mayGoOn: (Int) -> Bool) -> Outcome {
        Self.isBusy.lock()
        defer { Self.isBusy.unlock() }
        let core = explorer_current_core()
        let workers = WorkerPool(core: core)
        var outcome = Outcome()
        while mayGoOn(outcome.seeds) {
            let seed = first + UInt64(outcome.seeds)
            let failure = run(scenario, seed, on: workers)
            outcome.seeds += 1
            if let failure {
                outcome.failure = failure
                break
            }
        }
        return outcome
    }

    private func run(_ scenario: Scenario, _ seed: UInt64, on workers: WorkerPool) -> Failure? {
        let trace = Trace("Seed \(seed) of \"\(scenario.name)\": ")
        let schedule = Schedule(
            seed: seed,
            delaysStores: delaysStores && seed % 2 == 1,
            workers: workers,
            trace: trace
        )
        let stage = Stage(schedule: schedule)
        stage.perform(scenario)
        guard let message = schedule.failure else {
            explorer_release_memory()
            return nil
        }
        // Its threads may still be suspended, so nothing of the run is released.
        _ = Unmanaged.passRetained(stage)
        _ = Unmanaged.passRetained(schedule)
        return Failure(scenario: scenario.name, seed: seed, message: message, schedule: trace.shortSchedule)
    }
}
