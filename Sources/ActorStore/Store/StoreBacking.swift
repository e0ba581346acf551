/// What is behind a store.
@usableFromInline
enum StoreBacking<State: Sendable, Action: Sendable>: Sendable {
    /// The root of a tree. A case of its own, because it is the one that must be fast.
    case root(StoreCore<State, Action>)
    /// A child, or a scope of another store.
    case view(StoreDoor<State, Action>)
}
