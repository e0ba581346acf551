import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("What is done in a turn even if observers suspend the store", .timeLimit(.minutes(10)))
struct TurnSuspensionTests {
    @Test(
        "8,000 urgent tasks take no more than 16 times as long to take out one by one as 1,000",
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

    @Test("Urgent tasks are taken out in the order in which they came, but for those that were done in another way")
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
