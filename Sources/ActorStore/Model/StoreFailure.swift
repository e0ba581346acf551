/// An error that arose in a store and that nobody made an action of.
public struct StoreFailure: Error, Sendable, CustomStringConvertible {
    /// Where an error came from.
    public enum Origin: Sendable, Equatable, CustomStringConvertible {
        /// An effect, with its identity if it has one, written at the place given.
        case effect(id: EffectID?, at: CodeLocation)
        /// The interceptor of this name.
        case interceptor(named: String)
        /// A reducer that is composed of others at the place given.
        case reducer(at: CodeLocation)
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
    /// The action that started the effect which threw it, as it was dispatched or sent: in a tree the one of the child
    /// to which it went. Nil for what is not an effect of an action: a side effect, a reducer, an interceptor, a
    /// loading.
    ///
    /// ``Store/dispatch(_:patience:tracksFeedback:clock:isolation:)`` can track the effects of actions that effects send. For all
    /// effects that it tracks this is the action that was dispatched, and not the action that started the effect.
    ///
    /// The effects that an action started retain it. An unobserved error retains it, too, until the store is shut down.
    /// After that it is nil, so that an action that retains its store does not retain it forever.
    public private(set) var action: (any Sendable)?
    /// The type of the action that ``withoutAction`` removed.
    private var actionType: Any.Type?

    package init(error: any Error, origin: Origin, action: (any Sendable)? = nil) {
        self.error = error
        self.origin = origin
        self.action = action
    }

    /// A copy without the action. Its description names the type of the action, which runs no user code.
    var withoutAction: StoreFailure {
        guard let action else { return self }
        var failure = self
        failure.action = nil
        failure.actionType = type(of: action)
        return failure
    }

    /// Says what failed, where, with which error, and because of which action, without what is ``Redactable`` in them.
    /// An error that describes itself is taken as it is.
    public var description: String {
        let line = action.map { ValueDescription(of: $0).line } ?? actionType.map { "an action of type \($0)" }
        let cause = line.map { ", started by \($0)," } ?? ""
        return "\(origin)\(cause) failed: \(ValueDescription.text(of: error))"
    }
}

/// The reducer of a child asked for the child to be taken away, by `Effect.dismiss(fileID:line:)`, but nobody
/// presents it.
public struct NotPresented: Error, Sendable, Equatable, CustomStringConvertible {
    package init() {}

    /// Says what happened and what can be done about it.
    public var description: String {
        "Nobody presents the child that asked to be dismissed. Compose its reducer with ifPresented, or on a StackState."
    }
}
