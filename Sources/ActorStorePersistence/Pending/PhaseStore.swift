import ActorStore

/// A store that shows the phase of an account under a lock.
struct PhaseStore<Account, Phase: Sendable & Equatable>: Sendable {
    private let account: LockedValue<Account>
    private let phase: @Sendable (Account) -> Phase
    /// Reads the phase when it is notified of a change, so that it never ends with an older one.
    let store: Store<Phase, Void>

    /// Creates the store.
    ///
    /// - Parameters:
    ///   - name: The name of the store, for its statistics and messages.
    ///   - account: The account.
    ///   - phase: Returns the phase of the account. It is called under the lock.
    init(_ name: String, of account: LockedValue<Account>, _ phase: @escaping @Sendable (Account) -> Phase) {
        self.account = account
        self.phase = phase
        store = Store(
            initialState: account.withLock { phase($0) },
            configuration: StoreConfiguration(name: name, mailbox: .unbounded)
        ) { (state: inout Phase, _: Void) in state = account.withLock { phase($0) } }
    }

    /// Changes the account, and notifies the observers of the phase if it has changed.
    func change<Result>(_ body: (inout Account) -> Result) -> Result {
        let (result, hasChanged) = account.withLock { account in
            let before = phase(account)
            let result = body(&account)
            return (result, phase(account) != before)
        }
        if hasChanged { store.send(()) }
        return result
    }

    /// Ends the store with the current phase, which is the last one.
    func end() async {
        // Another thread can have changed the account, and not have notified the store yet.
        store.send(())
        await store.shutdown(drain: .cancelEffects)
    }
}
