import ActorStore
import ActorStoreComposition

/// Tests a feature step by step: dispatches actions, receives the actions of its effects, and requires the test to
/// assert the change of each.
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
/// The tested store is a real `Store`, with its interceptors and observers. The test store records each reduced action
/// with the state directly after it, so actions that effects send between two steps are neither lost nor mixed with
/// what a step asserts.
///
/// A test store is exhaustive unless you set ``exhaustivity``. It then fails the test, in Swift Testing and in XCTest,
/// at the line of the step,
/// - if the state after an action is not the result of the closure for the state before it, with their difference;
/// - if an action comes that is not received, or not in this order;
/// - if effects still run at the end: at ``finish(timeout:fileID:filePath:line:column:isolation:)``, or when the test
///   store is released.
///
/// It always fails the test if an effect throws an unhandled error, or if an issue is reported in the reducer or one of
/// its effects, such as by an `unimplemented` dependency.
///
/// ## When effects run
///
/// Effects run on a ``ManualExecutor``, on the thread of the test and within its steps: each step runs them until they
/// have all ended, or wait. A test with a ``TestClock`` therefore needs no sleeps and no luck. Only for work that runs
/// elsewhere, such as on an actor with its own executor, a step waits, and is resumed by that work; ``timeout`` limits
/// the wait.
///
/// Outside of its steps nothing runs: to await code that waits for effects through ``store``, such as a side effect or
/// a shutdown, use ``running(timeout:fileID:filePath:line:column:isolation:_:meanwhile:)``.
///
/// A test store belongs to the task of the test, and is not `Sendable`; ``store`` is.
public final class TestStore<State: Equatable & Sendable, Action: Sendable> {
    /// The tested store, which you can read, observe, and pass to other code. You must receive the actions that are
    /// sent to it directly, and not by ``dispatch(_:fileID:filePath:line:column:isolation:changing:)``.
    public let store: Store<State, Action>

    /// The state after the last action that was asserted or skipped. The state of ``store`` is ahead of it while there
    /// are actions to receive.
    public internal(set) var state: State

    /// How much the test must assert. You can change it between steps.
    public var exhaustivity = Exhaustivity.on

    /// The longest wait of a step, in real time, for work that does not run on ``executor``; a second by default.
    public var timeout = Duration.seconds(1)

    let session: TestStoreSession<State, Action>
    /// The location of its creation, for failures at its release.
    let creation: TestLocation

    /// Creates a test store.
    ///
    /// - Parameters:
    ///   - initialState: The state before the first action.
    ///   - reducer: The reducer under test.
    ///   - interceptors: Interceptors between the test and the reducer.
    ///   - configuration: The configuration of the store; its executor is replaced by `executor`.
    ///   - executor: The executor of the effects. Pass several test stores the same one if they interact. When the last
    ///     of them is released, the executor runs remaining and later jobs by itself.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - dependencies: Sets dependencies for the reducer and its effects. All others have their test value.
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
            // Added last, so that the session records what they begin when they are added; the recorder stays
            // innermost.
            store.useTogether(interceptors)
            return (store, session)
        }
    }

    deinit {
        executor.run(creation)
        reportProblems(at: creation)
        if exhaustivity == .on { checkRest(at: creation) }
        checkEnd(at: creation, looksAtState: false)
        // Cancelled effects end without a further request.
        store.beginShutdown(drain: .cancelEffects)
        executor.run(creation)
        session.close()
        executor.removeUser()
    }

    /// The executor of the effects.
    public var executor: ManualExecutor { session.executor }

    /// The dependencies of the reducer and its effects. A new value applies from the next action on; running effects
    /// keep theirs.
    ///
    /// Reducers attached to ``store``, its children, its side effects and its state-driven effects have the
    /// dependencies of the test store's creation, and report issues to the `StoreIssueReporter` of their task.
    public var dependencies: DependencyValues {
        get { session.dependencies }
        set { session.dependencies = newValue }
    }

    /// Whether the feature has asked to be dismissed: by `send.dismiss()`, `Effect.dismiss()`, or the dependency
    /// `dismiss`.
    public var isDismissed: Bool { session.take { $0.isDismissed } }

    /// Runs the effects until they have all ended, or wait. Each step does this by itself.
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

/// How much a test must assert of what happens in a ``TestStore``.
public enum Exhaustivity: Sendable, Equatable {
    /// Everything: each change of the state, each action of effects, and the end of each effect.
    case on
    /// Only selected behaviour: the state can have changes that the test does not mention, actions can come that it
    /// does not receive, and effects can continue after its end. What the test does assert must hold.
    ///
    /// - Parameter showSkippedAssertions: Whether skipped behaviour is reported, without failing the test.
    case off(showSkippedAssertions: Bool)

    /// Only selected behaviour; skipped behaviour is not reported.
    public static let off = Exhaustivity.off(showSkippedAssertions: false)

    var showsSkipped: Bool { self == .off(showSkippedAssertions: true) }
}
