extension StoreBacking {
    /// A copy of the state between two turns.
    @inlinable
    func snapshot() -> State {
        switch self {
        case .root(let core): core.snapshot()
        case .view(let door): door.snapshot()
        }
    }

    /// A copy of a part of the state between two turns. A stored part is copied alone, whatever lies around it.
    @inlinable
    func value<Value>(at keyPath: KeyPath<State, Value>) -> Value {
        switch self {
        case .root(let core):
            guard let part = StoredPart(keyPath) else { return core.snapshot()[keyPath: keyPath] }
            return core.snapshot(of: part)
        case .view(let door):
            guard let source = door.source, let part = StoredPart(keyPath) else {
                return door.snapshot()[keyPath: keyPath]
            }
            return door.snapshot(of: part, in: source)
        }
    }

    /// The way of actions to the store.
    @inlinable var actions: ActionDoor<Action> {
        switch self {
        case .root(let core): ActionDoor(core)
        case .view(let door): door.actions
        }
    }
}
