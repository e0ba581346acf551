import ActorStore

/// Records the values of an observation, or of any asynchronous sequence, so that a test can read them one after the
/// other.
///
/// ```swift
/// let counts = Recorder(store.values(of: \.count, buffering: .unbounded))
/// try await store.dispatch(.increment)
/// #expect(try await counts.values(2) == [0, 1])
///
/// let names = Recorder<String>()
/// let token = store.observe(\.name) { names.record($0) }
/// try await store.dispatch(.rename("Ada"))
/// await names.expect(["", "Ada"])
/// ```
///
/// Reading waits for what has not come yet, and is woken when it comes; nothing is polled. It reads in order, and each
/// value once; ``elements`` has all of them, read or not.
///
/// Recording a sequence ends with it, or when the recorder is released.
public final class Recorder<Element: Sendable>: Sendable {
    private let tape: RecorderStorage<Element>
    private let task: Task<Void, Never>?

    /// Creates one that records what ``record(_:)`` is called with.
    ///
    /// - Parameter executor: Is run by whoever waits for a value, so that what makes the values can go on; nil if it
    ///   runs by itself.
    public init(running executor: ManualExecutor? = nil) {
        tape = RecorderStorage(executor: executor)
        task = nil
    }

    /// Records a sequence, from now on.
    ///
    /// - Parameters:
    ///   - sequence: Iterated in a task of the recorder's own.
    ///   - executor: Where that task runs, to be run by whoever waits for a value; nil for the global executor. Give
    ///     that of a ``TestStore`` to record what its effects do.
    public init<S: AsyncSequence & Sendable>(_ sequence: S, running executor: ManualExecutor? = nil)
    where S.Element == Element {
        let tape = RecorderStorage<Element>(executor: executor)
        self.tape = tape
        task = Task(executorPreference: executor) {
            do {
                for try await element in sequence { tape.change { $0.record(element) } }
                tape.change { $0.end(nil) }
            } catch {
                tape.change { $0.end(error) }
            }
        }
    }

    deinit { task?.cancel() }

    /// Records a value; from any thread.
    public func record(_ element: Element) { tape.change { $0.record(element) } }

    /// Says that there are no more values. What is recorded afterwards is dropped.
    public func finish() { tape.change { $0.end(nil) } }

    /// All values so far, read or not.
    public var elements: [Element] { tape.read { $0.elements } }

    /// Whether what is recorded has ended.
    public var hasEnded: Bool { tape.read { $0.hasEnded } }

    /// What the sequence has thrown, if that was its end.
    public var failure: (any Error)? { tape.read { $0.failure } }

    /// Reads the next value, and waits for it if it has not come yet.
    ///
    /// - Parameter timeout: How long to wait at most, in real time.
    /// - Throws: a ``RecorderError`` if none comes.
    public func next(timeout: Duration = .seconds(1), isolation: isolated (any Actor)? = #isolation)
        async throws(RecorderError) -> Element
    {
        try await values(1, timeout: timeout)[0]
    }

    /// Reads the next values, and waits for those that have not come yet.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - timeout: How long to wait at most, in real time.
    /// - Throws: a ``RecorderError`` if not so many come; then none is read.
    public func values(
        _ count: Int,
        timeout: Duration = .seconds(1),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(RecorderError) -> [Element] {
        var values: [Element]?
        // Read in the look itself: several can wait, of whom only one gets them.
        let ending = await tape.wait(atMost: timeout) { tape in
            if tape.unread >= count { values = tape.read(count) }
            return values != nil || tape.hasEnded
        }
        if let values { return values }
        switch ending {
        case .done: throw .ended
        case .timedOut: throw .timedOut
        case .cancelled: throw .cancelled
        }
    }

    /// Reads all values until the end of what is recorded, and waits for that.
    ///
    /// - Parameter timeout: How long to wait at most, in real time.
    /// - Throws: a ``RecorderError`` if it does not end; then none is read.
    public func valuesUntilEnd(
        timeout: Duration = .seconds(1),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(RecorderError) -> [Element] {
        var values: [Element]?
        let ending = await tape.wait(atMost: timeout) { tape in
            if tape.hasEnded { values = tape.read(tape.unread) }
            return values != nil
        }
        if let values { return values }
        throw ending == .cancelled ? .cancelled : .timedOut
    }

    /// Reads what has come, for an expectation.
    func read(upTo count: Int, _ timeout: Duration, isolation: isolated (any Actor)? = #isolation) async -> [Element] {
        var values: [Element]?
        _ = await tape.wait(atMost: timeout) { tape in
            if tape.unread >= count { values = tape.read(count) }
            return values != nil || tape.hasEnded
        }
        return values ?? tape.changeQuietly { $0.read(count) }
    }
}

/// The tape under its lock, for the task that records, which does not keep the recorder alive.
final class RecorderStorage<Element: Sendable>: Sendable {
    private let tape = LockedValue(RecorderTape<Element>())
    private let executor: ManualExecutor?
    private let changes: EventCounter

    init(executor: ManualExecutor?) {
        self.executor = executor
        changes = executor?.changes ?? EventCounter()
    }

    func read<Result>(_ body: (RecorderTape<Element>) -> Result) -> Result { tape.withLock { body($0) } }

    /// Changes it, and wakes who waits.
    func change(_ body: (inout RecorderTape<Element>) -> Void) {
        tape.withLock(body)
        changes.advance()
    }

    func changeQuietly<Result>(_ body: (inout RecorderTape<Element>) -> Result) -> Result { tape.withLock(body) }

    func wait(
        atMost timeout: Duration,
        isolation: isolated (any Actor)? = #isolation,
        until isDone: (inout RecorderTape<Element>) -> Bool
    ) async -> EventCounter.Ending {
        await changes.wait(atMost: timeout) {
            executor?.run(TestLocation(#fileID, #filePath, #line, #column))
            return tape.withLock { isDone(&$0) }
        }
    }
}

/// Why a ``Recorder`` has no further value.
public enum RecorderError: Error, Sendable, Equatable {
    /// None has come within the time allowed.
    case timedOut
    /// What is recorded has ended.
    case ended
    /// The waiting task was cancelled.
    case cancelled
}

extension RecorderError: CustomStringConvertible {
    /// Says why there is no further value.
    public var description: String {
        switch self {
        case .timedOut: "No further value has come within the time allowed."
        case .ended: "What is recorded has ended, so that no further value will come."
        case .cancelled: "The task was cancelled while it waited."
        }
    }
}

/// What a ``Recorder`` has recorded, and how far a test has read. A plain value.
struct RecorderTape<Element> {
    private(set) var elements: [Element] = []
    /// How many have been read.
    private var position = 0
    private(set) var failure: (any Error)?
    private(set) var hasEnded = false

    /// How many have not been read.
    var unread: Int { elements.count - position }

    mutating func record(_ element: Element) {
        if !hasEnded { elements.append(element) }
    }

    mutating func end(_ failure: (any Error)?) {
        guard !hasEnded else { return }
        hasEnded = true
        self.failure = failure
    }

    /// Reads on.
    ///
    /// - Returns: so many elements, or as many as there are.
    mutating func read(_ count: Int) -> [Element] {
        let rest = elements[position...].prefix(count)
        position += rest.count
        return Array(rest)
    }
}
