extension Store {
    /// Every action that is reduced from now on, with the states before and after it, without gaps.
    ///
    /// ```swift
    /// for await transition in store.transitions() where transition.old.level != transition.new.level {
    ///     audit.note(transition.action, at: transition.revision)
    /// }
    /// ```
    ///
    /// The actions of a ``send(contentsOf:)`` are published together, so that they have one
    /// ``StateTransition/revision``, that of the last of them. Their order is that in which they were reduced.
    ///
    /// A scope shows its own actions, with its part before and after; a child those that were sent to it or came up to
    /// it. Actions that an interceptor has stopped are not included. Changes by ``withIsolation(_:isolation:_:)`` are
    /// made by no action: the transition after such a change begins with the state after it.
    ///
    /// It costs nothing as long as nobody asks for it. While somebody does, it costs what ``actions`` cost: a copy of
    /// the state is kept for each action, so that the next one copies the collections that it changes. An observer of
    /// values is told of a ``Change`` without its action, because a change that it is told of can be that of several
    /// actions: of a batch, or of those that were reduced while it was busy.
    ///
    /// - Parameters:
    ///   - buffering: What is kept for an observer who is busy; without a bound if nothing is said. What is kept is
    ///     whole: the state before an action is that state also if the action before was dropped.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    public nonisolated func transitions(
        buffering: BufferingPolicy = .unbounded,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreSequence<StateTransition<State, Action>> {
        let source = CodeLocation(fileID: fileID, line: line)
        return switch backing {
        case .root(let core):
            StoreSequence { [weak core] in
                core.map { ScopeNode($0).subscribeToTransitions(buffering, source) } ?? .ended
            }
        case .view(let scopeNode):
            StoreSequence { [weak scopeNode, retainer = scopeNode.retainer] in
                (scopeNode ?? retainer.object)?.subscribeToTransitions(buffering, source) ?? .ended
            }
        }
    }
}
