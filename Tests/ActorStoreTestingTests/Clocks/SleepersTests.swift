import ActorStoreSimulation
import Testing

@testable import ActorStoreTesting
@testable import TestFixtures

@Suite("Sleepers of a test clock", .timeLimit(.minutes(10)))
struct SleepersTests {
    private typealias Names = Sleepers<String>

    @Test("A sleeper waits before its deadline, is due after it, and is cancelled if that came first")
    func admission() {
        var sleepers = Names()
        let (first, second, third) = (sleepers.announce(), sleepers.announce(), sleepers.announce())
        #expect(sleepers.cancel(third) == nil)
        guard case .sleeps = sleepers.admit(first, until: .seconds(1), "a") else { return #expect(Bool(false)) }
        guard case .isDue = sleepers.admit(second, until: .zero, "b") else { return #expect(Bool(false)) }
        guard case .wasCancelled = sleepers.admit(third, until: .seconds(1), "c") else { return #expect(Bool(false)) }
        #expect(sleepers.count == 1)
        #expect(sleepers.cancel(first) == "a")
        #expect(sleepers.nextDeadline == nil)
    }

    @Test("Time stops at each deadline on its way, and at the end when no sleeper is due")
    func advancing() {
        var sleepers = Names()
        for (name, seconds) in [("c", 3), ("a", 1), ("b", 1)] {
            _ = sleepers.admit(sleepers.announce(), until: .seconds(seconds), name)
        }
        #expect(sleepers.advance(upTo: .seconds(2)) == ["a", "b"])
        #expect(sleepers.now == .seconds(1))
        #expect(sleepers.advance(upTo: .seconds(2)) == [])
        #expect(sleepers.now == .seconds(2))
        #expect(sleepers.advance(upTo: .seconds(3)) == ["c"])
        #expect(sleepers.advance(upTo: .seconds(1)) == [])
        #expect(sleepers.now == .seconds(3))
    }

    @Test("Sleepers wake by deadline, then in order of arrival, after any cancellations, as in a sorted list")
    func model() {
        var generator = SimulationGenerator(seed: 1)
        for _ in 0..<200 {
            var sleepers = Sleepers<UInt64>()
            var list: [(number: UInt64, deadline: Duration)] = []
            var now = Duration.zero
            for _ in 0..<100 {
                switch Int.random(in: 0..<8, using: &generator) {
                case 0..<4:
                    let number = sleepers.announce()
                    let deadline = now + .seconds(Int.random(in: 1...10, using: &generator))
                    _ = sleepers.admit(number, until: deadline, number)
                    list.append((number, deadline))
                case 4..<7:
                    guard let place = list.indices.randomElement(using: &generator) else { continue }
                    let number = list.remove(at: place).number
                    #expect(sleepers.cancel(number) == number)
                default:
                    let end = now + .seconds(Int.random(in: 0...5, using: &generator))
                    now = min(end, list.map(\.deadline).min() ?? end)
                    let due = list.filter { $0.deadline <= now }.map(\.number)
                    #expect(sleepers.advance(upTo: end) == due)
                    list.removeAll { $0.deadline <= now }
                    #expect(sleepers.now == now)
                }
                #expect(sleepers.count == list.count)
                #expect(sleepers.nextDeadline == list.map(\.deadline).min())
            }
            let inOrder = list.enumerated().sorted { left, right in
                (left.element.deadline, left.offset) < (right.element.deadline, right.offset)
            }
            #expect(sleepers.cancelAll() == inOrder.map(\.element.number))
        }
    }

    @Test("Adding, cancelling and waking a sleeper takes time almost independent of the number of sleepers")
    func costs() async throws {
        try await expectLinear { count in
            {
                var sleepers = Sleepers<Int>()
                let numbers = (0..<count).map { number in
                    let own = sleepers.announce()
                    _ = sleepers.admit(own, until: .seconds(number + 1), number)
                    return own
                }
                for number in numbers[(count / 2)...].reversed() { _ = sleepers.cancel(number) }
                while let next = sleepers.nextDeadline { _ = sleepers.advance(upTo: next) }
                #expect(sleepers.now == .seconds(count / 2))
            }
        }
    }
}
