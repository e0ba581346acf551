/// What becomes of an action for a child that is not there.
public enum MissingChildPolicy: Sendable {
    /// It is reported to ``Store/errors`` as a ``MissingChild``.
    case report
    /// It is left to the parent, without a word.
    case ignore
}

/// An action came for a child that was not there; its parent has got it all the same.
///
/// That is often a late one: of an effect that was ``Effect/detached()``, or from outside. If it is to be expected,
/// compose the child with ``MissingChildPolicy/ignore``.
public struct MissingChild: Error, CustomStringConvertible {
    /// Why the child was not there.
    public enum Reason: Sendable, Equatable {
        /// The state was nil.
        case isNil
        /// The state was of another case.
        case isOtherCase
        /// There was no element with this identity.
        case noElement(EffectID)

        fileprivate var text: String {
            switch self {
            case .isNil: "the state was nil"
            case .isOtherCase: "the state was of another case"
            case .noElement(let id): "there was no element with the identity \(id)"
            }
        }
    }

    /// The action, as the parent got it.
    public let action: any Sendable
    /// Why the child was not there.
    public let reason: Reason

    /// Says which action came, without what is ``Redactable`` in it, and why the child was not there.
    public var description: String {
        """
        The action \(ValueDescription(of: action)) came for a child that was not there: \(reason.text). It should not have been \
        sent, or the child is to be composed with whenMissing: .ignore.
        """
    }
}

extension MissingChildPolicy {
    /// What a composed reducer returns for an action whose child is missing.
    @usableFromInline
    func effect<Action: Sendable>(
        of action: Action,
        _ reason: MissingChild.Reason,
        at site: CompositionSite
    ) -> Effect<Action> {
        switch self {
        case .ignore: return .none
        case .report:
            let error = MissingChild(action: action, reason: reason)
            return .report(StoreFailure(error: error, origin: .reducer(at: site.source)))
        }
    }
}
