/// A question to a store whose answer is decided when it is reduced: an action that returns a value.
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
/// No other action is reduced between the change and the answer, so the answer cannot be outdated by the time that it
/// is decided. A request is carried by a case of the store's actions. So it passes interceptors, parents, observers of
/// actions, instruments and logs like any other action, and it can be sent as one; then the answer is dropped.
///
/// A ``RequestReducer`` applies it. In a reducer of your own, return ``Effect/answer(_:)``.
public protocol Request<StoreAction>: Sendable {
    /// What it changes, or only reads.
    associatedtype StoreState: Sendable
    /// The actions of the store that answers it.
    associatedtype StoreAction: Sendable
    /// What it returns.
    associatedtype Answer: Sendable

    /// The case of the store's actions that carries the request.
    static var casePath: CasePath<StoreAction, Self> { get }

    /// Changes the state, and returns the answer. Like a reducer, it runs on whichever thread owns the store's turn,
    /// and must not block.
    func reduce(into state: inout StoreState) -> Answer
}

/// A reducer that applies the requests of one type, and answers them.
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
    @inlinable
    public init(_ type: R.Type) {}

    /// Applies the request that the action carries, if it carries one of the type, and answers it.
    @inlinable
    public func reduce(into state: inout R.StoreState, action: R.StoreAction) -> Effect<R.StoreAction> {
        guard let request = R.casePath.extract(from: action) else { return .none }
        return .answer(request.reduce(into: &state))
    }
}
