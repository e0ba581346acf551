import ActionLogConformance
import ActorStorePersistence
import Foundation
import Testing

/// `SEEDS` in the environment is their number, `SEED` the first one.
@Suite("Replicas with random log failures", .timeLimit(.minutes(60)))
struct RandomReplicaTests {
    @Test("Replicas on a log in memory end with the same state after any failures and restarts")
    func seeds() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SEEDS"].flatMap { UInt64($0) } ?? 5
        let first = environment["SEED"].flatMap { UInt64($0) } ?? 10
        for seed in first..<first + count {
            do {
                try await RandomReplicas(MemoryLog(), seed: seed).run(rounds: 40)
            } catch {
                Issue.record("Seed \(seed): \(error)")
            }
        }
    }
}
