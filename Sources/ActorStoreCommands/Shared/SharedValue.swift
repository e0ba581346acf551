import ActorStore
import ActorStoreComposition

/// A value that several parts of a program share, and that outlives it.
///
/// ```swift
/// let settings = SharedValue(Settings(), persistence: FilePersistence(at: url))    // Of ActorStoreFoundation.
/// try await settings.update("dark mode") { $0.isDark = true }
/// for await settings in settings.values { apply(settings) }
/// await settings.shutdown()                                                   // Saves what is not saved yet.
/// ```
///
/// It is a store: every change is a command, all in one order, and is observed as such; there is no way around it. The
/// value is loaded at the beginning, and changes wait until it is there. It is saved after each change, one version at
/// a time; versions that come while one is being saved are left out, but for the newest. One that cannot be saved is
/// reported to ``errors``, and tried again with the next change, by ``save(isolation:)``, and at the end by
/// ``shutdown(isolation:)``.
///
/// While a version is being saved, the next change copies the collections that it changes, as after any snapshot.
///
/// Copies are the same value. Make it a dependency to have it everywhere; see `DependencyKey`. Stores follow it by a
/// rule, and change it in their effects:
///
/// ```swift
/// let follow = Interceptor<State, Action>.observing(.on(settings.values) { settings in .settingsChanged(settings) })
/// ```
///
/// When the last reference goes, what is not saved yet is lost: shut it down before.
public struct SharedValue<Value: Equatable & Sendable>: Sendable {
    private let root: Store<SharedState<Value>, SharedAction<Value>>
    private let ownActions: SharedOwnActions<Value>
    /// The value as a store of commands, for those who take a store. It does not keep the shared value alive. Shutting
    /// it down ends the shared value; with `ShutdownDrain.cancelEffects` what is not saved yet is lost. End it by
    /// ``shutdown(isolation:)``.
    public let store: CommandStore<Value>

    /// Creates a shared value, and begins to load it.
    ///
    /// - Parameters:
    ///   - initialValue: The value until it has been loaded, and if none was ever saved.
    ///   - persistence: Where it is kept.
    ///   - configuration: Name, mailbox capacity, priority and executor of the store.
    public init(
        _ initialValue: Value,
        persistence: some PersistenceStrategy<Value>,
        configuration: StoreConfiguration = StoreConfiguration(name: "shared")
    ) {
        let ownActions = SharedOwnActions<Value>()
        root = Store(
            initialState: SharedState(value: initialValue),
            loading: { SharedState(value: try await persistence.load() ?? initialValue) },
            reducer: SharedReducer(strategy: persistence, ownActions: ownActions),
            configuration: configuration
        )
        ownActions.connect(to: root.weak)
        self.ownActions = ownActions
        store = root.scope(state: \.value) { (command: Command<Value>) in .change(command) }
    }

    /// The value at this moment; see `Store.snapshot`.
    public var value: Value { store.snapshot }

    /// The value, and then each change of it; see `Store.values(of:buffering:fileID:line:)`. The first one is the
    /// loaded one.
    public var values: StoreSequence<Value> { store.values(of: \.self) }

    /// Errors of loading and saving.
    public var errors: StoreSequence<StoreFailure> { root.errors }

    /// Waits until the value has been loaded.
    ///
    /// - Throws: what the loading threw; see `Store.ready(isolation:)`.
    public func ready(isolation: isolated (any Actor)? = #isolation) async throws { try await root.ready() }

    /// Changes the value by a closure, and returns when that is done and visible to every reader. It is saved after
    /// that.
    ///
    /// - Parameters:
    ///   - name: Names the change in logs; the file and line of the call if it is left out.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - change: Changes the value.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Throws: what `Store.dispatch(_:)` throws.
    public func update(
        _ name: String? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation,
        _ change: @escaping @Sendable (_ value: inout Value) -> Void
    ) async throws(StoreError) {
        try await store.update(name, fileID: fileID, line: line, change)
    }

    /// Returns when all changes that were made before have been saved; also by trying again what could not be saved.
    ///
    /// An attempt that is under way already may fail: then one more follows. The failure of an attempt that began later
    /// is thrown, also if changes or other calls cause further attempts.
    ///
    /// It counts for nothing in the store's mailbox: it needs no room there, takes none, and drops no change.
    ///
    /// - Throws: what the ``PersistenceStrategy`` threw, which reaches ``errors``, too; `StoreError.notReady` if the
    ///   value could not be loaded; `StoreError.shutDown` if it has been shut down; a `CancellationError` if the task
    ///   is cancelled while it waits, which does not stop the saving.
    public func save(isolation: isolated (any Actor)? = #isolation) async throws {
        try await ownActions.save()
        // Another call may have asked meanwhile. Waiting for the same attempt as that one is right, too.
        let request = root.snapshot.progress
        for await progress in root.values(of: \.progress) {
            if let result = progress.result(ofSaving: request.current, after: request.attemptsAtRequest) {
                return try result.get()
            }
        }
        try Task.checkCancellation()
        throw StoreError.shutDown
    }

    /// Accepts no more changes, saves what is not saved yet, and ends. What cannot be saved then is lost, and reaches
    /// ``errors``, also if these are asked for afterwards; call ``save(isolation:)`` before to know. All changes that
    /// were accepted before are in what is saved, but for those that a newer change has taken the place of in a full
    /// mailbox.
    ///
    /// If the value is still being loaded and changes wait for that, this waits for the loading first. If none wait,
    /// the loading is cancelled, and a ``save(isolation:)`` that waits for it throws. Cancelling the calling task does
    /// not shorten this: it takes as long as the loading and the saving take.
    public func shutdown(isolation: isolated (any Actor)? = #isolation) async {
        // In a task of its own, so that everything is saved also if whoever asked for it is cancelled.
        await Task(executorPreference: root.weak.configuration?.executor) { [root, ownActions] in
            // Before it is loaded this would be a reason to wait for it; changes that wait are one, and are saved.
            if root.weak.hasState { ownActions.requestSave() }
            await root.shutdown(drain: .finishEffects)
        }.value
    }
}
