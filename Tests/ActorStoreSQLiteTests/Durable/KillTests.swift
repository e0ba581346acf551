#if SQLite
    import ActorStore
    @testable import ActorStorePersistence
    import ActorStoreSQLite
    import ActorStoreSimulation
    import ActionLogConformance
    import Foundation
    import Testing

    /// Kills a process that dispatches from eight tasks at random moments, and checks what it has left behind.
    ///
    /// `KILLS` in the environment is the number of kills, `SEED` determines their moments.
    @Suite("Logs of killed processes", .timeLimit(.minutes(60)))
    struct KillTests {
        /// The known actions of a task.
        private struct Known {
            /// The newest acknowledged or found one.
            var newest = 0
            /// The number of kills since: each of them may have left one more on disk that the process could not
            /// report.
            var doubtful = 0
        }

        /// A log of killed processes, and its known contents.
        private struct Scene {
            let workplace: Workplace
            /// The number of kept snapshots; 0 for everything.
            let retained: Int
            var known = [Known](repeating: Known(), count: Tally.tasks)

            var durability: DurabilityConfiguration {
                var durability = Tally.durability(keeping: retained == 0 ? .everything : .snapshots(retained))
                durability.snapshotAtShutdown = false
                return durability
            }
        }

        @Test("No acknowledged action is lost, doubled or out of order after SIGKILL at any moment")
        func kills() async throws {
            let environment = ProcessInfo.processInfo.environment
            let kills = environment["KILLS"].flatMap { Int($0) } ?? 20
            var generator = SimulationGenerator(seed: environment["SEED"].flatMap { UInt64($0) } ?? 1)
            var (acknowledged, round, scenes) = (0, 0, 0)
            // The longest life of a process in seconds. It grows until one has lived long enough to finish an action,
            // as on a busy machine.
            var longest = 0.12
            while round < kills || acknowledged == 0 {
                // A new log occasionally, so that all of it can be checked each time. In every second one everything
                // behind two snapshots is deleted.
                var scene = Scene(workplace: try Workplace(), retained: scenes % 2 * 2)
                scenes += 1
                for _ in 0..<max(min(10, kills - round), 1) {
                    round += 1
                    try await kill(after: Double.random(in: 0...longest, using: &generator), scene)
                    acknowledged += try readAcknowledged(&scene)
                    if acknowledged == 0 { longest *= 1.2 }
                    // In one of three rounds the next process finds the file exactly as the killed one has left it.
                    if round % 3 == 0 && round < kills { continue }
                    try await check(&scene, round)
                }
            }
            if environment["KILLS"] != nil { print("\(round) kills, \(acknowledged) acknowledged actions") }
        }

        private func kill(after delay: Double, _ scene: Scene) async throws {
            let output = scene.workplace.path("output")
            _ = FileManager.default.createFile(atPath: output, contents: nil)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appendingPathComponent("DurabilityWorkload")
            process.arguments = [scene.workplace.log, "\(scene.retained)"]
            let handle = try #require(FileHandle(forWritingAtPath: output))
            process.standardOutput = handle
            let ended = AsyncStream.makeStream(of: Void.self)
            process.terminationHandler = { _ in ended.continuation.finish() }
            try process.run()
            // The random moment of the kill itself: there is no event to wait for.
            try await Task.sleep(for: .seconds(delay))
            Foundation.kill(process.processIdentifier, SIGKILL)
            for await _ in ended.stream {}
            try handle.close()
            #expect(process.terminationReason == .uncaughtSignal, "The process has ended by itself.")
        }

        /// Reads what the process printed before it was killed.
        ///
        /// - Returns: The number of acknowledged actions.
        private func readAcknowledged(_ scene: inout Scene) throws -> Int {
            let text = try String(contentsOfFile: scene.workplace.path("output"), encoding: .utf8)
            for task in scene.known.indices { scene.known[task].doubtful += 1 }
            let lines = text.split(separator: "\n")
            for line in lines {
                let words = line.split(separator: " ").compactMap { Int($0) }
                try #require(words.count == 2, "A line was not written as a whole: \(line)")
                #expect(words[1] > scene.known[words[0]].newest)
                scene.known[words[0]] = Known(newest: words[1], doubtful: 1)
            }
            return lines.count
        }

        private func check(_ scene: inout Scene, _ round: Int) async throws {
            let log = try SQLiteLog(at: scene.workplace.log)
            let store = try await Store.durable(
                in: log,
                initialState: Tally.State(),
                reducer: Tally(),
                durability: scene.durability
            )
            let recovered = store.snapshot
            await store.shutdown(drain: .finishEffects)
            #expect(store.recovery.problems.isEmpty, "round \(round)")
            #expect(recovered.disordered == 0, "round \(round)")
            for (task, found) in recovered.newest.enumerated() {
                let (newest, doubtful) = (scene.known[task].newest, scene.known[task].doubtful)
                #expect((newest...newest + doubtful).contains(found), "task \(task), round \(round)")
                scene.known[task] = Known(newest: found)
            }
            guard scene.retained == 0 else { return }
            // The state from the first action on, without snapshots.
            let (state, revision) = try reduceAll(of: log)
            #expect(state == recovered, "round \(round)")
            #expect(revision == store.recovery.revision, "round \(round)")
        }

        private func reduceAll(of log: SQLiteLog) throws -> (state: Tally.State, revision: UInt64) {
            let connection = try log.connect()
            var (state, revision, position) = (Tally.State(), UInt64(0), UInt64(0))
            var headers = EntryHeaderReader()
            while true {
                let entries = try connection.read(after: position, atMost: 1 << 20)
                if entries.isEmpty { return (state, revision) }
                for entry in entries {
                    position += 1
                    guard try headers.read(entry, at: position, in: log.name).kind == .action else { continue }
                    revision += 1
                    _ = Tally().reduce(
                        into: &state,
                        action: try JSONStateCodec().decode(Tally.Action.self, from: entry.payload)
                    )
                }
            }
        }
    }
#endif
