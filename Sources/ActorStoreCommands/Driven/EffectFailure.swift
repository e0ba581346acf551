import ActorStore

/// An error as a value that can be compared, encoded and sent, for an ``EffectState`` whose work fails with errors of
/// many types.
///
/// ```swift
/// var upload = EffectState<EffectFailure>()
/// state.upload.retryOrFail(with: EffectFailure(error))
/// ```
public struct EffectFailure: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The name of the error's type.
    public let type: String
    /// A description of the error, without its `Redactable` parts.
    public let message: String

    /// Creates a failure from an error. An `EffectFailure` is copied unchanged.
    public init(_ error: any Error) {
        self =
            error as? EffectFailure
            ?? EffectFailure(type: "\(Swift.type(of: error))", message: ValueDescription.text(of: error))
    }

    /// Creates a failure that does not stem from an error.
    public init(type: String, message: String) {
        self.type = type
        self.message = message
    }

    /// The type and the message.
    public var description: String { "\(type): \(message)" }
}
