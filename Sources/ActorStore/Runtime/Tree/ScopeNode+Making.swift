// Creates the nodes of children and scopes.

extension ScopeNode {
    /// Creates the node of a root. It retains the core and not the store, so that it does not keep the store alive.
    @inlinable
    convenience init(_ core: StoreCore<State, Action>) {
        self.init(
            root: core,
            node: core,
            name: core.configuration.name,
            actions: ActionSink(core),
            states: StateReader(core),
            keeping: [],
            host: AttachmentHost(core)
        ) { asksForChanges, host, body, end in
            core.observeActions(asksForChanges: asksForChanges, through: host, body, end)
        }
    }

    @inlinable
    func makeChildNode<Local: Sendable, ChildAction: Sendable>(
        _ initialState: Local,
        _ reducer: NodeReducer<Local, ChildAction>,
        name: String,
        _ embed: @escaping @Sendable (_ action: ChildAction) -> Action?
    ) -> ChildNode<Local, ChildAction> {
        let (root, propagate) = (root, actions.propagate)
        let node = ChildNode(
            state: initialState,
            reducer: reducer,
            forwardToParent: { action, below in
                guard let action = embed(action) else { return root.stop(below) }
                root.retire(action)
                return propagate(action, below)
            },
            root: root,
            name: name,
            parent: self.node
        )
        if let element = states.element {
            node.rememberElement(of: states)
            node.end(with: element)
        }
        return node
    }

    /// Returns the node of a child. It keeps the child alive, and retains this node.
    @inlinable
    func child<Shown: Sendable, Local: Sendable, ChildAction: Sendable>(
        _ node: ChildNode<Local, ChildAction>,
        _ name: String,
        _ states: StateReader<Shown>
    ) -> ScopeNode<Shown, ChildAction> {
        let host = AttachmentHost(node)
        return ScopeNode<Shown, ChildAction>(
            root: root,
            node: node,
            name: name,
            actions: ActionSink(node),
            states: states,
            keeping: [self, ChildLifetime(node)],
            localHost: host,
            detachLocal: host.detach
        ) { asksForChanges, host, body, end in
            node.observeActions(load: states.load, asksForChanges: asksForChanges, through: host, body, end)
        }
    }

    /// Returns the node of a scope that is defined by a key path.
    ///
    /// - Parameter obstacle: The reason why `extract` never finds an action; `nil` if it can.
    @inlinable
    func part<Part: Sendable, PartAction: Sendable>(
        _ keyPath: KeyPath<State, Part> & Sendable,
        _ embed: @escaping @Sendable (PartAction) -> Action,
        extract: @escaping @Sendable (Action) -> PartAction?,
        obstacle: String? = nil,
        areSame: (@Sendable (Part, Part) -> Bool)? = nil
    ) -> ScopeNode<Part, PartAction> {
        var host = host?.part(keyPath, embed, extract)
        if let obstacle, host != nil { host = AttachmentHost(name: name, obstacle: obstacle) }
        var states = states.part(keyPath)
        if let areSame { states = states.removingDuplicates(areSame, retiringTo: root.deferred) }
        return scope(states, embed, extract: extract, host: host) { state in state[keyPath: keyPath] }
    }

    /// Returns the node of a scope.
    ///
    /// - Parameter looksAtAll: Whether `transform` is called with the state after every action, including those outside
    ///   the scope.
    @inlinable
    func scope<Part: Sendable, PartAction: Sendable>(
        _ states: StateReader<Part>,
        _ embed: @escaping @Sendable (PartAction) -> Action,
        extract: @escaping @Sendable (Action) -> PartAction?,
        host: AttachmentHost<Part, PartAction>? = nil,
        looksAtAll: Bool = false,
        _ transform: @escaping @Sendable (State) -> Part
    ) -> ScopeNode<Part, PartAction> {
        let observe = observeActions
        var sink = actions
        // A scope of the same element does so already.
        let element = states.element.flatMap { $0 === self.states.element ? nil : $0 }
        if let element { sink = sink.of(element) }
        return ScopeNode<Part, PartAction>(
            root: root,
            node: node,
            name: name,
            actions: sink.map(embed, in: root),
            states: states,
            keeping: [self],
            host: host
        ) { asksForChanges, host, body, end in
            observe(
                asksForChanges,
                host ?? states.element,
                { action, state in
                    let part = looksAtAll ? transform(state()) : nil
                    // Actions after the one that removed the element are for another element.
                    if action != nil, element?.hadLeftBeforePublishedAction == true { return }
                    let action = action.flatMap(extract)
                    if action != nil || asksForChanges { body(action) { part ?? transform(state()) } }
                },
                end
            )
        }
    }
}

/// Keeps a child alive. When its last user releases it, the child ends, after everything that was accepted before.
@usableFromInline
final class ChildLifetime: Sendable {
    private let node: any StoreNode

    @usableFromInline
    init(_ node: any StoreNode) {
        self.node = node
    }

    deinit {
        let (node, root) = (node, node.root)
        root.inTurn { root.end(node) }
    }
}
