import ActorStore
import Benchmarking

/// A reducer that computes for a stated time.
struct Work: Reducer, Sendable {
    struct State: Equatable, Sendable {
        var value: UInt64 = 1
        var actions = 0
    }

    enum Action: Sendable { case work }

    private let computation: Computation

    init(nanoseconds: Int) { computation = Computation(nanoseconds: nanoseconds) }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        state.value = computation.run(state.value)
        state.actions &+= 1
        return .none
    }
}

/// Steps that each need the result of the previous one, as many as take a stated time on this machine.
///
/// A loop that reads the clock would end after that time even without its core; this one computes for that time. It
/// does not access memory.
struct Computation: Sendable {
    private let steps: Int

    init(nanoseconds: Int) {
        let cost = Self.cost
        steps = max(1, Int(((Double(nanoseconds) - cost.call) / cost.step).rounded()))
    }

    @inline(__always)
    func run(_ value: UInt64) -> UInt64 { Self.run(steps, value) }

    /// An xorshift generator (Marsaglia, 2003), whose steps the compiler cannot merge.
    @inline(never)
    private static func run(_ steps: Int, _ value: UInt64) -> UInt64 {
        var value = value
        for _ in 0..<steps {
            value ^= value << 13
            value ^= value >> 7
            value ^= value << 17
        }
        return value
    }

    /// The cost of a call and a step, in nanoseconds, measured once.
    private static let cost: (call: Double, step: Double) = {
        let few = nanoseconds(steps: 8)
        let many = nanoseconds(steps: 1_024)
        let step = max((many - few) / 1_016, 0.01)
        return (call: max(0, few - 8 * step), step: step)
    }()

    /// The time of a call: the least of many, because other load of the machine can only make it longer.
    private static func nanoseconds(steps: Int) -> Double {
        var value: UInt64 = 1
        let calls = 16_384 / steps
        let rounds = (0..<300).map { _ in
            let start = MonotonicClock.now
            for _ in 0..<calls { value = run(steps, value) }
            return Double(MonotonicClock.now - start) / Double(calls)
        }
        blackHole(value)
        return rounds.min() ?? 1
    }
}
