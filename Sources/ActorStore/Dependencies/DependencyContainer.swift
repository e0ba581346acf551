/// The dependencies of a store, made when the store is there.
@usableFromInline
final class DependencyContainer: @unchecked Sendable {
    // Sound: `values` is written once, in the first turn of the store, before its first action and before anybody else
    // has the store.
    @usableFromInline private(set) var values = DependencyValues()

    func fill(_ values: DependencyValues) {
        self.values = values
        self.values.areInReducer = true
    }
}

/// A reducer in a store with dependencies of its own.
struct ContainedReducer<Base: Reducer>: Reducer {
    let base: Base
    let container: DependencyContainer

    func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
        base.reduce(into: &state, action: action, with: container.values)
    }
}
