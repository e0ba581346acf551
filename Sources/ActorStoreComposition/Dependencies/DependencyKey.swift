import ActorStore

/// Something that code depends on and that tests replace: a clock, a client of another service, a store.
///
/// ```swift
/// enum RatesClientKey: DependencyKey {
///     static let liveValue = RatesClient.http
///     static let testValue = RatesClient { _ in 1 }
/// }
/// extension DependencyValues {
///     var rates: RatesClient {
///         get { self[RatesClientKey.self] }
///         set { self[RatesClientKey.self] = newValue }
///     }
/// }
/// ```
///
/// Plain stored properties are the first choice: `struct Convert: Reducer { let rates: RatesClient }` needs none of
/// this, shows what it depends on, and costs nothing. Keys are for what is needed in many places, far down.
///
/// The values are asked for each time that there is no override, so make one that has an identity, or that costs
/// something, a `static let`.
public protocol DependencyKey<Value>: SendableMetatype {
    /// The type of the dependency.
    associatedtype Value: Sendable

    /// The value in a running service.
    static var liveValue: Value { get }

    /// The value in a test that does not override it. Unless a key has one of its own, this reports an
    /// `ReportedIssue` and gives ``liveValue``.
    static var testValue: Value { get }
}

extension DependencyKey {
    /// The live value, after an ``ReportedIssue`` has been reported: a test should say what it depends on.
    public static var testValue: Value {
        StoreIssueReporter.report(
            """
            The dependency \(Self.self) has no test value, and the test does not override it, so its live value is used. \
            Override it with withDependencies, or give the key a testValue.
            """
        )
        return liveValue
    }
}

/// In which surroundings dependencies without an override are asked for.
public enum DependencyContext: Sendable, Equatable {
    /// A running service: they have their ``DependencyKey/liveValue``.
    case live
    /// A test: they have their ``DependencyKey/testValue``.
    case test
}
