/// A shared value, and how far it has been saved.
struct SharedState<Value: Sendable>: Sendable {
    var value: Value
    var progress = SharedProgress()
}

/// How far a shared value has been saved. Its versions are numbered by the changes that made them.
struct SharedProgress: Equatable, Sendable {
    /// The version that there is.
    var current = 0
    /// The version that was saved last.
    var saved = 0
    /// The version that is being saved, if one is.
    var saving: Int?
    /// Whether saving was asked for during the attempt that is under way, so that another one follows should it fail.
    var isAskedFor = false
    /// How many attempts have failed.
    var failures = 0
    /// Why the last attempt has failed, until there is another one.
    var failure: SharedFailure?
}

/// Why a version could not be saved.
struct SharedFailure: Equatable, Sendable {
    /// How many have failed before, so that two failures of one version are not the same.
    let number: Int
    let error: any Error

    static func == (left: SharedFailure, right: SharedFailure) -> Bool { left.number == right.number }
}

enum SharedAction<Value: Sendable>: Sendable {
    case change(Command<Value>)
    /// Saves the value if it is not saved yet.
    case save
    /// The attempt to save a version has ended, with an error or well.
    case ended((any Error)?)
}

/// Saves a value whenever it has changed, one version after the other, leaving out those in between.
struct SharedReducer<Value: Sendable>: Reducer {
    let strategy: any PersistenceStrategy<Value>
    let report: SharedReport<Value>

    func reduce(into state: inout SharedState<Value>, action: SharedAction<Value>) -> Effect<SharedAction<Value>> {
        switch action {
        case .change(let command):
            command.apply(to: &state.value)
            state.progress.current += 1
            return save(&state)
        case .save:
            if state.progress.saving != nil { state.progress.isAskedFor = true }
            return save(&state)
        case .ended(let error):
            guard let version = state.progress.saving else { return .none }
            state.progress.saving = nil
            if let error {
                state.progress.failure = SharedFailure(number: state.progress.failures, error: error)
                state.progress.failures += 1
            } else {
                state.progress.saved = version
            }
            // A newer version may have more luck; the same one is tried again with the next change, or when it is asked for.
            let mustSave = state.progress.current > version || state.progress.isAskedFor
            state.progress.isAskedFor = false
            return mustSave ? save(&state) : .none
        }
    }

    private func save(_ state: inout SharedState<Value>) -> Effect<SharedAction<Value>> {
        guard state.progress.saving == nil, state.progress.saved < state.progress.current else { return .none }
        state.progress.saving = state.progress.current
        state.progress.failure = nil
        let value = state.value
        return .run { _ in
            do {
                try await strategy.save(value)
                await report(.ended(nil))
            } catch {
                await report(.ended(error))
                throw error
            }
        }
    }
}
