/// A value that logs, differences, traces and errors must not show, wherever it stands: in an action, a state, an error or
/// the identity of an effect.
///
/// ```swift
/// struct Password: Redactable { let text: String }
/// // signIn(user: "ada", password: <redacted>)
/// ```
///
/// ``ValueDescription`` and ``ValueDifference`` show ``redacted`` in place of it, and with them
/// ``Interceptor/logger(level:filter:describe:to:)``, ``Interceptor/printChanges(filter:to:)``, the descriptions of
/// ``StoreFailure``, ``MissingChild`` and ``EffectID``, and ``ChromeTraceInstrument``. A description that another type writes
/// by hand is taken as it is, with whatever it shows.
public protocol Redactable {
    /// What may be shown; `<redacted>` unless the type says something else, such as the last digits of a number.
    var redacted: String { get }
}

extension Redactable {
    /// Nothing but that something was left out.
    public var redacted: String { "<redacted>" }
}
