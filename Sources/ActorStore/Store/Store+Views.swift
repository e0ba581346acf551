/// A view of a store that only shows the state: there is no action that could be sent to it.
public typealias ReadOnlyStore<State: Sendable> = Store<State, Never>

extension Store {
    /// The same store without a way to change it, for those who should only look: they can read and observe everything,
    /// and have nothing that they could dispatch.
    ///
    /// ```swift
    /// let display = Display(store.readOnly)    // Takes a ReadOnlyStore<Shop.State>.
    /// ```
    ///
    /// A scope: it has no state of its own, and does not keep the store alive.
    public nonisolated var readOnly: ReadOnlyStore<State> {
        scope(state: \.self, action: impossible)
    }
}

/// Makes an action of one that cannot be.
private func impossible<Action>(_ never: Never) -> Action {}
