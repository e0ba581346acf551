import ActorStore
import ActorStorePersistence
import ActorStoreSimulation
import Foundation
import Testing

@testable import ReplicationWorkload

/// The processes of a test with stores of one log, and their history so far.
struct WorkerProcesses {
    /// Their common options; each has its own name.
    var options: WorkloadOptions
    /// The environment of one process, and the next, and so on: `NAME=value`.
    var environments: [[String]] = [[]]
    private(set) var running: [ChildProcess] = []
    private var ended: [ChildProcess] = []
    /// The times at which servers came back without their end.
    var losses: [History.Loss] = []
    private var names = 0

    init(_ kind: WorkloadOptions.Kind, _ engine: Engine, port: Int) {
        options = WorkloadOptions()
        options.kind = kind
        options.engine = engine
        options.port = port
    }

    // MARK: Processes

    mutating func start(_ count: Int = 1) throws {
        for _ in 0..<count { running.append(try make()) }
    }

    private mutating func make() throws -> ChildProcess {
        names += 1
        options.name = "\(options.kind.rawValue)\(names)"
        return try ChildProcess.worker(options, environment: environments[names % environments.count])
    }

    /// Kills one, and starts another one in its place.
    mutating func replace(_ index: Int) async throws {
        try await running[index].kill()
        ended.append(running[index])
        running[index] = try make()
    }

    /// Replaces each process that has ended by itself.
    mutating func replaceEnded() async throws {
        for index in running.indices where running[index].isOver { try await replace(index) }
    }

    /// Kills all of them.
    mutating func killAll() async throws {
        for process in running { try await process.kill() }
        ended += running
        running = []
    }

    /// Waits for an acknowledged action that was begun after this call; of each process, or of one durable store.
    func waitForProgress() async throws {
        let counts = running.map(\.count)
        if options.kind != .durable {
            for (process, count) in zip(running, counts) { try await Self.waitForProgress(of: process, from: count) }
            return
        }
        let (running, end) = (running, ContinuousClock.now + .seconds(60))
        while !zip(running, counts).contains(where: { $0.hasProgress(from: $1) }) {
            try #require(ContinuousClock.now < end, "No action is acknowledged: \(running.map { $0.lines.suffix(2) })")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private static func waitForProgress(of process: ChildProcess, from count: Int) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while !process.hasProgress(from: count) {
            try #require(ContinuousClock.now < end, "No action is acknowledged: \(process.lines.suffix(3))")
            try #require(!process.isOver, "A process has ended: \(process.lines.suffix(1))")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    // MARK: The check

    /// Ends all processes, and compares their states with the log.
    ///
    /// - Parameter port: The port of the log without faults.
    /// - Returns: The history, and its result.
    mutating func finish(at port: Int) async throws -> (history: History, outcome: History.Outcome) {
        let isDurable = options.kind == .durable
        // Each durable store has its turn after the shutdown of the previous one.
        for process in running {
            try process.tell("finish")
            if isDurable { try process.tell("close") }
        }
        if isDurable {
            for process in running { try await process.waitForEnd() }
            for process in running {
                try #require(process.lines.last?.hasPrefix("idle") == true, "\(process.lines.suffix(2))")
            }
        } else {
            for process in running { _ = try await process.wait(for: "idle") }
        }
        var options = options
        (options.name, options.port, options.acceptsLoss) = ("fresh", port, false)
        let fresh = try await options.open()
        let state = try await fresh.read()
        if !isDurable {
            let (position, text) = (fresh.position, try state.text)
            for process in running {
                try process.tell("report \(position)")
                #expect(try await process.wait(for: "state") == "state \(fresh.revision) \(text)")
            }
        }
        #expect(fresh.revision == state.point.revision)
        #expect(fresh.failure == nil)
        var history = History()
        history.losses = losses
        for process in ended + running { history.add(process.lines, of: process.name) }
        await fresh.end()
        // They end by themselves when the server is gone.
        ended += running
        running = []
        return (history, History.Outcome(state))
    }

    /// Checks the history, and expects no violations.
    mutating func check(at port: Int) async throws -> History {
        let (history, outcome) = try await finish(at: port)
        let violations = HistoryChecker(history, outcome).violations
        if !violations.isEmpty { try TestExtent.keep(history, outcome, ended, violations) }
        #expect(violations.isEmpty, "\(violations.count): \(violations.map(\.description).sorted().prefix(8))")
        return history
    }

    /// The reasons of processes that have ended by themselves, with their numbers.
    var stops: [String: Int] {
        var stops: [String: Int] = [:]
        for process in ended + running {
            if let line = process.lines.last(where: { $0.hasPrefix("stopped") || $0.hasPrefix("failed:") }) {
                stops[line.split(separator: " ").prefix(2).joined(separator: " "), default: 0] += 1
            }
        }
        return stops
    }
}

extension ChildProcess {
    /// Whether an action was begun and acknowledged after a number of lines.
    fileprivate func hasProgress(from count: Int) -> Bool {
        var begun: Set<Substring> = []
        for line in lines.dropFirst(count) {
            let words = line.split(separator: " ")
            guard words.count >= 4 else { continue }
            if words[0] == "begin" { begun.insert(words[2]) }
            if words[0] == "end", begun.contains(words[2]) { return true }
        }
        return false
    }

    /// Its identity in a history.
    fileprivate var name: String { "\(ObjectIdentifier(self).hashValue)" }
}

/// The extent of a test run.
enum TestExtent {
    /// `KILLS` in the environment is the number of faults, `SEED` determines their moments.
    private static var environment: [String: String] { ProcessInfo.processInfo.environment }

    static var generator: SimulationGenerator {
        SimulationGenerator(seed: environment["SEED"].flatMap { UInt64($0) } ?? 1)
    }

    /// Whether figures are printed.
    static var isChosen: Bool { environment["KILLS"] != nil }

    /// The number of faults for each engine.
    ///
    /// - Parameters:
    ///   - number: The default number.
    ///   - weight: The number of kills that it stands for.
    static func rounds(_ number: Int, weight: Int = 1) -> Int {
        guard let kills = environment["KILLS"].flatMap({ Int($0) }) else { return number }
        return max(kills / weight, 1)
    }

    /// The kinds of workloads: all if the number of faults is given, and otherwise some.
    static func kinds(_ some: WorkloadOptions.Kind...) -> [WorkloadOptions.Kind] {
        isChosen ? [.replica, .holder, .durable] : some
    }

    /// Writes a history with violations into the folder named by `HISTORIES` in the environment.
    fileprivate static func keep(
        _ history: History,
        _ outcome: History.Outcome,
        _ processes: [ChildProcess],
        _ violations: Set<HistoryViolation>
    ) throws {
        guard let folder = environment["HISTORIES"] else { return }
        var lines = violations.map(\.description).sorted() + outcome.disorders
        lines += history.losses.map { "loss \($0)" }
        for process in processes { lines += ["", process.name] + process.lines }
        try lines.joined(separator: "\n").write(toFile: "\(folder)/\(UUID())", atomically: true, encoding: .utf8)
    }

    static func tell(_ text: @autoclosure () -> String) { if isChosen { print(text()) } }
}

/// All tests with separate servers and processes: in sequence, because their times depend on other load.
@Suite("Histories of stores on servers", .serialized, .timeLimit(.minutes(60)))
enum HistoryTests {}
