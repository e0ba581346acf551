/// One step on the way from a store's state to that of a child whose effect is at work: by it the child is found again later.
///
/// The types of states are not known where effects are run, so that it takes and gives values of any type.
@usableFromInline
struct ChildStep: Sendable {
    /// What is found in a state.
    @usableFromInline
    enum Finding {
        case state(Any)
        /// The child is not there, or another one is in its place.
        case nothing
        /// Nothing can be said, because the state is of another type than was expected: code of users has composed the child.
        case unknown
    }

    /// What ends with what is found.
    @usableFromInline
    enum Kind: Sendable {
        /// Nothing: it is a part of the state that is always there.
        case part
        /// The effects of the child.
        case child
        /// Nothing, because effects outlive their child here.
        case outlived
    }

    typealias Find = @Sendable (_ state: Any) -> Finding

    let kind: Kind
    /// Whether the child can be dismissed.
    let isPresentation: Bool
    /// Finds the very child whose effect it is.
    let find: Find
    /// Finds whichever child is in its place.
    let findAny: Find

    init(_ kind: Kind, isPresentation: Bool = false, find: @escaping Find, findAny: Find? = nil) {
        self.kind = kind
        self.isPresentation = isPresentation
        self.find = find
        self.findAny = findAny ?? find
    }

    /// Where nothing can be found.
    static let unknown = ChildStep(.part) { _ in .unknown }

    /// Finds something in a state of one type.
    static func finding<State>(_ find: @escaping @Sendable (_ state: inout State) -> Any?) -> Find {
        { state in
            guard var state = state as? State else { return .unknown }
            return find(&state).map { .state($0) } ?? .nothing
        }
    }
}

extension [ChildStep] {
    /// Whether the innermost child with which effects end is no longer in a state.
    func hasGone(from state: Any) -> Bool {
        guard let last = lastIndex(where: { $0.kind == .child }) else { return false }
        return !leads(to: last, in: state)
    }

    /// Whether the innermost child that can be dismissed is no longer in a state.
    func presentationIsOver(in state: Any) -> Bool {
        guard let last = lastIndex(where: \.isPresentation) else { return false }
        return !leads(to: last, in: state)
    }

    private func leads(to last: Int, in state: Any) -> Bool {
        var state = state
        for index in 0...last {
            let step = self[index]
            switch index < last && step.kind == .outlived ? step.findAny(state) : step.find(state) {
            case .state(let child): state = child
            case .nothing: return false
            case .unknown: return true
            }
        }
        return true
    }
}
