#if Replication
    import ActorStore
    import ActorStoreReplication
    import Foundation

    /// A process with a replica that only follows, as the benchmark sees it.
    final class Follower {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()

        init(_ redis: RedisProcess) throws {
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = ["follow", "\(redis.port)", "propagation"]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

        func waitUntilJoined() throws { _ = try line() }

        /// What it has measured, once it has seen so many actions.
        func report(after count: Int) throws -> Latencies {
            try input.fileHandleForWriting.write(contentsOf: Data("report \(count)\n".utf8))
            return try JSONDecoder().decode(Latencies.self, from: line())
        }

        private func line() throws -> Data {
            var line = Data()
            while true {
                guard let byte = try output.fileHandleForReading.read(upToCount: 1)?.first else {
                    throw RedisProcess.Failure(reason: "A follower has ended.")
                }
                if byte == UInt8(ascii: "\n") { return line }
                line.append(byte)
            }
        }

        /// What that process does.
        static func run(port: Int, stream: String) async throws {
            let store = try await Store.replicated(
                through: RedisServer(address: .host("127.0.0.1", port: port)),
                stream: stream,
                initialState: Latencies(),
                reducer: Latencies.Timing(),
                replication: ReplicationConfiguration(snapshotInterval: .max, trimming: .never)
            )
            say("joined")
            while let line = readLine() {
                guard let count = line.split(separator: " ").last.flatMap({ Int($0) }) else { continue }
                for await seen in store.store.values(of: \.count) where seen >= count { break }
                say(String(decoding: try JSONEncoder().encode(store.snapshot), as: UTF8.self))
            }
            // Goes on following until it is killed or told to end.
        }
    }
#endif
