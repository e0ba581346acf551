#if SQLite
    import ActionLogConformance
    import ActorStorePersistence
    import ActorStoreSQLite
    import Foundation
    import Testing

    @Suite("The log in a file", .mayWait)
    struct SQLiteConformanceTests {
        @Test("A log in a file passes the conformance checks", arguments: ConformanceCheck.all)
        func conformance(check: ConformanceCheck) throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            try check.run(
                in: LogLaboratory(log) {
                    try loseEnd(of: log.name, after: $0)
                } sleep: {
                    Thread.sleep(forTimeInterval: $0 / .seconds(1))
                }
            )
        }

        @Test(
            "Replicas on a log in a file pass the conformance checks",
            .timeLimit(.minutes(10)),
            arguments: ReplicaCheck.all
        )
        func replicas(check: ReplicaCheck) async throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            try await check.run(
                in: LogLaboratory(log) {
                    try loseEnd(of: log.name, after: $0)
                } sleep: {
                    Thread.sleep(forTimeInterval: $0 / .seconds(1))
                }
            )
        }
    }
#endif
