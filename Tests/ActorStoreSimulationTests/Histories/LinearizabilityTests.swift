import ActorStoreSimulation
import Testing

@testable import TestFixtures

@Suite("Linearizability", .timeLimit(.minutes(10)))
struct LinearizabilityTests {
    /// A number that can be read and written.
    struct Register: SequentialSpecification {
        enum Operation: Sendable, Equatable {
            case read
            case write(Int)
        }
        let initialState = 0
        func apply(_ operation: Operation, to state: inout Int) -> Int {
            if case .write(let number) = operation { state = number }
            return state
        }
    }

    typealias Record = RecordedOperation<Register.Operation, Int>

    private func read(_ answer: Int, by process: Int, _ times: ClosedRange<UInt64>) -> Record {
        Record(process: process, .read, answer, invokedAt: times.lowerBound, respondedAt: times.upperBound)
    }

    private func write(_ number: Int, by process: Int, _ times: ClosedRange<UInt64>) -> Record {
        Record(process: process, .write(number), number, invokedAt: times.lowerBound, respondedAt: times.upperBound)
    }

    @discardableResult
    private func order(_ records: [Record]) throws -> [Register.Operation] {
        try History(records).linearization(by: Register()).map(\.operation)
    }

    @Test("Overlapping operations can have any order that explains the responses")
    func overlapping() throws {
        let records = [write(1, by: 0, 1...10), read(1, by: 1, 2...3), read(0, by: 2, 4...5)]
        #expect(throws: LinearizabilityViolation<Register.Operation, Int>.self) { try order(records) }
        #expect(try order([records[0], read(0, by: 1, 2...3), read(1, by: 2, 4...5)]) == [.read, .write(1), .read])
    }

    @Test("A read of an old value after a completed write is a violation, which names the read and the expected value")
    func staleRead() throws {
        let records = [write(1, by: 0, 1...2), write(2, by: 0, 3...4), read(1, by: 1, 5...6)]
        let violation = try #require(throws: LinearizabilityViolation<Register.Operation, Int>.self) {
            try order(records)
        }
        #expect(violation.prefix.map(\.operation) == [.write(1), .write(2)])
        #expect(violation.misfit.process == 1)
        #expect(violation.expected == 2)
        #expect(violation.state == "2")
        #expect(violation.description.contains("process 1: read -> 1"))
    }

    @Test("An operation without a response may take effect late, or never, but before the next one of its process")
    func pendingOperations() throws {
        let pending = Record(process: 0, .write(1), nil, invokedAt: 1, respondedAt: nil)
        #expect(try order([pending, read(0, by: 1, 2...3), read(1, by: 1, 4...5)]) == [.read, .write(1), .read])
        #expect(try order([pending, read(0, by: 1, 2...3)]) == [.read])
        #expect(try order([pending, read(1, by: 0, 2...3)]) == [.write(1), .read])
        #expect(throws: LinearizabilityViolation<Register.Operation, Int>.self) {
            try order([pending, read(0, by: 0, 2...3)])
        }
        let free = Record(process: 0, .read, 0, invokedAt: 2, respondedAt: 3, followsOwn: false)
        #expect(try order([pending, free]) == [.read])
    }

    @Test(
        "An operation that follows its process comes after earlier unordered ones, which come after earlier followers"
    )
    func followersOfOthers() throws {
        func pending(_ number: Int, at time: UInt64, followsOwn: Bool) -> Record {
            Record(process: 0, .write(number), nil, invokedAt: time, respondedAt: nil, followsOwn: followsOwn)
        }
        #expect(throws: LinearizabilityViolation<Register.Operation, Int>.self) {
            try order([pending(1, at: 1, followsOwn: false), read(0, by: 0, 2...3)])
        }
        let several = [
            pending(1, at: 1, followsOwn: true), pending(2, at: 2, followsOwn: false),
            pending(3, at: 3, followsOwn: false),
        ]
        for last in [2, 3] { #expect(try order(several + [read(last, by: 0, 4...5)]).last == .read) }
        // Both come before the first read, and the second one shows in which order.
        for first in [0, 1] {
            #expect(throws: LinearizabilityViolation<Register.Operation, Int>.self) {
                try order([several[0], several[1], read(first, by: 0, 4...5), read(2, by: 1, 6...7)])
            }
        }
    }

    /// Some registers.
    struct Registers: SequentialSpecification {
        struct Operation: Sendable {
            let key: Int
            let written: Int?
        }
        let initialState: [Int: Int] = [:]
        func apply(_ operation: Operation, to state: inout [Int: Int]) -> Int {
            if let written = operation.written { state[operation.key] = written }
            return state[operation.key] ?? 0
        }
        func part(of operation: Operation) -> AnyHashable? { operation.key }
    }

    @Test("Independent parts are checked one by one, so that many overlapping operations stay affordable")
    func parts() throws {
        var records: [RecordedOperation<Registers.Operation, Int>] = []
        for key in 0..<200 {
            // All 400 overlap.
            records.append(
                .init(process: key, .init(key: key, written: 1), 1, invokedAt: UInt64(key), respondedAt: 1_000)
            )
            let time = UInt64(200 + key)
            records.append(
                .init(process: 200 + key, .init(key: key, written: nil), 1, invokedAt: time, respondedAt: 2_000)
            )
        }
        #expect(try History(records).linearization(by: Registers()).count == 400)
        records.append(.init(process: 999, .init(key: 7, written: nil), 0, invokedAt: 3_000, respondedAt: 3_001))
        let violation = try #require(throws: LinearizabilityViolation<Registers.Operation, Int>.self) {
            try History(records).linearization(by: Registers())
        }
        #expect(violation.count == 3)
    }

    /// The same registers, which are not checked one by one.
    struct WholeRegisters: SequentialSpecification {
        let initialState: [Int: Int] = [:]
        func apply(_ operation: Registers.Operation, to state: inout [Int: Int]) -> Int {
            Registers().apply(operation, to: &state)
        }
    }

    @Test("A process that continues without a response keeps its order across independent parts")
    func orderAcrossParts() throws {
        let history = History<Registers.Operation, Int>([
            .init(process: 0, .init(key: 0, written: 1), nil, invokedAt: 0, respondedAt: nil),
            .init(process: 0, .init(key: 1, written: 1), nil, invokedAt: 1, respondedAt: nil),
            .init(process: 1, .init(key: 1, written: nil), 1, invokedAt: 2, respondedAt: 3),
            .init(process: 1, .init(key: 0, written: nil), 0, invokedAt: 4, respondedAt: 5),
        ])
        #expect(throws: LinearizabilityViolation<Registers.Operation, Int>.self) {
            try history.linearization(by: Registers())
        }
    }

    @Test("An operation that follows its process keeps its order across independent parts, after one that does not")
    func followersAcrossParts() throws {
        let history = History<Registers.Operation, Int>([
            .init(process: 0, .init(key: 0, written: 1), nil, invokedAt: 0, respondedAt: nil, followsOwn: false),
            .init(process: 0, .init(key: 1, written: 1), nil, invokedAt: 1, respondedAt: nil),
            .init(process: 1, .init(key: 1, written: nil), 1, invokedAt: 2, respondedAt: 3),
            .init(process: 1, .init(key: 0, written: nil), 0, invokedAt: 4, respondedAt: 5),
        ])
        #expect(throws: LinearizabilityViolation<Registers.Operation, Int>.self) {
            try history.linearization(by: Registers())
        }
    }

    @Test("A history is linearizable in parts if and only if it is as a whole, for 20,000 small ones")
    func partsAgreeWithTheWhole() throws {
        var random = SimulationGenerator(seed: 1)
        var linearizable = 0
        for _ in 0..<20_000 {
            var records: [RecordedOperation<Registers.Operation, Int>] = []
            for time in 0..<UInt64.random(in: 2...5, using: &random) {
                let written: Int? = Bool.random(using: &random) ? Int.random(in: 1...2, using: &random) : nil
                let isAnswered = Int.random(in: 0..<3, using: &random) > 0
                records.append(
                    .init(
                        process: .random(in: 0..<3, using: &random),
                        .init(key: .random(in: 0..<2, using: &random), written: written),
                        isAnswered ? written ?? .random(in: 0...2, using: &random) : nil,
                        invokedAt: time * 100,
                        respondedAt: isAnswered ? time * 101 + 1 + 100 * .random(in: 0...2, using: &random) : nil,
                        followsOwn: Int.random(in: 0..<5, using: &random) > 0
                    )
                )
            }
            let history = History(records)
            let whole = (try? history.linearization(by: WholeRegisters())) != nil
            let inParts = (try? history.linearization(by: Registers())) != nil
            #expect(whole == inParts, "\(records)")
            if whole { linearizable += 1 }
        }
        #expect(linearizable > 1_000 && linearizable < 19_000)
    }

    @Test("The search agrees with an enumeration of all orders, for all small histories of a register")
    func exhaustive() throws {
        // Three operations of three processes, in all possible overlaps, with all responses from 0 to 2.
        let operations: [Register.Operation] = [.read, .write(1), .write(2)]
        var checked = 0
        var linearizable = 0
        for times in Self.overlaps {
            for choice in 0..<27 {
                for answers in 0..<8 {
                    let records = (0..<3).map { index in
                        let operation = operations[choice / [1, 3, 9][index] % 3]
                        let answer = answers >> index & 1
                        let response = if case .write(let number) = operation { number } else { answer }
                        return Record(
                            process: index,
                            operation,
                            response,
                            invokedAt: times[index].lowerBound,
                            respondedAt: times[index].upperBound
                        )
                    }
                    let isLinearizable = (try? order(records)) != nil
                    #expect(isLinearizable == Self.someOrderExplains(records))
                    checked += 1
                    if isLinearizable { linearizable += 1 }
                }
            }
        }
        #expect(checked == 90 * 27 * 8)
        #expect(linearizable > 0 && linearizable < checked)
    }

    /// All orders of six events of three operations in which each begins before it ends.
    private static var overlaps: [[ClosedRange<UInt64>]] {
        var found: [[ClosedRange<UInt64>]] = []
        func place(_ chosen: [ClosedRange<UInt64>], _ free: [UInt64]) {
            if chosen.count == 3 { return found.append(chosen) }
            for (index, start) in free.enumerated() {
                for end in free[(index + 1)...] {
                    place(chosen + [start...end], free.filter { $0 != start && $0 != end })
                }
            }
        }
        place([], Array(1...6))
        return found
    }

    private static func someOrderExplains(_ records: [Record]) -> Bool {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        return orders.contains { order in
            var state = 0
            for (place, index) in order.enumerated() {
                let record = records[index]
                let mustComeLater = order[(place + 1)...].contains { later in
                    records[later].respondedAt.map { $0 < record.invokedAt } ?? false
                }
                if mustComeLater || Register().apply(record.operation, to: &state) != record.response { return false }
            }
            return true
        }
    }

    @Test("The prefix of a violation explains all of its responses, and its expectation differs from the response")
    func prefixes() throws {
        var generator = SimulationGenerator(seed: 1)
        var longest = 0
        for _ in 0..<2_000 {
            var time: UInt64 = 0
            var records: [Record] = []
            for number in 0..<8 {
                time += 10
                let end = time + .random(in: 1...40, using: &generator)
                if Bool.random(using: &generator) {
                    records.append(write(.random(in: 1...2, using: &generator), by: number, time...end))
                } else {
                    records.append(read(.random(in: 0...2, using: &generator), by: number, time...end))
                }
            }
            do {
                try order(records)
            } catch let violation as LinearizabilityViolation<Register.Operation, Int> {
                var state = 0
                for record in violation.prefix {
                    #expect(Register().apply(record.operation, to: &state) == record.response, "\(violation)")
                }
                #expect(violation.state == "\(state)")
                #expect(Set(violation.prefix.map(\.process)).count == violation.prefix.count)
                #expect(!violation.prefix.contains { $0.process == violation.misfit.process })
                longest = max(longest, violation.prefix.count)
            }
        }
        #expect(longest == 7)
    }

    @Test("A violation names the operation with the wrong response, and no later one of the same process")
    func misfitOfOneProcess() throws {
        // The write has a correct response, and is first, but belongs behind the read.
        let records = [read(7, by: 0, 10...40), write(1, by: 0, 20...30)]
        let violation = try #require(throws: LinearizabilityViolation<Register.Operation, Int>.self) {
            try order(records)
        }
        #expect(violation.misfit.response == 7 && violation.expected == 0 && violation.prefix.isEmpty)
    }

    @Test("A linearizable history is checked in time linear in its length, also if the search often backtracks")
    func costs() async throws {
        try await expectLinear { count in
            var records: [Record] = []
            for number in 0..<count / 4 {
                let time = UInt64(number * 10)
                records.append(write(number + 1, by: 0, time...time + 3))
                // It has to come before that write.
                records.append(read(number, by: 1, time + 1...time + 2))
            }
            let history = History(records)
            return {
                let order = try history.linearization(by: Register())
                #expect(order.count == history.operations.count)
            }
        }
    }

    @Test("A search that takes too long stops and reports it")
    func undecided() throws {
        let writes = (1...12).map { number in write(number, by: number, UInt64(number)...100) }
        let impossible = writes + [read(99, by: 99, 200...201)]
        #expect(throws: UndecidedHistory.self) { try History(impossible).linearization(by: Register(), limit: 1_000) }
    }
}
