#if Replication
    import ActorStore
    import Foundation
    @testable import ReplicationWorkload
    import Testing

    /// A process with a replica that dispatches, as a test sees it.
    final class ReplicaWorker: @unchecked Sendable {
        // Sound: `process` and `input` are used only by the test that owns it, which does one thing at a time; what the
        // reading thread writes is under a lock.
        private let process = Process()
        private let input = Pipe()
        private let lines = Events<String>()
        private let ended = AsyncStream.makeStream(of: Void.self)

        init(_ redis: RedisProcess, _ stream: String, name: String) throws {
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appendingPathComponent("ReplicationWorkload")
            process.arguments = ["replica", "\(redis.port)", stream, name]
            process.standardInput = input
            let output = Pipe()
            process.standardOutput = output
            process.terminationHandler = { [ended] _ in ended.continuation.finish() }
            try process.run()
            let lines = lines
            Thread.detachNewThread {
                var rest = Data()
                while true {
                    let data = output.fileHandleForReading.availableData
                    if data.isEmpty { return lines.add("end") }
                    rest.append(data)
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        lines.add(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
            }
        }

        deinit { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }

        /// Ends it as a crash does.
        func kill() async {
            Foundation.kill(process.processIdentifier, SIGKILL)
            for await _ in ended.stream {}
            await lines.wait(for: "end")
        }

        func tell(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

        /// Waits for a line that it says, or for its end.
        func wait(for prefix: String) async throws -> String {
            await lines.wait { $0.contains { $0.hasPrefix(prefix) || $0 == "end" } }
            return try #require(lines.all.first { $0.hasPrefix(prefix) }, "It has ended by itself.")
        }

        /// Whether it has caught up with the stream at some time; false once it has ended before that.
        var hasJoined: Bool {
            get async {
                await lines.wait { $0.contains { $0.hasPrefix("joined") || $0 == "end" } }
                return lines.all.contains { $0.hasPrefix("joined") }
            }
        }

        /// The newest action of each writer that it said was acknowledged.
        var acknowledged: [String: Int] {
            var newest: [String: Int] = [:]
            for line in lines.all where line.hasPrefix("ack ") {
                let words = line.split(separator: " ")
                guard words.count == 3, let number = Int(words[2]) else { continue }
                newest[String(words[1])] = number
            }
            return newest
        }
    }
#endif
