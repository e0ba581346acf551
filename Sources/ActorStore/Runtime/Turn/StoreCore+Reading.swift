extension StoreCore {
    /// A copy of the state between two turns.
    @inlinable
    func snapshot() -> State {
        // An interceptor looks at the state in the middle of a batch, which the gate does not let anybody see.
        if gate.current.isWriting && gate.isOwnedByThisThread && progress.contains(.atRest) { return state }
        gate.beginReading()
        // Copying retains what the state refers to, which runs no user code, so that the reader is gone in no time.
        let copy = state
        gate.endReading()
        return copy
    }

    /// A copy of a stored part of the state between two turns.
    @inlinable
    func snapshot<Value>(of part: StoredPart<State, Value>) -> Value {
        if gate.current.isWriting && gate.isOwnedByThisThread && progress.contains(.atRest) {
            return part.load(from: stateAddress)
        }
        gate.beginReading()
        let copy = part.load(from: stateAddress)
        gate.endReading()
        return copy
    }

    /// A copy of the state after everything that was accepted before.
    @inlinable
    func settledState(isolation: isolated (any Actor)? = #isolation) async -> State {
        guard gate.beginReadingIfQuiet() else { return await perform { [self] in state } }
        let copy = state
        gate.endReading()
        return copy
    }

    /// A part of the state after everything that was accepted before.
    @inlinable
    func settledValue<Value: Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Value {
        // A stored part is read where it stands. The getter of a computed one is user code, which must not run while
        // it keeps reducers waiting, so it is called in a turn of its own.
        guard let part = StoredPart(keyPath), gate.beginReadingIfQuiet() else {
            return await perform { [self] in state[keyPath: keyPath] }
        }
        let value = part.load(from: stateAddress)
        gate.endReading()
        return value
    }

    /// Looks at the state where it stands, for the owner of the turn, while no reducer runs.
    func withStateAtRest<Result>(_ body: (UnsafePointer<State>) -> Result) -> Result {
        withUnsafePointer(to: &state, body)
    }
}
