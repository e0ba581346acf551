#if SQLite
    import ActionLogConformance
    import ActorStorePersistence
    import ActorStoreSQLite
    import Foundation
    import Testing

    @Suite("Log in a file")
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
    }
#endif
