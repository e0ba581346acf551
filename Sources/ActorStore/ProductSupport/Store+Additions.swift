// Support for other products that add something to a store at run time: reducers (ActorStoreComposition) and
// instruments (ActorStoreInstruments).

extension Store {
    private nonisolated var attachmentHost: AttachmentHost<State, Action>? {
        switch backing {
        case .root(let core): AttachmentHost(core)
        case .view(let scopeNode): scopeNode.host
        }
    }

    /// The host for reducers that are attached to the state that this store shows. Traps if the state cannot be
    /// written.
    @usableFromInline
    package nonisolated func host() -> AttachmentHost<State, Action> {
        guard let host = attachmentHost else {
            fatalError(
                """
                A reducer was attached to "\(name)", whose state is read-only, or exists only with an optional or an \
                entry. Attach it to the store that has the state, or to a scope by a writable key path; to a child's own \
                state with attach(reducer:local:forKey:).
                """
            )
        }
        return host
    }

    /// Returns the host for reducers that are attached to the own state of this store, which has to be a child.
    @usableFromInline
    package nonisolated func localHost<Local>(of type: Local.Type) -> AttachmentHost<Local, Action> {
        guard case .view(let scopeNode) = backing, let host = scopeNode.localHost as? AttachmentHost<Local, Action>
        else {
            fatalError(
                """
                A reducer was attached to the own state of "\(name)", which is not a child. Use \
                attach(reducer:state:forKey:) here.
                """
            )
        }
        return host
    }

    /// Detaches the reducer under a key from the state that the store shows, or from a child's own state.
    package nonisolated func detachReducer(_ key: EffectID) {
        if let host = attachmentHost { host.detach(key) } else { scopeNode.detachLocally(key) }
    }
}

extension Store {
    /// Adds an instrument, which records all later events. For `ActorStoreInstruments`.
    @discardableResult
    package nonisolated func addInstrument(
        _ instrument: any StoreInstrument,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Interception {
        root.use(instrument, clock: clock)
    }
}
