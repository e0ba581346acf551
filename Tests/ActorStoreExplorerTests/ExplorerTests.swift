import CExplorer
import Foundation
import Testing

/// The extent of an exploration.
private enum Extent {
    private static let environment = ProcessInfo.processInfo.environment

    /// For all scenarios together, without `seeds`.
    static let seconds = environment["EXPLORER_SECONDS"].flatMap(Double.init) ?? 20
    /// For each scenario.
    static let seeds = environment["EXPLORER_SEEDS"].flatMap(Int.init)
    /// A single one, to reproduce a failure.
    static let seed = environment["EXPLORER_SEED"].flatMap(UInt64.init)
    /// A part of the names of the selected scenarios.
    static let scenario = environment["EXPLORER_SCENARIO"]

    static let scenarios = Scenario.all.filter { scenario.map($0.name.contains) ?? true }

    static func explore(_ scenario: Scenario) -> Explorer.Outcome {
        let explorer = Explorer()
        if let seed { return explorer.explore(scenario, from: seed) { $0 < 1 } }
        if let seeds { return explorer.explore(scenario) { $0 < seeds } }
        let end = Date.now.addingTimeInterval(seconds / Double(scenarios.count))
        return explorer.explore(scenario) { _ in Date.now < end }
    }
}

/// All runs of the explorer, in sequence: it does one run at a time.
@Suite("The interleaving explorer", .serialized)
struct ExplorerTests {
    @Test("The engine keeps its guarantees under every schedule", arguments: Extent.scenarios)
    func promise(_ scenario: Scenario) async {
        let outcome = await withCheckedContinuation { continuation in
            // Not in the pool of the tests, which it would block.
            Thread.detachNewThread { continuation.resume(returning: Extent.explore(scenario)) }
        }
        if let failure = outcome.failure { Issue.record("\(failure)") }
        let verdict = outcome.failure == nil ? "held" : "BROKEN"
        let line = "explorer: \(verdict) after \(outcome.seeds) seeds: \(scenario.name)\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
