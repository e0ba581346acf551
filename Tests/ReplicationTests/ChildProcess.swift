import ActorStore
import Foundation
import Synchronization
import Testing

@testable import ReplicationWorkload

/// A process that a test controls line by line. It ends with its input, when this is released or the tests end.
///
/// Not Foundation's: its children inherit the signals blocked by threads of Dispatch, and then a shell cannot wait.
final class ChildProcess: Sendable {
    private let id: pid_t
    private let input: Int32
    private let output = Output()

    /// Its output.
    private final class Output: Sendable {
        let said = LockedValue<(lines: [String], isOver: Bool)>(([], false))
        let news = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

        /// Reads to the end, and waits for the end of the process.
        func read(from descriptor: Int32, of id: pid_t) {
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            var rest = Data()
            while case let data = handle.availableData, !data.isEmpty {
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                    said.withLock { $0.lines.append(line) }
                    news.continuation.yield()
                    rest = Data(rest[(end + 1)...])
                }
            }
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            said.withLock { $0.isOver = true }
            news.continuation.yield()
        }
    }

    init(_ program: String, _ arguments: [String]) throws {
        var (inputs, outputs): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        // Closed on exec, so that no other child keeps the input of this one open.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &inputs) == 0 && socketpair(AF_UNIX, kind, 0, &outputs) == 0)
        defer {
            close(inputs[1])
            close(outputs[1])
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, inputs[1], 0)
        posix_spawn_file_actions_adddup2(&actions, outputs[1], 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var id: pid_t = 0
        let error = posix_spawn(&id, program, &actions, &attributes, &words, environ)
        try #require(error == 0, "\(program) cannot be started: \(String(cString: strerror(error)))")
        (self.id, input) = (id, inputs[0])
        Thread.detachNewThread { [output, descriptor = outputs[0], id] in output.read(from: descriptor, of: id) }
    }

    deinit { close(input) }

    var lines: [String] { output.said.withLock { $0.lines } }

    func tell(_ line: String) throws {
        let bytes = Array("\(line)\n".utf8)
        try #require(
            send(input, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count,
            "It has ended: \(lines.suffix(1))"
        )
    }

    /// Kills it like a crash, and reads the rest of its output.
    func kill() async throws {
        output.said.withLock { if !$0.isOver { _ = Foundation.kill(id, SIGKILL) } }
        try await waitForEnd()
    }

    /// Waits until it has ended, and all its output is read.
    func waitForEnd() async throws { _ = try await wait { $0.isOver ? true : nil } }

    /// Whether it has ended, and all its output is read.
    var isOver: Bool { output.said.withLock { $0.isOver } }

    /// The number of its lines.
    var count: Int { output.said.withLock { $0.lines.count } }

    /// Suspends it until ``resume()``.
    func pause() { output.said.withLock { if !$0.isOver { _ = Foundation.kill(id, SIGSTOP) } } }

    func resume() { output.said.withLock { if !$0.isOver { _ = Foundation.kill(id, SIGCONT) } } }

    /// Waits for a line that begins with one of these words.
    ///
    /// - Parameters:
    ///   - words: The beginnings of the line.
    ///   - start: The number of skipped lines.
    /// - Throws: If it ends without that line, or does not print it for a minute.
    func wait(for words: String..., from start: Int = 0) async throws -> String {
        // Checked once each.
        let next = Atomic(start)
        let line = try await wait { said -> String?? in
            let first = next.load(ordering: .relaxed)
            if first < said.lines.count {
                for line in said.lines[first...] where words.contains(where: { line.hasPrefix($0) }) { return line }
                next.store(said.lines.count, ordering: .relaxed)
            }
            return said.isOver ? .some(nil) : nil
        }
        return try #require(line, "It has ended, and has said last: \(lines.last ?? "nothing")")
    }

    private func wait<Value: Sendable>(
        until body: @escaping @Sendable ((lines: [String], isOver: Bool)) -> Value?
    ) async throws -> Value {
        if let value = output.said.withLock({ body($0) }) { return value }
        return try await withThrowingTaskGroup(of: Value?.self) { [output] group in
            group.addTask {
                for await _ in output.news.stream { if let value = output.said.withLock({ body($0) }) { return value } }
                return nil
            }
            // A test that waits forever reports nothing.
            group.addTask {
                try await Task.sleep(for: .seconds(60))
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else {
                throw TestServer.Failure(description: "Nothing came for a minute. It has said: \(lines.suffix(3))")
            }
            return value
        }
    }
}

extension ChildProcess {
    /// A process with a store that dispatches.
    static func worker(_ options: WorkloadOptions, environment: [String] = []) throws -> ChildProcess {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("ReplicationWorkload").path
        if environment.isEmpty { return try ChildProcess(program, options.arguments) }
        return try ChildProcess("/usr/bin/env", environment + [program] + options.arguments)
    }
}
