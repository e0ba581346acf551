/// How the saving of a shared value tells its store that it has ended.
///
/// Not by sending an action, as effects do: that finds no room in a full mailbox, or has to give way there to a newer one,
/// and is dropped when the effect has been cancelled. Without it the value would never be saved again.
final class SharedReport<Value: Sendable>: @unchecked Sendable {
    typealias Core = StoreCore<SharedState<Value>, SharedAction<Value>>

    // Sound: written once, by the one who makes the store, before its first action.
    private weak var core: Core?

    func connect(to core: Core) { self.core = core }

    /// Has an action reduced in a turn of its own, unless the store has ended.
    nonisolated(nonsending) func callAsFunction(_ action: SharedAction<Value>) async {
        guard let core else { return }
        await core.perform {
            guard !core.lifecycle.isEnded else { return }
            if case .success(let launch) = core.reduceFully(action) { core.deferStart(launch, of: core) }
        }
    }
}
