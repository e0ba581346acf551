/// The reducers attached to a store after its creation, in the order in which they were attached. A plain value.
@usableFromInline
struct AttachedReducers<State: Sendable, Action: Sendable> {
    @usableFromInline typealias Body = @Sendable (inout State, Action) -> Effect<Action>

    private var entries: [(key: EffectID, body: Body)] = []

    /// Reads the count, because `isEmpty` of an array whose element type is unknown at compile time looks up that type
    /// and one of its conformances.
    @usableFromInline var isEmpty: Bool { entries.count == 0 }

    /// The keys, in the order in which the reducers run.
    var keys: [EffectID] { entries.map(\.key) }

    /// Adds a reducer after the others, or replaces the reducer with the same key.
    ///
    /// - Parameter dependencies: The dependencies of the store, which are in effect in the reducer.
    /// - Returns: The path of the replaced reducer's effects; `nil` if no reducer was replaced.
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

    /// Removes a reducer.
    ///
    /// - Returns: The path of the reducer's effects; `nil` if there is no such reducer.
    mutating func detach(key: EffectID) -> EffectPath? {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
        entries.remove(at: index)
        return EffectPath(.attachment(key))
    }

    /// Runs all reducers. Each owns its effects, so that they can be cancelled when the reducer is detached.
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

/// Attaches reducers to a store's own state, or to a writable part of it.
@usableFromInline
package struct AttachmentHost<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline typealias Body = AttachedReducers<State, Action>.Body

    /// Attaches a reducer, which changes the state for each action.
    @usableFromInline package let attach:
        @Sendable (EffectID, @escaping @Sendable (inout State, Action) -> Effect<Action>) -> Void
    /// Detaches the reducer with a key.
    @usableFromInline package let detach: @Sendable (EffectID) -> Void

    @usableFromInline
    init(attach: @escaping @Sendable (EffectID, @escaping Body) -> Void, detach: @escaping @Sendable (EffectID) -> Void)
    {
        self.attach = attach
        self.detach = detach
    }

    /// Creates the host of a root.
    @usableFromInline
    init(_ core: StoreCore<State, Action>) {
        self.init { key, body in
            core.inTurn {
                guard !core.keepsActions else {
                    fatalError(
                        """
                        A reducer was attached to "\(core.configuration.name)", whose actions are kept to recreate \
                        its state. Its changes would be present in some recreated states and missing in others. Make \
                        it a part of the store's reducer, or attach it to a child with a state of its own.
                        """
                    )
                }
                core.cancelEffects(below: core.attached.attach(body, forKey: key, with: core.dependencies))
            }
        } detach: { key in
            core.inTurn { core.cancelEffects(below: core.attached.detach(key: key)) }
        }
    }

    /// Creates the host of a child's own state.
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

    /// Creates the host of a scope whose actions cannot be extracted from those of its store, so that a reducer would
    /// never run. Attaching one traps.
    ///
    /// - Parameters:
    ///   - name: The name of the store.
    ///   - obstacle: The reason why the actions cannot be extracted.
    @usableFromInline
    init(name: String, obstacle: String) {
        self.init { _, _ in
            fatalError("A reducer was attached to a scope of \"\(name)\" whose actions cannot be found. \(obstacle)")
        } detach: { _ in
        }
    }

    /// Returns the host of a part of the state; `nil` if the part is not writable.
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
                    // Cast here, because the writable key path that results from the cast is not known to be Sendable.
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

/// The key of a reducer attached to a part of a state. The same key at another part is a different key.
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
    /// Cancels the effects of a reducer that was detached or replaced. Called within the turn.
    func cancelEffects(below path: EffectPath?) {
        attachedReducersChanged()
        if let path { _ = takeOn(.cancelAll(below: path)) }
    }
}
