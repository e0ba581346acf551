#if SQLite
    import ActionLogConformance
    import ActorStore
    import ActorStorePersistence
    import ActorStoreSQLite
    import Foundation
    import Testing

    /// Runs of `Tests/StorageWorkload`, and the conditions on the log that one leaves behind.
    enum StorageProcess {
        /// Runs the process to its end, and returns its output.
        static func run(_ arguments: String...) async throws -> [String] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appendingPathComponent("StorageWorkload")
            process.arguments = arguments
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            // On a thread that may block: those that tasks run on are few, and other tests need them.
            let text = await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    let text = try? output.fileHandleForReading.readToEnd()
                    process.waitUntilExit()
                    continuation.resume(returning: text)
                }
            }
            try #require(process.terminationReason == .exit && process.terminationStatus == 0, "\(arguments)")
            return String(decoding: text ?? Data(), as: UTF8.self).split(separator: "\n").map(String.init)
        }

        /// The newest number of each task that a process has reported as acknowledged.
        static func acknowledged(_ lines: some Sequence<String>) -> [Int] {
            var newest = [Int](repeating: 0, count: Tally.tasks)
            for line in lines {
                let words = line.split(separator: " ").compactMap { Int($0) }
                if words.count == 2, words[0] < newest.count { newest[words[0]] = words[1] }
            }
            return newest
        }

        /// The reason why a log does not have the acknowledged actions, each once and in order, or does not continue;
        /// nil if it does.
        static func defect(at path: String, acknowledged: [Int]) async -> String? {
            do {
                for life in 0..<2 {
                    let store = try await Store.durable(
                        in: SQLiteLog(at: path),
                        initialState: Tally.State(),
                        reducer: Tally(),
                        durability: Tally.durability(keeping: .snapshots(2))
                    )
                    let state = store.snapshot
                    if life == 0 {
                        try await store.dispatch(Tally.Action(task: 0, number: state.newest[0] + 1))
                    }
                    let report = await store.shutdown(drain: .finishEffects)
                    if state.disordered > 0 { return "\(state.disordered) actions are not in order." }
                    for (task, newest) in acknowledged.enumerated() where state.newest[task] < newest {
                        return "Task \(task) received \(newest), and has \(state.newest[task])."
                    }
                    if !report.isComplete { return "\(report)" }
                }
                return nil
            } catch {
                return "\(error)"
            }
        }
    }
#endif
