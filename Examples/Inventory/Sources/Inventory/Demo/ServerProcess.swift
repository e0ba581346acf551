import Foundation

/// A Redis server of the demo's own, with its data in a directory that stays when it is killed.
actor ServerProcess {
    private let program: URL
    private let arguments: [String]
    private var process: ChildProcess?

    init(program: URL, port: Int, directory: URL) {
        self.program = program
        // Every command is on disk before it is answered, so that a kill takes nothing back that desks were told.
        arguments = [
            "--port", "\(port)", "--bind", "127.0.0.1", "--dir", directory.path, "--logfile", "server.log",
            "--save", "", "--appendonly", "yes", "--appendfsync", "always",
        ]
    }

    /// Where the program is, if it is installed.
    static func findProgram(path: String? = ProcessInfo.processInfo.environment["PATH"]) throws -> URL {
        let directories = ["/usr/bin"] + (path ?? "").split(separator: ":").map(String.init)
        let candidates = directories.map { URL(fileURLWithPath: $0).appendingPathComponent("redis-server") }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw DemoError.noServerProgram
        }
        return found
    }

    /// Starts it. Nobody has to wait until it answers: replicas try again until it does.
    func start() throws { process = try ChildProcess(program, arguments) }

    func kill() async throws {
        guard await process?.kill() == true else { throw DemoError.serverEnded }
    }

    /// Ends it, in whatever state it is.
    func stop() async { await process?.kill() }
}
