/// A value that logs, differences, traces and errors must not show, wherever it stands: in an action, a state, an error
/// or the identity of an effect.
///
/// ```swift
/// struct Password: Redactable { let text: String }
/// // signIn(user: "ada", password: <redacted>)
/// ```
///
/// `String(redacting:)` and what is printed of changes show ``redacted`` in place of it, and with them the descriptions
/// of ``StoreFailure``, ``MissingChild`` and ``EffectID``, and the loggers and traces of the module
/// `ActorStoreInstruments`.
///
/// A description that a type writes by hand is taken as it is, with whatever it shows. Types of the standard library
/// are the exception, such as `Range`, `AnyHashable` and `EncodingError`, which show everything that is in them: if any
/// of that is redactable, they are shown by their contents like types without a description, otherwise in their own
/// words. What has already been made text is not recognised, such as the `debugDescription` in the context of an
/// `EncodingError`. The traps of `TreeDictionary` and `KeyedArray` name no keys and identities.
public protocol Redactable {
    /// What may be shown; `<redacted>` unless the type says something else, such as the last digits of a number.
    var redacted: String { get }
}

extension Redactable {
    /// Nothing but that something was left out.
    public var redacted: String { "<redacted>" }
}
