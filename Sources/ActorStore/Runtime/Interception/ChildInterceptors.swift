/// The interceptors of a child, and what they see.
@usableFromInline
final class ChildInterceptors<State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: constants, and `interceptors`, which is touched only in the turn of the tree. Exclusivity follows from
    // that, and is not checked again.

    @usableFromInline let root: TreeRoot
    let name: String
    @usableFromInline let states: StateReader<State>
    let actions: ActionSink<Action>
    /// The chain, the outermost first.
    @exclusivity(unchecked) @usableFromInline var interceptors: [InstalledInterceptor<State, Action>] = []

    @usableFromInline
    init(_ scopeNode: ScopeNode<State, Action>) {
        root = scopeNode.root
        name = scopeNode.name
        states = scopeNode.states
        actions = scopeNode.actions
    }

    /// A copy of the state between two turns.
    @inlinable
    func snapshot() -> State {
        guard let capture = states.capture else { return root.whileAtRest(states.load) }
        return root.whileAtRest(capture)()
    }

    /// Has an action pass through the chain, in the turn.
    ///
    /// - Parameter next: has an action reduced that came through, and says why if it was not.
    /// - Returns: why the action was not reduced; nil if it was.
    @inlinable
    func run(_ action: Action, _ next: (Action) -> StoreError?) -> StoreError? {
        root.pauseWriting()
        defer { root.progress.remove(.atRest) }
        return withoutActuallyEscaping(next) { next in
            var chain = InterceptorChain(to: InterceptedChild(child: self, next: next))
            return chain.pass(action)
        }
    }
}

/// The way up at the end of a child's interceptors.
@usableFromInline
struct InterceptedChild<State: Sendable, Action: Sendable>: InterceptorChainEnd {
    @usableFromInline let child: ChildInterceptors<State, Action>
    @usableFromInline let next: (Action) -> StoreError?

    @inlinable
    init(child: ChildInterceptors<State, Action>, next: @escaping (Action) -> StoreError?) {
        self.child = child
        self.next = next
    }

    @inlinable var interceptors: [InstalledInterceptor<State, Action>] { child.interceptors }
    @inlinable var context: InterceptorContext<State, Action> { InterceptorContext(.child(child)) }
    @inlinable var root: TreeRoot { child.root }

    @inlinable
    mutating func reduce(_ action: Action) -> StoreError? {
        let refusal = next(action)
        child.root.pauseWriting()
        return refusal
    }
}

/// A child that has interceptors, as its node knows it, which does not know the state that they see.
@usableFromInline
final class ChildInterception<Action: Sendable>: Sendable {
    @usableFromInline typealias Run = @Sendable (_ action: Action, _ next: (Action) -> StoreError?) -> StoreError?

    @usableFromInline let interceptors: any AnyChildInterceptors
    /// Has an action pass through them. A closure, because that is made where all types are known.
    @usableFromInline let run: Run

    @usableFromInline
    init(_ interceptors: any AnyChildInterceptors, run: @escaping Run) {
        self.interceptors = interceptors
        self.run = run
    }
}

/// The interceptors of a child, whatever they see.
@usableFromInline
protocol AnyChildInterceptors: AnyObject, Sendable {
    /// Takes all of them out, because the child has ended. In the turn.
    func removeAll()
}

extension ChildInterceptors: AnyChildInterceptors {
    @usableFromInline
    func removeAll() {
        let removed = interceptors
        interceptors = []
        for interceptor in removed { interceptor.retire(in: root) }
    }
}

/// A node that can have interceptors, as it is to those who do not know its own state.
@usableFromInline
protocol InterceptableNode<Action>: StoreNode {
    /// Its interceptors, if it has any. In the turn.
    var interception: ChildInterception<Action>? { get set }
}
