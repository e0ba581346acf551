#if Journal
    import ActorStore
    @testable import ActorStoreJournal
    import struct ActorStorePersistence.JSONStateCodec
    import struct ActorStorePersistence.StateCoding
    import struct ActorStorePersistence.StateSchema
    import ActorStoreSimulation
    import Foundation
    @testable import JournalWorkload
    import Testing

    /// Kills a process that dispatches from eight tasks at random moments, and looks at what it has left behind.
    ///
    /// `KILLS` in the environment says how often, `SEED` at which moments.
    @Suite("Journals of processes that are killed", .timeLimit(.minutes(60)))
    struct KillTests {
        /// What is known of a task's actions.
        private struct Known {
            /// The newest one that was acknowledged, or found.
            var newest = 0
            /// How many kills there were since: at each of them one more may be on disk of which the process was killed
            /// before it could say so.
            var doubtful = 0
        }

        /// Wherever the process is killed: every acknowledged action is there once, in order, and none is there in
        /// part.
        @Test("Nothing that was acknowledged is lost or doubled by SIGKILL at any moment")
        func kills() async throws {
            let environment = ProcessInfo.processInfo.environment
            let kills = environment["KILLS"].flatMap { Int($0) } ?? 20
            var generator = SimulationGenerator(seed: environment["SEED"].flatMap { UInt64($0) } ?? 1)
            var acknowledged = 0
            var round = 0
            // The longest life of a process in seconds. It grows for as long as none has lived long enough to get
            // anything done, as on a busy machine.
            var longest = 0.12
            while round < kills || acknowledged == 0 {
                // A new journal now and then, so that all of it can be looked at each time.
                let workplace = try Workplace()
                var known = [Known](repeating: Known(), count: Tally.tasks)
                for _ in 0..<max(min(25, kills - round), 1) {
                    round += 1
                    try await kill(after: Double.random(in: 0...longest, using: &generator), workplace)
                    acknowledged += try readAcknowledged(workplace, &known)
                    if acknowledged == 0 { longest *= 1.2 }
                    // In one of three rounds the next process finds the file as the killed one has left it.
                    if round % 3 == 0 && round < kills { continue }
                    try await check(workplace, &known, round)
                }
            }
            if environment["KILLS"] != nil { print("\(round) kills, \(acknowledged) acknowledged actions") }
        }

        private func kill(after delay: Double, _ workplace: Workplace) async throws {
            let output = workplace.path("output")
            _ = FileManager.default.createFile(atPath: output, contents: nil)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appendingPathComponent("JournalWorkload")
            process.arguments = ["write", workplace.journal]
            let handle = try #require(FileHandle(forWritingAtPath: output))
            process.standardOutput = handle
            let ended = AsyncStream.makeStream(of: Void.self)
            process.terminationHandler = { _ in ended.continuation.finish() }
            try process.run()
            // It is the moment of the kill that is random, so there is nothing else to wait for.
            try await Task.sleep(for: .seconds(delay))
            Foundation.kill(process.processIdentifier, SIGKILL)
            for await _ in ended.stream {}
            try handle.close()
            #expect(process.terminationReason == .uncaughtSignal, "The process has ended by itself.")
        }

        /// Reads what the process said before it was killed.
        ///
        /// - Returns: how many actions were acknowledged.
        private func readAcknowledged(_ workplace: Workplace, _ known: inout [Known]) throws -> Int {
            let text = try String(contentsOfFile: workplace.path("output"), encoding: .utf8)
            for task in known.indices { known[task].doubtful += 1 }
            let lines = text.split(separator: "\n")
            for line in lines {
                let words = line.split(separator: " ").compactMap { Int($0) }
                try #require(words.count == 2, "A line was not written as a whole: \(line)")
                #expect(words[1] > known[words[0]].newest)
                known[words[0]] = Known(newest: words[1], doubtful: 1)
            }
            return lines.count
        }

        private func check(_ workplace: Workplace, _ known: inout [Known], _ round: Int) async throws {
            let store = try await Store.durable(
                at: workplace.journal,
                initialState: Tally.State(),
                reducer: Tally()
            )
            let recovered = store.snapshot
            try await store.shutdown(drain: .finishEffects)
            #expect(recovered.disordered == 0, "round \(round)")
            for (task, found) in recovered.newest.enumerated() {
                let newest = known[task].newest
                #expect((newest...newest + known[task].doubtful).contains(found), "round \(round)")
                known[task] = Known(newest: found)
            }
            // The same from the first action on, without snapshots.
            var state = Tally.State()
            var revision: UInt64 = 0
            let file = try JournalFile(at: workplace.journal, .reading)
            try file.readActions(after: 0, through: .max) { (record) throws(JournalError) in
                revision += 1
                let coding = StateCoding(codec: JSONStateCodec(), schema: StateSchema())
                let action: Tally.Action = try coding.action(of: record, in: workplace.journal)
                _ = Tally().reduce(into: &state, action: action)
                #expect(record.revision == revision)
            }
            #expect(state == recovered, "round \(round)")
            #expect(revision == store.recovery.revision)
        }
    }
#endif
