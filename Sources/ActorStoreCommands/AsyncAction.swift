import ActorStore
import ActorStoreComposition

/// An action that carries its own asynchronous work. It is reduced like any other action; then the work starts.
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
/// The reducer ``AsyncActions`` starts the work. Actions that the work sends go to the store that this reducer belongs
/// to; the work of an async action among them is started, too. The work is an `Effect`: the `StoreTask` of the action
/// awaits and cancels it, the store cancels it when the store ends, and its errors reach `Store.errors`.
///
/// An enumeration of actions can carry work as well if ``StoreAction`` is the enumeration itself. Then ``effect``
/// should return `Effect.none` for the cases without work:
///
/// ```swift
/// enum SearchAction: AsyncAction {
///     case search(String), found([Item])
///
///     func run(_ send: Send<SearchAction>) async throws { … }
///
///     var effect: Effect<SearchAction> {
///         if case .search = self { .run(id: "search", policy: .cancelInFlight) { try await run($0) } } else { .none }
///     }
/// }
/// ```
///
/// Use a ``SideEffect`` instead if the caller waits for a result, or if the work reads the state. A side effect is not
/// an action, and reducers do not receive it.
public protocol AsyncAction<StoreAction>: Sendable {
    /// The actions that the work sends: the actions of the store.
    associatedtype StoreAction: Sendable

    /// Does the work, off the store, in a task of its own.
    ///
    /// - Parameter send: Sends an action to the store. Actions sent after the work has ended or was cancelled are
    ///   dropped.
    /// - Throws: Any error. It reaches `Store.errors`, and is thrown to callers that await the `StoreTask` of the
    ///   action.
    func run(_ send: Send<StoreAction>) async throws

    /// The work as an effect; by default ``run(_:)`` alone. Implement it to give the effect an identity, a policy or a
    /// priority, or to return `Effect.none`.
    var effect: Effect<StoreAction> { get }
}

extension AsyncAction {
    /// The work as an effect, which runs concurrently with others of the same kind.
    public var effect: Effect<StoreAction> { .run { send in try await run(send) } }
}

/// A reducer that starts the work of each ``AsyncAction``. It does not change the state.
///
/// Put it after the reducers of the actions, and only once in a tree of stores: an action that is forwarded from a
/// child to its parents passes through the reducers of each of them.
///
/// If an action's ``AsyncAction/StoreAction`` is not the action type of the store, its work is not started, and a
/// ``MismatchedAsyncAction`` reaches `Store.errors`.
public struct AsyncActions<State: Sendable, Action: Sendable>: Reducer {
    private let source: CodeLocation

    /// Creates the reducer.
    ///
    /// - Parameters:
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    public init(fileID: String = #fileID, line: UInt = #line) {
        source = CodeLocation(fileID: fileID, line: line)
    }

    /// Returns the action's work as an effect.
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        if let action = action as? any AsyncAction<Action> {
            // The default implementation of `effect` has no source location of its own.
            return action.effect.located(at: source, insteadOf: #fileID)
        }
        guard let action = action as? any AsyncAction else { return .none }
        let error = MismatchedAsyncAction(action: action, expected: "\(Action.self)")
        return .report(StoreFailure(error: error, origin: .reducer(at: source)))
    }
}

/// The error of an action whose work was not started, because it sends actions of another type than the store takes.
public struct MismatchedAsyncAction: Error, CustomStringConvertible {
    /// The action, which was reduced.
    public let action: any AsyncAction
    /// The type of the actions that the store takes.
    public let expected: String

    /// A message that names the action, without its `Redactable` parts, and the mismatch.
    public var description: String {
        """
        The work of \(ValueDescription(of: action)) was not started: it sends actions of another type than the store takes. \
        Have it send actions of type \(expected).
        """
    }
}
