/// An action that returns a value: a question to a store, whose answer is decided when the request is reduced.
///
/// ```swift
/// struct Take: Request {
///     static let casePath = CasePath(embed: Stock.Action.take) { if case .take(let take) = $0 { take } else { nil } }
///
///     let quantity: Int
///
///     func reduce(into stock: inout Stock.State) -> Bool {
///         guard stock.available >= quantity else { return false }
///         stock.available -= quantity
///         return true
///     }
/// }
///
/// let isTaken = try await store.ask(Take(quantity: 2))
/// ```
///
/// No other action is reduced between the change and the answer, so the answer is always up to date when it is decided.
/// A case of the store's actions carries the request. So a request passes through interceptors, parents, observers of
/// actions, instruments and logs like any other action, and can be sent as one; its answer is then dropped.
///
/// To handle requests, use a ``RequestReducer``, or return ``Effect/answer(_:)`` from your own reducer.
public protocol Request<StoreAction>: Sendable {
    /// The state that the request changes or reads.
    associatedtype StoreState: Sendable
    /// The actions of the store that answers the request.
    associatedtype StoreAction: Sendable
    /// The type of the answer.
    associatedtype Answer: Sendable

    /// The case of the store's actions that carries the request.
    static var casePath: CasePath<StoreAction, Self> { get }

    /// Changes the state, and returns the answer. Like a reducer, it runs on whichever thread owns the store's turn,
    /// and must not block.
    ///
    /// - Parameter state: The state to change.
    /// - Returns: The answer.
    func reduce(into state: inout StoreState) -> Answer
}

/// A reducer that handles and answers the requests of one type.
///
/// ```swift
/// var body: some Reducer<State, Action> {
///     RequestReducer(Take.self)
///     RequestReducer(Return.self)
///     Reduce { state, action in … }
/// }
/// ```
public struct RequestReducer<R: Request>: Reducer {
    /// Creates a reducer for requests of a type.
    ///
    /// - Parameter type: The type of the requests.
    @inlinable
    public init(_ type: R.Type) {}

    /// Handles and answers the request that the action carries, if it is one of the type.
    ///
    /// - Parameters:
    ///   - state: The state to change.
    ///   - action: The action to handle.
    /// - Returns: The answer as an effect, or an empty effect.
    @inlinable
    public func reduce(into state: inout R.StoreState, action: R.StoreAction) -> Effect<R.StoreAction> {
        guard let request = R.casePath.extract(from: action) else { return .none }
        return .answer(request.reduce(into: &state))
    }
}
