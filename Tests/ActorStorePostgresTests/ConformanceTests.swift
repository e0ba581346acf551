#if Postgres
    import ActionLogConformance
    import ActorStorePersistence
    import ActorStorePostgres
    import Foundation
    import Testing

    @Suite("Logs in PostgreSQL: conformance", .mayWait)
    struct ConformanceTests {
        @Test(
            "A log in PostgreSQL passes the conformance checks",
            .timeLimit(.minutes(10)),
            arguments: ConformanceCheck.all
        )
        func conformance(check: ConformanceCheck) throws {
            let process = try PostgresProcess.shared.get()
            let stream = "check \(UUID())"
            try check.run(
                in: LogLaboratory(PostgresLog(process.server(allowsLoss: true), stream: stream)) {
                    try Administrator(process.connectionString).loseEnd(of: stream, after: $0)
                } sleep: {
                    Thread.sleep(forTimeInterval: $0 / .seconds(1))
                }
            )
        }

        @Test(
            "Replicas on a log in PostgreSQL pass the conformance checks",
            .timeLimit(.minutes(10)),
            arguments: ReplicaCheck.all
        )
        func replicas(check: ReplicaCheck) async throws {
            let process = try PostgresProcess.shared.get()
            let stream = "replicas \(UUID())"
            try await check.run(
                in: LogLaboratory(PostgresLog(process.server(allowsLoss: true), stream: stream)) {
                    try Administrator(process.connectionString).loseEnd(of: stream, after: $0)
                } sleep: {
                    Thread.sleep(forTimeInterval: $0 / .seconds(1))
                }
            )
        }
    }
#endif
