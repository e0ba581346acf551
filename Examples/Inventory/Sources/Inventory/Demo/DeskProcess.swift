import Foundation

/// A desk over all of its lives, as seen by the process that starts and kills it.
actor DeskProcess {
    nonisolated let name: String
    nonisolated let log: String
    private(set) var ledger = DeskLedger()
    private let program: URL
    private let arguments: [String]
    private var process: ChildProcess?

    init(name: String, program: URL, engine: Engine, port: Int, directory: URL, seed: UInt64) {
        self.name = name
        self.program = program
        log = directory.appendingPathComponent("desk-\(name).log").path
        arguments = [
            "desk", "--name", name, "--log", log, "--engine", engine.rawValue, "--port", "\(port)", "--seed",
            "\(seed)",
        ]
    }

    func start() throws { process = try ChildProcess(program, arguments) }

    /// Kills it like a crash, and reads the rest of its output.
    func kill() async throws {
        guard let process else { return }
        let wasKilled = await process.kill()
        for await line in process.lines { try note(line) }
        try Task.checkCancellation()
        guard wasKilled else { throw DemoError.deskEnded(name) }
        ledger.noteKill()
    }

    /// Reads until a given line.
    func listen(until isAwaited: @Sendable (DeskLine) -> Bool) async throws {
        guard let process else { return }
        for await line in process.lines where isAwaited(try note(line)) { return }
        try Task.checkCancellation()
        throw DemoError.deskEnded(name)
    }

    /// Makes it stop serving orders, and waits until it has no open ones.
    func finish() async throws {
        try process?.tell("finish")
        try await listen { $0 == .idle }
    }

    /// Makes it report its replica of the stock, and end.
    func report(at revision: UInt64) async throws {
        guard let process else { return }
        try process.tell("report \(revision)")
        for await line in process.lines { try note(line) }
        guard try await process.waitForEnd() else { throw DemoError.deskEnded(name) }
    }

    /// Ends it, in any state.
    func stop() async { await process?.kill() }

    @discardableResult
    private func note(_ text: String) throws -> DeskLine {
        guard let line = DeskLine(text) else { throw DemoError.unreadable(desk: name, line: text) }
        ledger.note(line)
        return line
    }
}
