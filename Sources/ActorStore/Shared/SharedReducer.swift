/// A shared value, and how far it has been saved.
struct SharedState<Value: Sendable>: Sendable {
    var value: Value
    /// Whether a value is being saved.
    var isSaving = false
    /// Whether the value has changed since that began.
    var isStale = false
}

enum SharedAction<Value: Sendable>: Sendable {
    case change(Command<Value>)
    case saved
    case notSaved
}

/// Saves a value whenever it has changed, one after the other, leaving out those in between.
struct SharedReducer<Value: Sendable>: Reducer {
    let strategy: any PersistenceStrategy<Value>

    func reduce(into state: inout SharedState<Value>, action: SharedAction<Value>) -> Effect<SharedAction<Value>> {
        switch action {
        case .change(let command):
            command.apply(to: &state.value)
            state.isStale = state.isSaving
            return state.isSaving ? .none : save(&state)
        case .saved:
            state.isSaving = false
            return state.isStale ? save(&state) : .none
        case .notSaved:
            // A newer value may have more luck; the same one is tried again with the next change.
            state.isSaving = false
            return state.isStale ? save(&state) : .none
        }
    }

    private func save(_ state: inout SharedState<Value>) -> Effect<SharedAction<Value>> {
        state.isSaving = true
        state.isStale = false
        let value = state.value
        return .run { send in
            do {
                try await strategy.save(value)
                send(.saved)
            } catch {
                send(.notSaved)
                throw error
            }
        }
    }
}
