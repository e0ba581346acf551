/// What a key path is to a property, for a case of an enum: it makes a root of a value, and finds the value in a root
/// that is of its case.
///
/// Composed reducers take the actions, and the states, of their children by case paths:
///
/// ```swift
/// enum AppAction: Sendable {
///     case counter(Counter.Action)
///     case row(id: Int, action: Row.Action)
/// }
///
/// extension CasePath where Root == AppAction, Value == Counter.Action {
///     static let counter = CasePath(embed: AppAction.counter) { if case .counter(let action) = $0 { action } else { nil } }
/// }
///
/// let app = Scope(state: \AppState.counter, action: .counter) { Counter() }
/// ```
///
/// The package's command plug-in `GenerateCasePaths` writes such extensions for all cases of an enum: see
/// <doc:CasePaths>. `CasePath(AppAction.counter)` is enough where speed does not matter; see ``init(_:)-(_)`` for what
/// it costs.
///
/// Extracting what was embedded gives the same value, and embedding what was extracted the same root. Both are called
/// at any time and on any thread, so they must depend on nothing but their argument.
public struct CasePath<Root, Value>: Sendable {
    @usableFromInline package let embedding: @Sendable (Value) -> Root
    @usableFromInline package let extraction: @Sendable (Root) -> Value?

    /// Creates a path of the two ways.
    ///
    /// This is the fast one: neither way allocates or looks at types, so that a level of composition costs about 10 ns
    /// more than a `switch` (suite `composition` of the benchmarks).
    ///
    /// - Parameters:
    ///   - embed: Makes a root of a value; the case itself, such as `AppAction.counter`.
    ///   - extract: The value of a root that is of the case; nil for any other.
    @inlinable
    public init(
        embed: @escaping @Sendable (_ value: Value) -> Root,
        extract: @escaping @Sendable (_ root: Root) -> Value?
    ) {
        embedding = embed
        extraction = extract
    }

    /// Makes a root of a value.
    @inlinable
    public func embed(_ value: Value) -> Root { embedding(value) }

    /// The value of a root that is of the case; nil for any other.
    @inlinable
    public func extract(from root: Root) -> Value? { extraction(root) }

    /// Changes the value of a root that is of the case, without a second reference to what it holds, so that nothing in
    /// it is copied on write.
    ///
    /// - Returns: what `body` returned, or nil if the root is of another case; then it is left alone.
    @inlinable
    @discardableResult
    public func modify<Result>(_ root: inout Root, _ body: (inout Value) throws -> Result) rethrows -> Result? {
        guard var value = extraction(root) else { return nil }
        // Gone while the value is being changed, so that the value is the only one to refer to its content.
        _ = consume root
        defer { root = embedding(value) }
        return try body(&value)
    }
}
