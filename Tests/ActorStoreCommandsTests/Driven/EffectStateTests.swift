import ActorStore
import ActorStoreCommands
import ActorStoreSimulation
import Foundation
import Testing

@Suite("EffectState", .timeLimit(.minutes(10)))
struct EffectStateTests {
    typealias State = EffectState<EffectFailure>

    static let failure = EffectFailure(type: "Oops", message: "oops")

    /// A state in each status, by name.
    static var all: [(name: String, state: State)] {
        func running(_ change: (inout State) -> Void = { _ in }) -> State {
            var state = State.running(maxAttempts: 2)
            change(&state)
            return state
        }
        return [
            ("idle", .idle()),
            ("running", running()),
            ("succeeded", running { $0.succeed() }),
            ("failed", running { $0.fail(with: failure) }),
            ("cancelled", running { $0.cancel() }),
        ]
    }

    static func name(of state: State) -> String {
        let names: [(Bool, String)] = [
            (state.isIdle, "idle"), (state.isRunning, "running"), (state.isSucceeded, "succeeded"),
            (state.isFailed, "failed"), (state.isCancelled, "cancelled"),
        ]
        let matching = names.filter(\.0).map(\.1)
        return matching.count == 1 ? matching[0] : "\(matching)"
    }

    @Test("Each transition leads from each status to its documented one, or changes nothing and returns false")
    func transitions() {
        let table: [(String, (inout State) -> Bool, to: String, from: Set<String>)] = [
            ("run", { $0.run() }, "running", ["idle", "succeeded", "failed", "cancelled"]),
            ("run never", { $0.run(maxAttempts: 0) }, "running", []),
            ("restart", { $0.restart() }, "running", ["idle", "running", "succeeded", "failed", "cancelled"]),
            ("restart never", { $0.restart(maxAttempts: -1) }, "running", []),
            ("retry", { $0.retryOrFail(with: Self.failure) }, "running", ["running"]),
            ("succeed", { $0.succeed() }, "succeeded", ["running"]),
            ("fail", { $0.fail(with: Self.failure) }, "failed", ["running"]),
            ("cancel", { $0.cancel() }, "cancelled", ["running"]),
            ("reset", { $0.reset() }, "idle", ["running", "succeeded", "failed", "cancelled"]),
        ]
        for (name, state) in Self.all {
            #expect(Self.name(of: state) == name)
            for (transition, apply, to, from) in table {
                var changed = state
                let hasApplied = apply(&changed)
                #expect(hasApplied == from.contains(name), "\(transition) from \(name)")
                #expect(hasApplied ? Self.name(of: changed) == to : changed == state, "\(transition) from \(name)")
            }
        }
    }

    @Test("Attempts count from 0, the first is one of maxAttempts, and retries wait 2, 4, 8 seconds")
    func attempts() {
        var state = State.running(maxAttempts: 4, delay: .milliseconds(5))
        var delays: [Duration?] = []
        for attempt in 0..<4 {
            #expect(state.currentAttempt == attempt)
            delays.append(state.delay)
            let hasApplied = state.retryOrFail(with: Self.failure)
            #expect(hasApplied)
        }
        #expect(delays == [.milliseconds(5), .seconds(2), .seconds(4), .seconds(8)])
        #expect(state.failure == Self.failure && state.currentAttempt == nil && state.delay == nil)
        let hasApplied = state.retryOrFail(with: Self.failure)
        #expect(!hasApplied)
    }

    @Test("A backoff grows by its factor up to its limit, and never overflows")
    func backoff() {
        let backoff = EffectBackoff.exponential(base: .seconds(1), factor: 3, limit: .seconds(20))
        #expect((-1...5).map { backoff.delay(beforeAttempt: $0) / .seconds(1) } == [0, 0, 1, 3, 9, 20, 20])
        #expect(EffectBackoff.constant(.seconds(5)).delay(beforeAttempt: .max) == .seconds(5))
        #expect(EffectBackoff.immediate.delay(beforeAttempt: .max) == .zero)
        #expect(EffectBackoff.doubling.delay(beforeAttempt: .max) == EffectBackoff.longest)
        let tiny = EffectBackoff.exponential(base: Duration(secondsComponent: 0, attosecondsComponent: 1))
        #expect(tiny.delay(beforeAttempt: .max) == EffectBackoff.longest)
        let wide = EffectBackoff.exponential(base: .seconds(Int64.max), factor: .max, limit: .seconds(Int64.max))
        #expect(wide.delay(beforeAttempt: .max) == EffectBackoff.longest)
        let negative = EffectBackoff.exponential(base: .seconds(-1), factor: -3, limit: .seconds(-1))
        #expect(negative.delay(beforeAttempt: 7) == .zero)
        #expect(State.running(delay: .seconds(-1)).delay == .zero)
    }

    @Test(
        "Runs, restarts and retries have counted numbers, and states are distinguished by their input"
    )
    func identities() {
        var state = State()
        var seen: Set<EffectAttempt> = []
        func note() { if let attempt = state.attempt { #expect(seen.insert(attempt).inserted) } }
        for _ in 0..<3 {
            state.run(maxAttempts: 2)
            note()
            state.retryOrFail(with: Self.failure)
            note()
            state.restart(maxAttempts: 2)
            note()
            state.reset()
        }
        #expect(seen.count == 9)
        #expect(State.running(id: 1).attempt != State.running(id: 2).attempt)
    }

    @Test("Equal transitions make equal values, without randomness")
    func deterministic() {
        func make() -> State {
            var state = State(id: 7)
            state.run(maxAttempts: 3, delay: .seconds(1))
            state.retryOrFail(with: Self.failure)
            return state
        }
        #expect(make() == make())
        #expect(make().hashValue == make().hashValue)
    }

    @Test("Failures are compared by their value, and not by their description")
    func failures() {
        enum Reason: String, Error, CustomStringConvertible {
            case full, late
            var description: String { "no" }
        }
        var (first, second) = (EffectState<Reason>.running(), EffectState<Reason>.running())
        first.fail(with: .full)
        second.fail(with: .late)
        #expect(first != second && first.failure == .full)
        #expect(EffectFailure(Reason.full) == EffectFailure(type: "Reason", message: "no"))
        #expect(EffectFailure(Self.failure) == Self.failure)
    }

    @Test("Each status can be encoded, and equals its decoded value, so that a run continues")
    func codable() throws {
        var retried = State.running(id: 3, maxAttempts: 3, delay: .milliseconds(1), backoff: .constant(.seconds(9)))
        retried.retryOrFail(with: Self.failure)
        for state in Self.all.map(\.state) + [retried] {
            let data = try JSONEncoder().encode(state)
            #expect(try JSONDecoder().decode(State.self, from: data) == state)
        }
    }

    @Test("A state decoded from invalid data does not trap")
    func nonsense() throws {
        let state = State.running(maxAttempts: 2, backoff: .constant(.seconds(9)))
        let text = String(decoding: try JSONEncoder().encode(state), as: UTF8.self)
        for number in ["\(Int.max)", "\(Int.min)", "-1", "0"] {
            let changed = text.replacingOccurrences(of: "\"maxAttempts\":2", with: "\"maxAttempts\":\(number)")
                .replacingOccurrences(of: "\"number\":0", with: "\"number\":\(number)")
                .replacingOccurrences(of: "\"factor\":1", with: "\"factor\":\(number)")
            #expect(changed != text)
            var decoded = try JSONDecoder().decode(State.self, from: Data(changed.utf8))
            let hasApplied = decoded.retryOrFail(with: Self.failure)
            #expect(hasApplied)
        }
    }

    @Test("Any sequence of transitions behaves like a simple model", arguments: 0..<20)
    func model(seed: UInt64) {
        var random = SimulationGenerator(seed: seed)
        var state = State()
        // The model: a name, the attempt, the number of attempts, the delay, and all runs so far.
        var (name, attempt, count, delay, runs) = ("idle", 0, 1, Duration.zero, UInt64(0))
        for _ in 0..<2_000 {
            let attempts = Int.random(in: 0...3, using: &random)
            let wait = Duration.seconds(Int.random(in: 0...3, using: &random))
            func begin() -> Bool {
                guard attempts > 0 else { return false }
                (name, attempt, count, delay, runs) = ("running", 0, attempts, wait, runs + 1)
                return true
            }
            func end(_ new: String) -> Bool {
                guard name == "running" else { return false }
                name = new
                return true
            }
            let (applied, expected): (Bool, Bool)
            switch Int.random(in: 0..<7, using: &random) {
            case 0:
                applied = state.run(maxAttempts: attempts, delay: wait)
                expected = name == "running" ? false : begin()
            case 1:
                applied = state.restart(maxAttempts: attempts, delay: wait)
                expected = begin()
            case 2:
                applied = state.retryOrFail(with: Self.failure)
                expected = name == "running"
                if expected && attempt + 1 < count {
                    attempt += 1
                    delay = .seconds(1 << attempt)
                } else {
                    _ = end("failed")
                }
            case 3:
                applied = state.succeed()
                expected = end("succeeded")
            case 4:
                applied = state.fail(with: Self.failure)
                expected = end("failed")
            case 5:
                applied = state.cancel()
                expected = end("cancelled")
            default:
                applied = state.reset()
                expected = name != "idle"
                name = "idle"
            }
            #expect(applied == expected)
            #expect(Self.name(of: state) == name && state.runs == runs)
            #expect(state.currentAttempt == (name == "running" ? attempt : nil))
            #expect(state.delay == (name == "running" ? delay : nil))
            #expect(state.failure == (name == "failed" ? Self.failure : nil))
        }
    }
}
