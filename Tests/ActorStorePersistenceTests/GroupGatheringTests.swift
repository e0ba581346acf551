import Testing

@testable import ActorStorePersistence

@Suite("The gathering of a writer's next group")
struct GroupGatheringTests {
    /// The decision of a writer that finds this number of entries after this number of microseconds.
    private func decisions(
        released: Int,
        lastGroup: Duration = .milliseconds(5),
        _ looks: (count: Int, elapsed: Int)...
    ) -> [Bool] {
        var gathering = GroupGathering(released: released, lastGroup: lastGroup)
        return looks.map { gathering.goesOn(with: $0.count, after: .microseconds($0.elapsed)) }
    }

    @Test("A writer waits for one entry of each task that it has released")
    func comeBack() {
        #expect(decisions(released: 4, (0, 0), (1, 60), (3, 120), (4, 180)) == [true, true, true, false])
    }

    @Test("A writer waits no longer than a step without a further entry")
    func nothingComes() {
        #expect(decisions(released: 4, (0, 0), (0, 60)) == [true, false])
        #expect(decisions(released: 4, (2, 0), (2, 60)) == [true, false])
    }

    @Test("A writer waits at most half as long as the last group took, and 10 ms")
    func limits() {
        #expect(decisions(released: 1_000, (1, 0), (2, 2_450), (3, 2_451)) == [true, true, false])
        #expect(
            decisions(released: 1_000, lastGroup: .microseconds(1_000), (1, 0), (2, 450), (3, 451)) == [
                true, true, false,
            ]
        )
        #expect(decisions(released: 1_000, lastGroup: .seconds(1), (1, 9_950), (2, 9_951)) == [true, false])
    }

    @Test("A writer does not wait if the last group took less than a millisecond")
    func fastLog() {
        #expect(decisions(released: 1_000, lastGroup: .microseconds(999), (0, 0)) == [false])
    }

    @Test("A writer does not wait for a single task, which wakes it, nor after it has released none")
    func alone() {
        #expect(decisions(released: 0, (0, 0)) == [false])
        #expect(decisions(released: 1, (0, 0)) == [false])
    }
}
