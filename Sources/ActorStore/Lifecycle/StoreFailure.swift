/// An error that arose in a store and that nobody made an action of.
public struct StoreFailure: Error, Sendable, CustomStringConvertible {
    /// Where an error came from.
    public enum Origin: Sendable, Equatable, CustomStringConvertible {
        /// An effect, with its identity if it has one, written at the place given.
        case effect(id: EffectID?, at: SourceLocation)
        /// The interceptor of this name.
        case interceptor(named: String)
        /// A reducer that is composed of others at the place given.
        case reducer(at: SourceLocation)
        /// The loading of the store's first state.
        case loading

        /// Names the origin.
        public var description: String {
            switch self {
            case .effect(let id?, let source): "The effect \"\(id)\" at \(source)"
            case .effect(nil, let source): "An effect at \(source)"
            case .interceptor(let name): "The interceptor \"\(name)\""
            case .reducer(let source): "The reducer at \(source)"
            case .loading: "The loading of the first state"
            }
        }
    }

    /// What was thrown.
    public let error: any Error
    /// Who threw it.
    public let origin: Origin

    /// Says what failed, where, and with which error.
    public var description: String { "\(origin) failed: \(error)" }
}
