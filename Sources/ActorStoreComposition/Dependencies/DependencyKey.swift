import ActorStore

/// The key of a dependency that tests replace: a clock, a client of another service, a store.
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
/// Prefer plain stored properties: `struct Convert: Reducer { let rates: RatesClient }` needs no key, shows its
/// dependencies, and has no cost. Use keys for dependencies that are needed in many places, deep in the program.
///
/// The values are read each time that no override is in force. Use `static let` for a value that has an identity, or
/// that is expensive to create.
public protocol DependencyKey<Value>: SendableMetatype {
    /// The type of the dependency.
    associatedtype Value: Sendable

    /// The value in a running service.
    static var liveValue: Value { get }

    /// The value in a test that does not override it. By default, this reports a `ReportedIssue` and returns
    /// ``liveValue``.
    static var testValue: Value { get }
}

extension DependencyKey {
    /// The live value, after reporting a ``ReportedIssue``: a test should state its dependencies.
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

/// The environment that determines the default values of dependencies.
public enum DependencyContext: Sendable, Equatable {
    /// A running service: defaults are ``DependencyKey/liveValue``.
    case live
    /// A test: defaults are ``DependencyKey/testValue``.
    case test
}
