import ActorStore
import ActorStoreComposition

/// Tests a feature step by step: dispatches actions, receives those that its effects send, and expects the test to say
/// what each of them changes.
///
/// ```swift
/// @Test func aFactIsLoaded() async {
///     let store = TestStore(initialState: Counter.State(), reducer: Counter(facts: .constant("7 is prime.")))
///     await store.dispatch(.increment) { $0.count = 1 }
///     await store.dispatch(.factRequested) { $0.isLoading = true }
///     await store.receive(.factLoaded("7 is prime.")) {
///         $0.isLoading = false
///         $0.fact = "7 is prime."
///     }
///     await store.finish()
/// }
/// ```
///
/// What is tested is a real `Store`, with what stands around it. Each reduced action is recorded with the state right
/// after it, so that what effects send back while the test is not looking is not lost, and does not mix with what is
/// asserted.
///
/// It is exhaustive, unless it is told otherwise by ``exhaustivity``. Then it fails the test, in Swift Testing and in
/// XCTest, at the line of the step,
/// - if the state after an action is not what the closure makes of the state before it, with the difference of the two;
/// - if an action comes that is not received, or not in this order;
/// - if at the end effects still run: at ``finish(timeout:fileID:filePath:line:column:isolation:)``, or when the test
///   store is released.
///
/// In any case it fails the test if an effect throws an error that nobody makes an action of, or if an issue is
/// reported in the reducer or one of its effects, such as by an `unimplemented` dependency.
///
/// ## When effects run
///
/// Effects run on a ``ManualExecutor``, on the thread of the test and within its steps: each step lets them go on until
/// they have all ended, or wait. So a test with a ``TestClock`` needs no sleeps and no luck. Only for what runs
/// elsewhere, such as an actor with its own executor, a step waits, and is woken by what it waits for; ``timeout``
/// limits that.
///
/// Outside of its steps nothing runs: what waits for effects by way of ``store``, such as a side effect or a shutdown,
/// is awaited by ``running(timeout:fileID:filePath:line:column:isolation:_:meanwhile:)``.
///
/// A test store belongs to the task of the test, and is not `Sendable`; ``store`` is.
public final class TestStore<State: Equatable & Sendable, Action: Sendable> {
    /// The store that is tested: to be read, observed, or given to whom it may concern. What is sent to it here, and
    /// not by ``dispatch(_:fileID:filePath:line:column:isolation:changing:)``, has to be received.
    public let store: Store<State, Action>

    /// The state after the last action that was asserted or passed over. The one of ``store`` is ahead of it while
    /// there are actions to be received.
    public internal(set) var state: State

    /// How much the test has to say. It can be changed from step to step.
    public var exhaustivity = Exhaustivity.on

    /// How long a step waits in real time, at most, for what does not run on ``executor``; a second unless it is set.
    public var timeout = Duration.seconds(1)

    let session: TestStoreSession<State, Action>
    /// Where it was created, for what is found out when it goes.
    let creation: TestLocation

    /// Creates a test store.
    ///
    /// - Parameters:
    ///   - initialState: The state before the first action.
    ///   - reducer: What is tested.
    ///   - interceptors: Stand between the test and the reducer.
    ///   - configuration: That of the store; its executor is replaced by `executor`.
    ///   - executor: Runs the effects. Give several test stores the same one if they have to do with each other. When
    ///     the last of them is released, the executor runs what is left, and what comes later, by itself.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - dependencies: Sets dependencies for the reducer and its effects. Those that it does not set have their test
    ///     value.
    public init(
        initialState: State,
        reducer: some Reducer<State, Action>,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration(name: "TestStore"),
        executor: ManualExecutor = ManualExecutor(),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        dependencies: (_ values: inout DependencyValues) -> Void = { _ in }
    ) {
        creation = TestLocation(fileID, filePath, line, column)
        state = initialState
        var configuration = configuration
        configuration.executor = executor
        executor.addUser()
        (store, session) = withDependencies {
            $0.context = .test
            dependencies(&$0)
        } operation: {
            let session = TestStoreSession<State, Action>(executor: executor, dependencies: .current)
            let store = Store(
                initialState: initialState,
                reducer: SurroundedReducer(reducer) { session.surroundings },
                interceptors: [session.interceptor],
                configuration: configuration
            )
            store.addInstrument(session)
            session.followErrors(of: store)
            // Last, because what they begin when they are added is to be seen; the recorder stays behind them.
            store.useTogether(interceptors)
            return (store, session)
        }
    }

    deinit {
        executor.run(creation)
        reportProblems(at: creation)
        if exhaustivity == .on { checkRest(at: creation) }
        checkEnd(at: creation, looksAtState: false)
        // What it has cancelled ends without anybody who asks for it.
        store.beginShutdown(drain: .cancelEffects)
        executor.run(creation)
        session.close()
        executor.removeUser()
    }

    /// Runs the effects.
    public var executor: ManualExecutor { session.executor }

    /// The dependencies of the reducer and its effects. What is set counts from the next action on; effects that run
    /// already keep what they have.
    ///
    /// Reducers attached to ``store``, its children, its side effects and effects driven by its state have the
    /// dependencies of the test store's creation, and report issues to the `StoreIssueReporter` of their task.
    public var dependencies: DependencyValues {
        get { session.dependencies }
        set { session.dependencies = newValue }
    }

    /// Whether the feature has asked to be taken away: by `send.dismiss()`, `Effect.dismiss()`, or the dependency
    /// `dismiss`.
    public var isDismissed: Bool { session.take { $0.isDismissed } }

    /// Lets the effects go on until they have all ended, or wait for something. Each step does this by itself.
    ///
    /// - Parameters:
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    public func runUntilIdle(
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        let location = TestLocation(fileID, filePath, line, column)
        executor.run(location)
        reportProblems(at: location)
    }
}

/// How much of what happens a ``TestStore`` expects a test to say.
public enum Exhaustivity: Sendable, Equatable {
    /// All: each change of the state, each action that comes of effects, and the end of each effect.
    case on
    /// Only what the test is about: a change that it does not mention may happen, actions may come that it does not
    /// receive, and effects may go on after its end. What it does say must be so.
    ///
    /// - Parameter showSkippedAssertions: Whether what is passed over is noted, without failing the test.
    case off(showSkippedAssertions: Bool)

    /// Only what the test is about; what is passed over is not noted.
    public static let off = Exhaustivity.off(showSkippedAssertions: false)

    var showsSkipped: Bool { self == .off(showSkippedAssertions: true) }
}
