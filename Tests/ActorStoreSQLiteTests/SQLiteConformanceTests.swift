#if SQLite
    import ActionLogConformance
    import ActorStorePersistence
    import ActorStoreSQLite
    import Foundation
    import Testing

    @Suite("Log in a file", .mayWait)
    struct SQLiteConformanceTests {
        @Test("A log in a file does what every engine has to do", arguments: ConformanceCheck.all)
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
            "Replicas on a log in a file do what they have to do on every engine",
            .timeLimit(.minutes(3)),
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
