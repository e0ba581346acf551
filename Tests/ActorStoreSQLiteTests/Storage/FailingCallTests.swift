#if SQLite
    import ActorStoreSimulation
    import Foundation
    import Testing

    /// Makes one system call fail in the life of a process, each time another one.
    ///
    /// `CALLS` in the environment is their number, `all` for each with each error; `SEED` selects them.
    @Suite("Logs in files with failing system calls", .timeLimit(.minutes(60)))
    struct FailingCallTests {
        private let environment = ProcessInfo.processInfo.environment
        /// The names of the errors in `errno`; -1 for a call that does half of its work.
        private static let errors = [ENOSPC, EIO, EINTR, -1]

        /// Runs the process, and checks what it has left behind.
        private func defect(_ arguments: [String]) async throws -> String? {
            let workplace = try Workplace()
            let printed = try await StorageProcess.run(
                arguments[0],
                workplace.directory.path,
                arguments[1],
                arguments[2],
                "20"
            )
            return await StorageProcess.defect(
                at: workplace.log,
                acknowledged: StorageProcess.acknowledged(printed)
            )
        }

        @Test("No acknowledged action is lost when a system call fails, and the next program continues")
        func failingCalls() async throws {
            let workplace = try Workplace()
            let printed = try await StorageProcess.run("fail", workplace.directory.path, "0", "0", "20")
            let last = try #require(printed.last)
            let count = try #require(Int(last.drop { !$0.isNumber }))
            let isAll = environment["CALLS"] == "all"
            let wanted = environment["CALLS"].flatMap { Int($0) } ?? 40
            var random = SimulationGenerator(seed: environment["SEED"].flatMap { UInt64($0) } ?? 1)
            var defects: [String] = []
            for number in isAll
                ? Array(1...count) : (0..<wanted).map({ _ in Int.random(in: 1...count, using: &random) })
            {
                let errors = isAll ? Self.errors : [Self.errors.randomElement(using: &random) ?? EIO]
                for error in errors {
                    guard let defect = try await defect(["fail", "\(error)", "\(number)"]) else { continue }
                    defects.append("call \(number) of \(count), error \(error): \(defect)")
                }
            }
            if environment["CALLS"] != nil { print("\(count) calls, \(defects.count) defects") }
            #expect(defects == [], "\(defects.prefix(3).joined(separator: "\n"))")
        }

        @Test("No acknowledged action is lost when SQLite gets no memory, and the next program continues")
        func memory() async throws {
            var defects: [String] = []
            for kilobytes in [0, 1, 4, 16, 64, 256] {
                guard let defect = try await defect(["memory", "-", "\(kilobytes << 10)"]) else { continue }
                defects.append("\(kilobytes) kB: \(defect)")
            }
            #expect(defects == [], "\(defects.joined(separator: "\n"))")
        }
    }
#endif
