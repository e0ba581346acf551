import ActorStorePersistence
import ActorStoreSimulation
import Foundation

extension ConformanceCheck {
    /// Random sequences of calls, each compared with a log in memory.
    static let sequences: [ConformanceCheck] = [UInt64](1...4).map { seed in
        ConformanceCheck("Random calls have the results of a log in memory, seed \(seed)") { laboratory in
            var sequence = try RandomSequence(laboratory, seed: seed)
            for _ in 0..<250 { try sequence.step() }
            try sequence.compareAll()
        }
    }
}

/// Random calls to a log and to its reference.
private struct RandomSequence {
    private let laboratory: LogLaboratory
    private var connection: any ActionLogConnection
    private var reference = MemoryLogContent(name: "reference")
    private var random: SimulationGenerator
    private var done: [String] = []

    init(_ laboratory: LogLaboratory, seed: UInt64) throws {
        self.laboratory = laboratory
        connection = try laboratory.log.connect()
        random = SimulationGenerator(seed: seed)
    }

    /// Makes a valid or invalid call to both.
    mutating func step() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<11: try append()
        case 11, 12: try read()
        case 13: try identity()
        case 14, 15: try snapshot()
        case 16: try trim()
        case 17, 18: connection = try laboratory.log.connect()
        default: try lose()
        }
    }

    /// Compares all readable values.
    mutating func compareAll() throws {
        let status = try connection.status()
        try expect(status.first, is: reference.status.first, "the first position\(history)")
        try expect(status.end, is: reference.end, "the end\(history)")
        try expect(
            try connection.readAll(after: status.first - 1),
            is: reference.entries,
            "the entries\(history)"
        )
        try expect(try connection.snapshots(), is: reference.snapshots, "the snapshots\(history)")
        for origin in ["a", "b", "c"] {
            try expect(
                try connection.lastNumber(of: origin),
                is: reference.numbers[origin] ?? 0,
                "the last number of \(origin)\(history)"
            )
        }
    }

    private var history: String { " after \(done.suffix(12).joined(separator: ", "))" }

    /// The result of a call, or the code of its error.
    private enum Outcome<Value: Equatable>: Equatable {
        case value(Value)
        case error(ActionLogError.Code)

        init(_ body: () throws(ActionLogError) -> Value) {
            do throws(ActionLogError) {
                self = .value(try body())
            } catch {
                self = .error(error.code)
            }
        }
    }

    private mutating func compare<Value: Equatable>(
        _ what: String,
        _ body: (any ActionLogConnection) throws(ActionLogError) -> Value,
        _ expected: (inout MemoryLogContent) throws(ActionLogError) -> Value
    ) throws {
        done.append(what)
        let outcome = Outcome { () throws(ActionLogError) in try body(connection) }
        let reference = Outcome { () throws(ActionLogError) in try expected(&self.reference) }
        try expect(outcome, is: reference, what + history)
    }

    // MARK: Operations

    private mutating func append() throws {
        let origin = ["a", "b", "c"].randomElement(using: &random) ?? "a"
        // Mostly the expected one.
        let next = (reference.numbers[origin] ?? 0) + 1
        let first = Int.random(in: 0..<6, using: &random) == 0 ? UInt64.random(in: 1...next + 2, using: &random) : next
        let entries = group(origin, first...first + UInt64.random(in: 0...3, using: &random))
        let condition = AppendCondition(place)
        try compare("append \(origin) \(first), \(condition.place)") { connection throws(ActionLogError) in
            try connection.append(entries, if: condition)
        } _: { content throws(ActionLogError) in
            try content.append(entries, if: condition)
        }
    }

    private var place: AppendCondition.Place {
        mutating get {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: .end(reference.end)
            case 2: .contains(.start)
            case 3: .end(point)
            default: .contains(point)
            }
        }
    }

    /// A position that exists, existed, or never will.
    private var point: ActionLogPoint {
        mutating get {
            let position = UInt64.random(in: 0...reference.end.position + 1, using: &random)
            if position == 0 { return .start }
            if let identity = try? reference.identity(at: position), Int.random(in: 0..<4, using: &random) > 0 {
                return ActionLogPoint(position: position, identity: identity)
            }
            return ActionLogPoint(position: position, identity: ActionLogEntry.Identity(origin: "x", number: position))
        }
    }

    private mutating func read() throws {
        let position = UInt64.random(in: 0...reference.end.position + 1, using: &random)
        try compare("read after \(position)") { connection throws(ActionLogError) in
            try connection.read(after: position, atMost: 40)
        } _: { content throws(ActionLogError) in
            try content.read(after: position, atMost: 40)
        }
    }

    private mutating func identity() throws {
        let position = UInt64.random(in: 0...reference.end.position + 1, using: &random)
        try compare("identity at \(position)") { connection throws(ActionLogError) in
            try connection.identity(at: position)
        } _: { content throws(ActionLogError) in
            try content.identity(at: position)
        }
    }

    private mutating func snapshot() throws {
        let point = point
        guard point != .start else { return }
        let snapshot = ActionLogSnapshot(at: point, header: "state \(point.position)", parts: 2)
        try connection.write(Data("one".utf8), 0, of: snapshot)
        try connection.write(Data("two".utf8), 1, of: snapshot)
        try compare("snapshot at \(point.position)") { connection throws(ActionLogError) in
            try connection.finish(snapshot)
        } _: { content throws(ActionLogError) in
            for number in 0..<snapshot.parts { content.parts[snapshot.id, default: [:]][number] = Data() }
            return try content.finish(snapshot)
        }
    }

    private mutating func trim() throws {
        guard let position = reference.snapshots.randomElement(using: &random)?.point.position else { return }
        done.append("trim through \(position)")
        while try connection.trim(through: position) {}
        _ = reference.trim(through: position)
        try compareAll()
    }

    private mutating func lose() throws {
        guard let loseEnd = laboratory.loseEnd else { return }
        let first = reference.status.first - 1
        let position = UInt64.random(
            in: max(first, reference.end.position - min(reference.end.position, 4))...reference.end.position,
            using: &random
        )
        done.append("lose the entries after \(position)")
        try loseEnd(position)
        reference.loseEnd(after: position)
        connection = try laboratory.log.connect()
        try compareAll()
    }
}
