import ActorStore

/// A shared value, and the progress of saving it.
struct SharedState<Value: Sendable>: Sendable {
    var value: Value
    var progress = SharedProgress()
}

/// The progress of saving a shared value. Each change makes a new version; versions are numbered.
struct SharedProgress: Equatable, Sendable {
    /// The current version.
    var current = 0
    /// The version that was saved last.
    var saved = 0
    /// The version that is being saved, if any.
    var saving: Int?
    /// The number of attempts that have begun.
    var attempts = 0
    /// The number of attempts that had begun when saving was last requested. If the last of them is still running and
    /// fails, another one follows.
    var attemptsAtRequest = 0
    /// The last failure since a version was saved. It is kept when the next attempt begins: that can be in the same
    /// turn, and then no observer would ever see the failure.
    var failure: SharedFailure?

    /// Returns the result of saving a version, as requested after a number of attempts; nil while it is undecided. The
    /// failure of an attempt that had begun before the request does not decide it, because another attempt follows.
    func result(ofSaving version: Int, after attempts: Int) -> Result<Void, any Error>? {
        if saved >= version { return .success(()) }
        guard let failure, failure.attempt > attempts else { return nil }
        return .failure(failure.error)
    }
}

/// The reason why a version could not be saved.
struct SharedFailure: Equatable, Sendable {
    /// The number of the attempt, counted from 1.
    let attempt: Int
    let error: any Error

    static func == (left: SharedFailure, right: SharedFailure) -> Bool { left.attempt == right.attempt }
}

enum SharedAction<Value: Sendable>: Sendable {
    case change(Command<Value>)
    /// Saves the value if it is not saved yet.
    case save
    /// The attempt to save a version has ended, with an error or with success.
    case ended((any Error)?)
}

/// Saves a value whenever it has changed, one version at a time. Versions in between are skipped.
struct SharedReducer<Value: Sendable>: Reducer {
    let strategy: any PersistenceStrategy<Value>
    let ownActions: SharedOwnActions<Value>

    func reduce(into state: inout SharedState<Value>, action: SharedAction<Value>) -> Effect<SharedAction<Value>> {
        switch action {
        case .change(let command):
            command.apply(to: &state.value)
            state.progress.current += 1
            return save(&state)
        case .save:
            state.progress.attemptsAtRequest = state.progress.attempts
            return save(&state)
        case .ended(let error):
            guard let version = state.progress.saving else { return .none }
            state.progress.saving = nil
            if let error {
                state.progress.failure = SharedFailure(attempt: state.progress.attempts, error: error)
            } else {
                state.progress.saved = version
                state.progress.failure = nil
            }
            // Saving a newer version may succeed. The same version is tried again with the next change, or when
            // requested.
            let isAskedFor = state.progress.attemptsAtRequest == state.progress.attempts
            return state.progress.current > version || isAskedFor ? save(&state) : .none
        }
    }

    private func save(_ state: inout SharedState<Value>) -> Effect<SharedAction<Value>> {
        guard state.progress.saving == nil, state.progress.saved < state.progress.current else { return .none }
        state.progress.saving = state.progress.current
        state.progress.attempts += 1
        let (value, attempt) = (state.value, SharedAttempt(ownActions))
        return .run { _ in
            do {
                try await strategy.save(value)
                await attempt.end(nil)
            } catch {
                await attempt.end(error)
                throw error
            }
        }
    }
}
