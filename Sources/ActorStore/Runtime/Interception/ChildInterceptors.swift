extension ScopeNode {
    /// Adds an interceptor to a child, after everything that was accepted before.
    @inlinable
    func use(_ interceptor: Interceptor<State, Action>, at position: InterceptorPosition) -> Interception {
        let node = interceptableNode(for: interceptor.name)
        let identity = InterceptorIdentity()
        // The closure retains the node, so that the store exists while the interceptor is set up.
        root.inTurn { [self] in
            guard !node.lifecycle.isEnded else { return }
            let interceptors = interceptors(of: node)
            let installed = InstalledInterceptor(interceptor, identity, in: WeakStore(scopeNode: self))
            interceptors.interceptors.insert(installed, at: position)
        }
        return Interception(identity) { [weak node] identity in
            guard let node else { return }
            node.root.inTurn { Self.uninstall(identity, from: node) }
        }
    }

    /// Returns the interceptors of this node's child, created if it had none. Called within the turn.
    @inlinable
    func interceptors(of node: any InterceptableNode<Action>) -> ChildInterceptors<State, Action> {
        if let present = node.interception?.interceptors as? ChildInterceptors<State, Action> { return present }
        let interceptors = ChildInterceptors(self)
        node.interception = ChildInterception(interceptors) { action, next in interceptors.run(action, next) }
        return interceptors
    }

    @usableFromInline
    static func uninstall(_ identity: InterceptorIdentity, from node: any InterceptableNode<Action>) {
        guard
            let interceptors = node.interception?.interceptors as? ChildInterceptors<State, Action>,
            let removed = interceptors.interceptors.uninstall(identity)
        else { return }
        if interceptors.interceptors.isEmpty { node.interception = nil }
        removed.retire(in: node.root)
    }

    @usableFromInline
    func interceptableNode(for name: String) -> any InterceptableNode<Action> {
        guard isChild, let node = node as? any InterceptableNode<Action> else {
            fatalError(
                """
                The interceptor "\(name)" was added to "\(self.name)", which is a scope. Add it to the root or the child \
                that this is a scope of. A replicated store takes no interceptors.
                """
            )
        }
        return node
    }
}

/// The interceptors of a child, and the state that they see.
@usableFromInline
final class ChildInterceptors<State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: constants, and `interceptors`, which is accessed only in the turn of the tree. That implies exclusivity,
    // which is not checked again.

    @usableFromInline let root: TreeRoot
    let name: String
    @usableFromInline let states: StateReader<State>
    let actions: ActionSink<Action>
    /// The chain, outermost first.
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

    /// Passes an action through the chain. Called within the turn.
    ///
    /// - Parameter next: Reduces an action that passed the chain; returns the reason if it was not reduced.
    /// - Returns: The reason why the action was not reduced; `nil` if it was.
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

/// The end of a child's interceptor chain, which forwards actions to the parent.
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

/// A child's interceptors as its node stores them, without the type of the state that they see.
@usableFromInline
final class ChildInterception<Action: Sendable>: Sendable {
    @usableFromInline typealias Run = @Sendable (_ action: Action, _ next: (Action) -> StoreError?) -> StoreError?

    @usableFromInline let interceptors: any AnyChildInterceptors
    /// Passes an action through the interceptors. A closure, because it is created where all types are known.
    @usableFromInline let run: Run

    @usableFromInline
    init(_ interceptors: any AnyChildInterceptors, run: @escaping Run) {
        self.interceptors = interceptors
        self.run = run
    }
}

/// The interceptors of a child, without their types.
@usableFromInline
protocol AnyChildInterceptors: AnyObject, Sendable {
    /// Removes all interceptors, because the child has ended. Called within the turn.
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

/// A node that can have interceptors, without the type of its own state.
@usableFromInline
protocol InterceptableNode<Action>: StoreNode {
    /// The node's interceptors, if it has any. Used within the turn.
    var interception: ChildInterception<Action>? { get set }
}
