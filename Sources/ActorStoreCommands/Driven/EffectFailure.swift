import ActorStore

/// An error as a value that can be compared, kept and sent: for an ``EffectState`` whose work fails in many ways.
///
/// ```swift
/// var upload = EffectState<EffectFailure>()
/// state.upload.retryOrFail(with: EffectFailure(error))
/// ```
public struct EffectFailure: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The name of the error's type.
    public let type: String
    /// The error in words, without what is `Redactable` in it.
    public let message: String

    /// Describes an error; one that is a description already stays what it is.
    public init(_ error: any Error) {
        self =
            error as? EffectFailure
            ?? EffectFailure(type: "\(Swift.type(of: error))", message: ValueDescription.text(of: error))
    }

    /// Creates a failure that was no error.
    public init(type: String, message: String) {
        self.type = type
        self.message = message
    }

    /// The type and the message.
    public var description: String { "\(type): \(message)" }
}
