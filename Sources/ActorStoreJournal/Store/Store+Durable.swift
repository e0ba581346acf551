#if Journal
    public import ActorStore

    extension Store where State: Codable, Action: Codable {
        /// Creates a store whose actions are kept in a file, and which goes on where it was.
        ///
        /// ```swift
        /// let orders = try await Store.durable(at: "orders.journal", initialState: Orders.State(), reducer: Orders())
        /// try await orders.dispatch(.order(3))        // On disk when this returns.
        /// orders.store.send(.opened)                  // Starts what a restart has to start.
        /// ```
        ///
        /// The state is that of the newest snapshot that can be read, with the actions after it reduced by the same
        /// reducer. Their effects are not run: the world has seen them. What has to be begun anew, such as a timer, the
        /// reducer begins with an action that the program sends after the start.
        ///
        /// What is kept are the actions that reach the root's reducer, by whatever way: sent, dispatched, by effects,
        /// by stores below. States of children of their own, and reducers attached later, are not in the journal;
        /// interceptors are not run again, because what they let through is what is kept.
        ///
        /// - Parameters:
        ///   - path: The file, which need not be there, in a directory that is. Beside it there are, while it is in
        ///   use, those of SQLite with `-wal` and `-shm` at the end of their names, and always one with `-lock`.
        ///   - initialState: The state before the first action.
        ///   - reducer: Changes the state, and asks for effects. It must make the same of the same actions.
        ///   - interceptors: Stand between senders and the reducer, the first of them outermost.
        ///   - configuration: Name, mailbox capacity, priority and executor of the store.
        ///   - journal: Durability level, snapshots, schema and codec.
        /// - Throws: ``JournalError`` if somebody else has the file, or if it cannot be read; then nothing has been
        ///   changed.
        @inlinable
        public static func durable(
            at path: String,
            initialState: State,
            reducer: some Reducer<State, Action>,
            interceptors: [Interceptor<State, Action>] = [],
            configuration: StoreConfiguration = StoreConfiguration(),
            journal: JournalConfiguration = JournalConfiguration()
        ) async throws(JournalError) -> DurableStore<State, Action> {
            try await open(path, initialState, reducer.prepared(), journal) { state, reducer, gate in
                Store(
                    initialState: state,
                    reducer: reducer,
                    interceptors: [gate] + interceptors,
                    configuration: configuration
                )
            }
        }

        /// Opens the journal, and makes the store that goes on with it.
        ///
        /// - Parameter makeStore: Makes the store, given the state, the reducer that also writes, and the outermost
        ///   interceptor. The caller does it, because code of this module knows the types of the store at run time
        ///   only, and makes one that is slower.
        @usableFromInline
        static func open(
            _ path: String,
            _ initialState: State,
            _ reducer: PreparedReducer<State, Action>,
            _ settings: JournalConfiguration,
            _ makeStore: (State, PreparedReducer<State, Action>, Interceptor<State, Action>) -> Store<State, Action>
        ) async throws(JournalError) -> DurableStore<State, Action> {
            // The same in every replay as in the store, also of actions of the past that somebody asks for later.
            let prepared = reducer.keepingDependencies
            let skipsAll = settings.brokenRecords == .skip
            var replay = JournalReplay<State, Action>(
                coding: settings.coding,
                skips: { _ in skipsAll },
                initialState: initialState
            ) { state, action in _ = prepared.reduce(into: &state, action: action) }
            let writer = JournalWriter<State, Action>(path: path, configuration: settings)
            let (state, report) = try await writer.open(replay)
            // So that the past is always one that the store has had: what it has, or what is reported to be left out.
            replay.skips = { [skipped = report.skippedRecords] in RangeSet($0).isSubset(of: skipped) }
            let handOver = HandOver<State, Action, Journal<State, Action>.Waiter>(
                level: settings.level,
                limit: settings.pendingLimit,
                snapshots: settings.snapshots,
                recovered: report
            )
            let journal = Journal(handOver, writer)
            let writing = PreparedReducer<State, Action> { state, action in
                let effect = prepared.reduce(into: &state, action: action)
                journal.append(action, state)
                return effect
            }
            let store = makeStore(state, writing, journal.gate)
            return DurableStore(store: store, recovery: report, journal: journal, reader: JournalReader(path, replay))
        }

        /// Creates a store whose reducer is a closure without effects, and whose actions are kept in a file; otherwise
        /// like ``durable(at:initialState:reducer:interceptors:configuration:journal:)``.
        @inlinable
        public static func durable(
            at path: String,
            initialState: State,
            interceptors: [Interceptor<State, Action>] = [],
            configuration: StoreConfiguration = StoreConfiguration(),
            journal: JournalConfiguration = JournalConfiguration(),
            reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void
        ) async throws(JournalError) -> DurableStore<State, Action> {
            try await durable(
                at: path,
                initialState: initialState,
                reducer: PreparedReducer { state, action in
                    reduce(&state, action)
                    return .none
                },
                interceptors: interceptors,
                configuration: configuration,
                journal: journal
            )
        }

        /// Takes the state between two actions as a snapshot, if none is on its way.
        func capture(for journal: Journal<State, Action>) -> Bool { journal.captureNow(snapshot) }
    }

    extension Journal {
        /// Refuses actions while too many wait to be written. It stands outermost, so that nobody has done anything
        /// about an action that is refused.
        fileprivate var gate: Interceptor<State, Action> {
            var gate = Interceptor<State, Action>("journal") { action, _, next in
                if self.admitsAction() { try next(action) }
            }
            gate.keepsActions = true
            return gate
        }
    }
#endif
