import ActorStoreSimulation
import Testing

@testable import ActorStoreCommands

@Suite("Beginnings and ends of driven effects", .timeLimit(.minutes(10)))
struct DrivenRunsTests {
    @Test("An equal cause changes nothing; another one ends the run, and begins a new one")
    func steps() {
        var runs = DrivenRuns<String, Int>()
        #expect(runs.follow(nil, for: "a") == .nothing)
        #expect(runs.follow(1, for: "a") == .init(ends: false, begins: 1))
        #expect(runs.follow(1, for: "a") == .nothing)
        #expect(runs.follow(2, for: "b") == .init(ends: false, begins: 2))
        #expect(runs.follow(2, for: "a") == .init(ends: true, begins: 2))
        #expect(runs.follow(nil, for: "a") == .init(ends: true, begins: nil))
        #expect(runs.follow(nil, for: "a") == .nothing)
        #expect(runs.causes == ["b": 2])
        runs.removeAll()
        #expect(runs.follow(2, for: "b") == .init(ends: false, begins: 2))
    }

    @Test("A removed entry ends its effect, also if another one requests an equal effect")
    func departures() {
        var runs = DrivenRuns<String, Int>()
        func leave() -> Bool { runs.leave("a") }
        func follow(_ cause: Int?) -> DrivenRuns<String, Int>.Step { runs.follow(cause, for: "a") }
        #expect(!leave() && !runs.hasLeft("a"))
        #expect(follow(1) == .init(ends: false, begins: 1))
        #expect(leave() && !leave() && runs.hasLeft("a"))
        #expect(follow(1) == .init(ends: true, begins: 1))
        #expect(!runs.hasLeft("a") && follow(1) == .nothing)
        #expect(leave())
        #expect(follow(nil) == .init(ends: true, begins: nil))
        #expect(!runs.hasLeft("a") && !leave())
        #expect(follow(2) == .init(ends: false, begins: 2) && leave())
        runs.removeAll()
        #expect(!runs.hasLeft("a") && follow(2) == .init(ends: false, begins: 2))
    }

    @Test("The running effect is always the last requested one", arguments: 0..<10)
    func model(seed: UInt64) {
        var random = SimulationGenerator(seed: seed)
        var runs = DrivenRuns<Int, Int>()
        var running: [Int: Int] = [:]
        for _ in 0..<1_000 {
            let key = Int.random(in: 0..<4, using: &random)
            let cause = Bool.random(using: &random) ? Int.random(in: 0..<3, using: &random) : nil
            let step = runs.follow(cause, for: key)
            if step.ends { #expect(running.removeValue(forKey: key) != nil) }
            if let begun = step.begins {
                #expect(running[key] == nil)
                running[key] = begun
            }
            #expect(running[key] == cause)
        }
        #expect(running == runs.causes)
    }
}
