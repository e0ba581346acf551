extension Store {
    /// A handle that does not keep the store alive.
    public nonisolated var weak: WeakStore<State, Action> {
        switch backing {
        case .root(let core): WeakStore(core: core)
        case .view(let door): WeakStore(door: door)
        }
    }
}
