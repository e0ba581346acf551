@testable import ActorStore

extension EffectMachine {
    /// Takes on an effect whose work is never done.
    mutating func begin<Action>(
        _ operation: Effect<Action>.Operation,
        joining tracker: EffectTracker? = nil
    ) -> EffectTracker? {
        begin(operation, joining: tracker) { _ in { _ in nil } }
    }
}
