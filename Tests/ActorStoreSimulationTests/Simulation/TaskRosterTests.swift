import ActorStore
import Testing

@testable import ActorStoreSimulation
@testable import TestFixtures

@Suite("Tasks of a simulation", .timeLimit(.minutes(10)))
struct TaskRosterTests {
    @Test("Running tasks are named and cancelled in the order of their start")
    func order() {
        var roster = TaskRoster()
        let cancelled = LockedValue<[Int]>([])
        for number in 1...20 {
            #expect(roster.add("\(number)") == number)
            roster.note({ cancelled.withLock { $0.append(number) } }, of: number)
        }
        for number in 1...20 where !number.isMultiple(of: 3) { roster.remove(number) }
        // It had ended when this came.
        roster.note({ cancelled.withLock { $0.append(1) } }, of: 1)
        #expect(roster.names == ["3", "6", "9", "12", "15", "18"])
        for cancel in roster.cancellations { cancel() }
        #expect(cancelled.withLock { $0 } == [3, 6, 9, 12, 15, 18])
    }

    @Test("Starting and ending a task takes time independent of the number of running ones")
    func costs() async throws {
        try await expectLinear { count in
            {
                var roster = TaskRoster()
                for _ in 0..<count {
                    let number = roster.add("task")
                    roster.note({}, of: number)
                }
                for number in (1...count).reversed() { roster.remove(number) }
                #expect(roster.names.isEmpty)
            }
        }
    }
}
