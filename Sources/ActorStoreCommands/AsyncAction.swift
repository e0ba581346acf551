import ActorStore
import ActorStoreComposition

/// An action that carries its own work: it is reduced like any other, and then the work begins.
///
/// ```swift
/// struct LoadUser: AsyncAction, Dispatchable {
///     let id: Int
///     @Dependency(\.users) var users
///
///     func run(_ send: Send<any Dispatchable>) async throws {
///         send(UserLoaded(user: try await users.load(id)))
///     }
/// }
///
/// let store = OpenStore(initialState: AppState(), reducer: Combine {
///     On(LoadUser.self) { state, _ in state.isLoading = true }
///     On(UserLoaded.self) { state, loaded in state.show(loaded.user) }
///     AsyncActions()
/// })
/// try await store.dispatch(LoadUser(id: 7)).finish()
/// ```
///
/// The reducer ``AsyncActions`` has the work done. What the work sends goes to the store whose reducer that is a part
/// of, and if that is such an action in its turn, its work is done, too. The work is an `Effect`: the `StoreTask`
/// of the action awaits and cancels it, it is cancelled with the store, and its errors reach `Store.errors`.
///
/// An enumeration of actions can carry work as well, with ``StoreAction`` being itself; then ``effect`` should be
/// `Effect.none` for those cases that have none:
///
/// ```swift
/// enum SearchAction: AsyncAction {
///     case search(String), found([Item])
///
///     var effect: Effect<SearchAction> {
///         if case .search = self { .run(id: "search", policy: .cancelInFlight) { try await run($0) } } else { .none }
///     }
/// }
/// ```
///
/// Work whose result somebody waits for, or that reads the state, is a ``SideEffect``, which is no action, and which
/// the reducers do not see.
public protocol AsyncAction<StoreAction>: Sendable {
    /// What the work sends: the actions of the store.
    associatedtype StoreAction: Sendable

    /// Does the work, off the store, in a task of its own.
    ///
    /// - Parameter send: Sends an action to the store. What is sent when the work has ended or was cancelled is
    ///   dropped.
    /// - Throws: what reaches `Store.errors`, and who awaits the `StoreTask` of the action.
    func run(_ send: Send<StoreAction>) async throws

    /// The work as an effect; by default ``run(_:)`` alone. Another one can have an identity, a policy and a priority,
    /// or be `Effect.none`.
    var effect: Effect<StoreAction> { get }
}

extension AsyncAction {
    /// The work as an effect, which runs beside others of the same kind.
    public var effect: Effect<StoreAction> { .run { send in try await run(send) } }
}

/// Has the work of those actions done that are an ``AsyncAction``; it changes nothing.
///
/// It belongs behind the reducers of the actions, at one place of a tree of stores, because an action that goes up from
/// a child comes by at all reducers on its way.
///
/// An action whose ``AsyncAction/StoreAction`` is not what the store takes is a mistake, which reaches `Store.errors`
/// as a ``MismatchedAsyncAction``.
public struct AsyncActions<State: Sendable, Action: Sendable>: Reducer {
    private let source: CodeLocation

    /// Creates the reducer.
    ///
    /// - Parameters:
    ///   - fileID: Where it is written; leave the default.
    ///   - line: Where it is written; leave the default.
    public init(fileID: String = #fileID, line: UInt = #line) {
        source = CodeLocation(fileID: fileID, line: line)
    }

    /// Returns the action's work.
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        if let action = action as? any AsyncAction<Action> {
            // The default effect cannot know where it is written.
            return action.effect.located(at: source, insteadOf: #fileID)
        }
        guard let action = action as? any AsyncAction else { return .none }
        let error = MismatchedAsyncAction(action: action, expected: "\(Action.self)")
        return .report(StoreFailure(error: error, origin: .reducer(at: source)))
    }
}

/// The work of an action was not done, because it sends what the store does not take.
public struct MismatchedAsyncAction: Error, CustomStringConvertible {
    /// The action, which was reduced.
    public let action: any AsyncAction
    /// The type of the actions that the store takes.
    public let expected: String

    /// Says which action it was, without what is `Redactable` in it, and what is wrong with it.
    public var description: String {
        """
        The work of \(ValueDescription(of: action)) was not done: it sends other actions than the store takes, which are of \
        the type \(expected).
        """
    }
}
