/// Reducers that were attached to a store while it was at work, in the order in which they came. A plain value.
@usableFromInline
struct AttachedReducers<State: Sendable, Action: Sendable> {
    @usableFromInline typealias Body = @Sendable (inout State, Action) -> Effect<Action>

    private var entries: [(key: EffectID, body: Body)] = []

    /// Asked of the count, because `isEmpty` of an array whose elements' type is not known when it is compiled looks up
    /// that type, and a conformance of it.
    @usableFromInline var isEmpty: Bool { entries.count == 0 }

    /// The keys, in the order in which the reducers run.
    var keys: [EffectID] { entries.map(\.key) }

    /// Adds a reducer behind the others; or in the place of one with the same key.
    ///
    /// - Parameter dependencies: What its store keeps; in force in the reducer.
    /// - Returns: the path of the effects that the replaced one has asked for; nil if there is none.
    mutating func attach(
        _ body: @escaping Body,
        forKey key: EffectID,
        with dependencies: DependencyContainer?
    ) -> EffectPath? {
        let body = PreparedReducer(body).run(in: dependencies)
        guard let index = entries.firstIndex(where: { $0.key == key }) else {
            entries.append((key, body))
            return nil
        }
        entries[index].body = body
        return EffectPath(.attachment(key))
    }

    /// Takes a reducer out.
    ///
    /// - Returns: the path of the effects that it has asked for; nil if there is no such reducer.
    mutating func detach(key: EffectID) -> EffectPath? {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
        entries.remove(at: index)
        return EffectPath(.attachment(key))
    }

    /// Runs all of them; what they ask for is theirs, so that it can be cancelled when they go.
    @usableFromInline
    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        var effects = Effect<Action>.Merging()
        for (key, body) in entries {
            let effect = body(&state, action)
            if !effect.isNone { effects.add(effect.scoped(to: EffectPath(.attachment(key)))) }
        }
        return effects.merged
    }
}

/// Where reducers can be attached: a store with a state of its own, or a writable part of one.
@usableFromInline
package struct AttachmentHost<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline typealias Body = AttachedReducers<State, Action>.Body

    /// Attaches a reducer, which changes the state by each action.
    @usableFromInline package let attach:
        @Sendable (EffectID, @escaping @Sendable (inout State, Action) -> Effect<Action>) -> Void
    /// Detaches the reducer that was attached under a key.
    @usableFromInline package let detach: @Sendable (EffectID) -> Void

    @usableFromInline
    init(attach: @escaping @Sendable (EffectID, @escaping Body) -> Void, detach: @escaping @Sendable (EffectID) -> Void)
    {
        self.attach = attach
        self.detach = detach
    }

    /// For a root.
    @usableFromInline
    init(_ core: StoreCore<State, Action>) {
        self.init { key, body in
            core.inTurn {
                guard !core.keepsActions else {
                    fatalError(
                        """
                        A reducer was attached to "\(core.configuration.name)", whose actions are kept to make the \
                        state of them again: its changes would be in some of the states that come of them, and not in \
                        others. Make it a part of the store's reducer, or attach it to a child with a state of its own.
                        """
                    )
                }
                core.cancelEffects(below: core.attached.attach(body, forKey: key, with: core.dependencies))
            }
        } detach: { key in
            core.inTurn { core.cancelEffects(below: core.attached.detach(key: key)) }
        }
    }

    /// For a child's own state.
    @usableFromInline
    init(_ node: ChildNode<State, Action>) {
        let root = node.root
        self.init { key, body in
            root.inTurn {
                node.cancelEffects(below: node.attached.attach(body, forKey: key, with: node.dependencies))
            }
        } detach: { key in
            root.inTurn { node.cancelEffects(below: node.attached.detach(key: key)) }
        }
    }

    /// For a scope whose actions cannot be found among those of its store, so that a reducer would never run.
    ///
    /// - Parameters:
    ///   - name: That of the store.
    ///   - obstacle: Why.
    @usableFromInline
    init(name: String, obstacle: String) {
        self.init { _, _ in
            fatalError("A reducer was attached to a scope of \"\(name)\" whose actions cannot be found. \(obstacle)")
        } detach: { _ in
        }
    }

    /// For a part, if that is writable.
    @inlinable
    func part<Part: Sendable, PartAction: Sendable>(
        _ keyPath: KeyPath<State, Part> & Sendable,
        _ embed: @escaping @Sendable (PartAction) -> Action,
        _ extract: @escaping @Sendable (Action) -> PartAction?
    ) -> AttachmentHost<Part, PartAction>? {
        guard keyPath is WritableKeyPath<State, Part> else { return nil }
        let step = ChildStep.part(keyPath)
        return AttachmentHost<Part, PartAction>(
            attach: { key, body in
                attach(EffectID(PartKey(keyPath, key))) { state, action in
                    // Cast here, because the writable key path that the cast gives is not known to be Sendable.
                    guard let keyPath = keyPath as? WritableKeyPath<State, Part>, let action = extract(action) else {
                        return .none
                    }
                    let effect = body(&state[keyPath: keyPath], action)
                    return effect.isNone ? .none : effect.mapped(embed).located(by: step)
                }
            },
            detach: { key in detach(EffectID(PartKey(keyPath, key))) }
        )
    }
}

/// The key of a reducer that was attached to a part of a state: the same key at another part is another key.
@usableFromInline
struct PartKey: Hashable, Sendable {
    private let part: any AnyKeyPath & Sendable
    private let key: EffectID

    @usableFromInline
    init(_ part: any AnyKeyPath & Sendable, _ key: EffectID) {
        self.part = part
        self.key = key
    }

    @usableFromInline
    static func == (left: PartKey, right: PartKey) -> Bool { left.part == right.part && left.key == right.key }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        hasher.combine(part)
        hasher.combine(key)
    }
}

extension StoreNode {
    /// Cancels the effects of a reducer that is no longer attached. In the turn.
    func cancelEffects(below path: EffectPath?) {
        attachedReducersChanged()
        if let path { _ = takeOn(.cancelAll(below: path)) }
    }
}
