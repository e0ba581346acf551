import ActorStore
import Benchmarking

/// B0: the reducer in a loop on a local variable. A lower bound of all costs, which no two threads can share.
///
/// The state is kept from sample to sample: a copy for each sample would share its collections with the first state,
/// and the first action of each sample would copy them.
final class LocalVariable<Logic: Reducer>: @unchecked Sendable {
    // Sound: the harness sets up, measures and tears down in sequence, and one producer measures.
    private var state: Logic.State?
    private let reducer: Logic

    init(_ state: Logic.State, _ reducer: Logic) {
        self.state = state
        self.reducer = reducer
    }

    /// Reduces a number of actions, each of which the state must have processed: otherwise the optimiser reduces all of
    /// them at once after the loop.
    ///
    /// - Parameter makeAction: Makes the action of that number.
    @inline(never)
    func run(_ count: Int, _ makeAction: (Int) -> Logic.Action) {
        guard var state = state.take() else { return }
        withUnsafeMutablePointer(to: &state) { state in
            for number in 0..<count {
                _ = reducer.reduce(into: &state.pointee, action: makeAction(number))
                observe(state)
            }
        }
        self.state = state
    }
}

/// The name of the baseline.
enum Local {
    static let variable = "B0 local variable"
}
