import ActionLogConformance
import ActorStorePersistence
import Foundation
import Testing

@Suite("Replicas on a log in memory", .mayWait, .timeLimit(.minutes(10)))
struct ReplicaCheckTests {
    @Test("Replicas on a log in memory pass the conformance checks", arguments: ReplicaCheck.all)
    func checks(check: ReplicaCheck) async throws {
        let log = MemoryLog()
        try await check.run(
            in: LogLaboratory(log) {
                log.loseEnd(after: $0)
            } sleep: {
                Thread.sleep(forTimeInterval: $0 / .seconds(1))
            }
        )
    }
}
