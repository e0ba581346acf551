import Foundation

/// A server and two desks, each a process that can be killed.
struct Shop: Sendable {
    private let server: ServerProcess
    private let desks: [DeskProcess]
    private let engine: Engine
    private let port: Int

    init(engine: Engine, directory: URL, seed: UInt64) throws {
        guard let program = Bundle.main.executableURL else { throw CocoaError(.fileNoSuchFile) }
        let port = try LoopbackPort.free()
        (self.engine, self.port) = (engine, port)
        server = try ServerProcess(engine, port: port, directory: directory)
        desks = ["A", "B"].map {
            DeskProcess(name: $0, program: program, engine: engine, port: port, directory: directory, seed: seed)
        }
    }

    /// The target of a kill.
    var victims: [Victim] { desks.map { .desk($0.name) } + [.server] }

    func open() async throws {
        try await server.create()
        try await server.start()
        for desk in desks { try await desk.start() }
        try await waitForOrders()
    }

    /// Waits until each desk has accepted an order in its present life.
    func waitForOrders() async throws {
        for desk in desks {
            try await desk.listen { if case .accepted = $0 { true } else { false } }
        }
    }

    /// Kills one of the three, and starts it again.
    ///
    /// - Parameter outage: The time until its restart.
    func kill(_ victim: Victim, outage: Duration) async throws {
        switch victim {
        case .server:
            try await server.kill()
            try await Task.sleep(for: outage)
            try await server.start()
        case .desk(let name):
            for desk in desks where desk.name == name {
                try await desk.kill()
                try await Task.sleep(for: outage)
                try await desk.start()
            }
        }
    }

    /// Ends the desks in order, and collects the input of an audit.
    func close() async throws -> Evidence {
        for desk in desks { try await desk.finish() }
        // There are no further orders, so this is the end of the log.
        let stock = try await Stock.join(through: engine.log(port: port), name: "audit")
        for desk in desks { try await desk.report(at: stock.revision) }
        var evidence = Evidence(desks: [], stock: stock.snapshot, revision: stock.revision)
        for desk in desks {
            let book = try await OrderBook.open(at: desk.log) { try await stock.decide($0) }
            evidence.desks.append(Evidence.Desk(name: desk.name, ledger: await desk.ledger, book: book.snapshot))
            await book.shutdown(drain: .cancelEffects)
        }
        await stock.shutdown(drain: .cancelEffects)
        return evidence
    }

    /// Ends all processes, in any state.
    func stop() async {
        for desk in desks { await desk.stop() }
        await server.stop()
    }
}
