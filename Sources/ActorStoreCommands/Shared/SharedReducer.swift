import ActorStore

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
    /// How many attempts have begun.
    var attempts = 0
    /// How many attempts had begun when saving was last asked for. If the last of them is still under way and fails,
    /// another one follows.
    var attemptsAtRequest = 0
    /// The last failure since a version was saved. It is kept when the next attempt begins: that can be in the same
    /// turn, and then no observer would ever see the failure.
    var failure: SharedFailure?

    /// What the saving of a version has come to, which was asked for after a number of attempts; nil as long as it is
    /// not decided. An attempt that had begun before does not decide it by failing, because another one follows.
    func result(ofSaving version: Int, after attempts: Int) -> Result<Void, any Error>? {
        if saved >= version { return .success(()) }
        guard let failure, failure.attempt > attempts else { return nil }
        return .failure(failure.error)
    }
}

/// Why a version could not be saved.
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
    /// The attempt to save a version has ended, with an error or well.
    case ended((any Error)?)
}

/// Saves a value whenever it has changed, one version after the other, leaving out those in between.
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
            // A newer version may have more luck; the same one is tried again with the next change, or when it is asked
            // for.
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
