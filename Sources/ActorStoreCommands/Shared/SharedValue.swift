import ActorStore
import ActorStoreComposition

/// A value that several parts of a program share, and that is persisted.
///
/// ```swift
/// let settings = SharedValue(Settings(), persistence: FilePersistence(at: url))    // Of ActorStoreFoundation.
/// try await settings.update("dark mode") { $0.isDark = true }
/// for await settings in settings.values { apply(settings) }
/// await settings.shutdown()                                                   // Saves what is not saved yet.
/// ```
///
/// The value is held by a store: every change is a command, in one total order, and can be observed. The value is
/// loaded at the beginning, and changes wait until it is loaded. It is saved after each change, one version at a time.
/// Versions that arrive while one is being saved are skipped, except the newest. If a version cannot be saved, the
/// error reaches ``errors``, and saving is tried again with the next change, by ``save(isolation:)``, and by
/// ``shutdown(isolation:)``.
///
/// While a version is being saved, the next change copies the collections that it changes, as after any snapshot.
///
/// Copies of a `SharedValue` refer to the same value. Make it a dependency to use it everywhere; see `DependencyKey`.
/// Stores observe it with a rule, and change it in their effects:
///
/// ```swift
/// let follow = Interceptor<State, Action>.observing(.on(settings.values) { settings in .settingsChanged(settings) })
/// ```
///
/// When the last reference is released, unsaved changes are lost. Call ``shutdown(isolation:)`` first.
public struct SharedValue<Value: Equatable & Sendable>: Sendable {
    private let root: Store<SharedState<Value>, SharedAction<Value>>
    private let ownActions: SharedOwnActions<Value>
    /// The value as a store of commands, for code that takes a store. It does not retain the shared value. Shutting it
    /// down ends the shared value; with `ShutdownDrain.cancelEffects` unsaved changes are lost. Use
    /// ``shutdown(isolation:)`` instead.
    public let store: CommandStore<Value>

    /// Creates a shared value, and begins to load it.
    ///
    /// - Parameters:
    ///   - initialValue: The value until it has been loaded, and if none was ever saved.
    ///   - persistence: The storage of the value.
    ///   - configuration: The name, mailbox capacity, priority and executor of the store.
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

    /// The current value; see `Store.snapshot`.
    public var value: Value { store.snapshot }

    /// The value, and then each change of it; see `Store.values(of:buffering:fileID:line:)`. The first element is the
    /// loaded value.
    public var values: StoreSequence<Value> { store.values(of: \.self) }

    /// The errors of loading and saving.
    public var errors: StoreSequence<StoreFailure> { root.errors }

    /// Waits until the value has been loaded.
    ///
    /// - Throws: The error of loading; see `Store.ready(isolation:)`.
    public func ready(isolation: isolated (any Actor)? = #isolation) async throws { try await root.ready() }

    /// Changes the value with a closure, and returns when the change is done and visible to every reader. The value is
    /// saved after that.
    ///
    /// - Parameters:
    ///   - name: The change's name in logs; by default the file and line of the call.
    ///   - fileID: The file of the caller, for the default name.
    ///   - line: The line of the caller, for the default name.
    ///   - change: Changes the value.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Throws: The errors of `Store.dispatch(_:)`.
    public func update(
        _ name: String? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation,
        _ change: @escaping @Sendable (_ value: inout Value) -> Void
    ) async throws(StoreError) {
        try await store.update(name, fileID: fileID, line: line, change)
    }

    /// Waits until all earlier changes have been saved. Changes that could not be saved before are tried again.
    ///
    /// If an attempt that is already running fails, one more follows. The failure of an attempt that began later is
    /// thrown, even if changes or other calls cause further attempts.
    ///
    /// This does not use the store's mailbox: it needs no capacity there, takes none, and drops no change.
    ///
    /// - Throws: The error of the ``PersistenceStrategy``, which reaches ``errors``, too; `StoreError.notReady` if the
    ///   value could not be loaded; `StoreError.shutDown` if it has been shut down; a `CancellationError` if the task
    ///   is cancelled while it waits, which does not stop the saving.
    public func save(isolation: isolated (any Actor)? = #isolation) async throws {
        try await ownActions.save()
        // Another call may have requested it meanwhile. Waiting for the same attempt as that call is right, too.
        let request = root.snapshot.progress
        for await progress in root.values(of: \.progress) {
            if let result = progress.result(ofSaving: request.current, after: request.attemptsAtRequest) {
                return try result.get()
            }
        }
        try Task.checkCancellation()
        throw StoreError.shutDown
    }

    /// Stops accepting changes, saves unsaved changes, and ends the store.
    ///
    /// Changes that cannot be saved then are lost. The error reaches ``errors``, even if these are requested
    /// afterwards; call ``save(isolation:)`` first to handle it. All changes that were accepted before are saved,
    /// except those that a newer change has replaced in a full mailbox.
    ///
    /// If the value is still being loaded and changes wait for that, this waits for the loading first. If none wait,
    /// the loading is cancelled, and a pending ``save(isolation:)`` throws. Cancelling the calling task does not
    /// shorten this: it takes as long as the loading and the saving.
    public func shutdown(isolation: isolated (any Actor)? = #isolation) async {
        // In a task of its own, so that the value is saved even if the caller is cancelled.
        await Task(executorPreference: root.weak.configuration?.executor) { [root, ownActions] in
            // Before the value is loaded, a request would make the shutdown wait for the loading. Pending changes do so
            // anyway, and are saved.
            if root.weak.hasState { ownActions.requestSave() }
            await root.shutdown(drain: .finishEffects)
        }.value
    }
}
