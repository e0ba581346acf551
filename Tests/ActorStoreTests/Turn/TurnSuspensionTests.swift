import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Work done in a turn of a suspended store", .timeLimit(.minutes(10)))
struct TurnSuspensionTests {
    @Test(
        "Taking 8,000 urgent tasks one by one takes at most 16 times as long as 1,000",
        arguments: [true, false]
    )
    func isLinear(isInOrder: Bool) async throws {
        try await expectLinear { count in
            {
                let suspension = TurnSuspension {}
                let tasks = (0..<count).map { _ in OnceInTurn {} }
                for task in tasks { _ = suspension.addUrgent(task) }
                if isInOrder {
                    tasks.forEach { suspension.remove($0) }
                } else {
                    tasks.reversed().forEach { suspension.remove($0) }
                }
                #expect(suspension.takeUrgent().isEmpty)
            }
        }
    }

    @Test("Urgent tasks are taken in order, without those done otherwise")
    func order() {
        let suspension = TurnSuspension {}
        let done = Collector<Int>()
        let tasks = (0..<5).map { number in OnceInTurn { done.append(number) } }
        for task in tasks { #expect(!suspension.addUrgent(task)) }
        suspension.remove(tasks[0])
        suspension.remove(tasks[3])
        for task in suspension.takeUrgent() { task.run() }
        suspension.remove(tasks[1])
        #expect(done.elements == [1, 2, 4] && suspension.takeUrgent().isEmpty)
    }
}
