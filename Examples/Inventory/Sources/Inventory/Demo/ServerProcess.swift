import Foundation

/// A separate server for the demo, with its data in a directory that survives its kills.
actor ServerProcess {
    private let program: ServerProgram
    private let arguments: [String]
    private let directory: URL
    private var process: ChildProcess?

    /// - Parameters:
    ///   - port: Its port on the loopback interface.
    ///   - directory: The directory of its data and its log files.
    init(_ engine: Engine, port: Int, directory: URL) throws {
        self.directory = directory
        program = try ServerProgram.find(engine)
        // Every change is on disk before the response, so that a kill undoes nothing that desks have seen.
        arguments =
            switch engine {
            case .redis:
                [
                    "--port", "\(port)", "--bind", "127.0.0.1", "--dir", directory.path, "--save", "",
                    "--appendonly", "yes", "--appendfsync", "always", "--aof-load-truncated", "no",
                    "--maxmemory-policy", "noeviction",
                ]
            case .postgres:
                [
                    "-D", Self.data(in: directory), "-c", "listen_addresses=127.0.0.1", "-c", "port=\(port)",
                    "-c", "unix_socket_directories=", "-c", "fsync=on", "-c", "synchronous_commit=on",
                ]
            }
    }

    private static func data(in directory: URL) -> String { directory.appendingPathComponent("data").path }

    private var log: URL { directory.appendingPathComponent("server.log") }

    /// Creates the files that it needs to start.
    func create() async throws {
        guard program.engine == .postgres else { return }
        let data = Self.data(in: directory)
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
        if let user = program.user {
            try FileManager.default.setAttributes([.ownerAccountName: user], ofItemAtPath: data)
        }
        let creation = try program.start(
            "initdb",
            ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale"],
            errors: log
        )
        guard try await creation.waitForEnd() else {
            throw DemoError.serverFailed(log: (try? String(contentsOf: log, encoding: .utf8)) ?? "")
        }
    }

    /// Starts it. Waiting for it is not necessary: replicas retry until it responds.
    func start() throws {
        let name = program.engine == .redis ? "redis-server" : "postgres"
        process = try program.start(name, arguments, errors: log)
    }

    /// Kills it with all of its processes, like a crash of the machine.
    func kill() async throws {
        guard await end() else { throw DemoError.serverEnded }
    }

    /// Ends it, in any state.
    func stop() async { await end() }

    /// - Returns: Whether it was killed; false if it had ended before.
    @discardableResult
    private func end() async -> Bool {
        guard let process else { return false }
        // Each connection to PostgreSQL is a process, and a new server does not start before all of them have ended.
        // The server is stopped first, so that it starts no further ones.
        Foundation.kill(process.id, SIGSTOP)
        let children = ProcessTable.children(of: process.id)
        let wasKilled = await process.kill()
        for child in children { Foundation.kill(child, SIGKILL) }
        while children.contains(where: ProcessTable.isRunning) {
            try? await Task.sleep(for: .milliseconds(1))
            await Task.yield()
        }
        return wasKilled
    }
}

/// The system's view of processes, where it has `/proc`; empty elsewhere.
private enum ProcessTable {
    static func children(of process: Int32) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { status(of: $0)?.parent == process }
    }

    static func isRunning(_ process: Int32) -> Bool { (status(of: process)?.state ?? "Z") != "Z" }

    private static func status(of process: Int32) -> (state: Substring, parent: Int32)? {
        // The name in parentheses can have spaces; then come the state and the parent.
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let words = text.split(separator: ")").last?.split(separator: " "),
            words.count > 1, let parent = Int32(words[1])
        else { return nil }
        return (words[0], parent)
    }
}
