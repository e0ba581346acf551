import Foundation

/// A desk, as whoever starts and kills its process sees it, over all of its lives.
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

    /// Ends it as a crash does, and listens to the last that it has said.
    func kill() async throws {
        guard let process else { return }
        let wasKilled = await process.kill()
        for await line in process.lines { try note(line) }
        try Task.checkCancellation()
        guard wasKilled else { throw DemoError.deskEnded(name) }
        ledger.noteKill()
    }

    /// Listens until it says something.
    func listen(until isAwaited: @Sendable (DeskLine) -> Bool) async throws {
        guard let process else { return }
        for await line in process.lines where isAwaited(try note(line)) { return }
        try Task.checkCancellation()
        throw DemoError.deskEnded(name)
    }

    /// Has it serve no further orders, and waits until it has none open.
    func finish() async throws {
        try process?.tell("finish")
        try await listen { $0 == .idle }
    }

    /// Has it say what its replica of the stock is, and end.
    func report(at revision: UInt64) async throws {
        guard let process else { return }
        try process.tell("report \(revision)")
        for await line in process.lines { try note(line) }
        guard try await process.waitForEnd() else { throw DemoError.deskEnded(name) }
    }

    /// Ends it, in whatever state it is.
    func stop() async { await process?.kill() }

    @discardableResult
    private func note(_ text: String) throws -> DeskLine {
        guard let line = DeskLine(text) else { throw DemoError.unreadable(desk: name, line: text) }
        ledger.note(line)
        return line
    }
}
