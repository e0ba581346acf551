import ActorStore
import ActorStoreComposition

/// A dependency with the value 1 in tests.
enum NumberKey: DependencyKey {
    static let liveValue = 100
    static let testValue = 1
}

/// A dependency without a test value.
enum UntestedKey: DependencyKey {
    static let liveValue = 7
}

/// A store as dependency.
enum LedgerKey: DependencyKey {
    static let liveValue = Ledger.store()
    static let testValue = Ledger.store()
}

extension DependencyValues {
    var number: Int {
        get { self[NumberKey.self] }
        set { self[NumberKey.self] = newValue }
    }

    var untested: Int {
        get { self[UntestedKey.self] }
        set { self[UntestedKey.self] = newValue }
    }

    var ledger: Store<Ledger.State, Ledger.Action> {
        get { self[LedgerKey.self] }
        set { self[LedgerKey.self] = newValue }
    }
}

/// Records the value of the dependency, in the reducer or in an effect.
struct Noting: Reducer {
    enum Action: Sendable {
        case note
        case noteInAnEffect
        case noteInSeveralEffects
        case noteAfterAFailure
        case found(Int)
    }

    @Dependency(\.number) var number

    func reduce(into state: inout [Int], action: Action) -> Effect<Action> {
        switch action {
        case .note:
            state.append(number)
            return .none
        case .noteInAnEffect:
            return .run { send in send(.found(number)) }
        case .noteInSeveralEffects:
            let effect = Effect<Action>.run { send in send(.found(number)) }
            return .concatenate(effect, .merge(effect, .send(.found(0))), .cancel(id: "none"))
        case .noteAfterAFailure:
            return .run { _ in
                throw CancellationError()
            } catch: { _ in
                .found(number)
            }
        case .found(let number):
            state.append(number)
            return .none
        }
    }
}
