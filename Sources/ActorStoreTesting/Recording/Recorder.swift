import ActorStore

/// Records the values of an observation, or of any asynchronous sequence, so that a test can read them one by one.
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
/// A read waits for values that have not come yet, and is resumed when they come; it does not poll. Reads return the
/// values in order, and each value once. ``elements`` has all values, read or not.
///
/// The recording of a sequence ends with the sequence, or when the recorder is released.
public final class Recorder<Element: Sendable>: Sendable {
    private let tape: RecorderStorage<Element>
    private let task: Task<Void, Never>?

    /// Creates a recorder of the values that you pass to ``record(_:)``.
    ///
    /// - Parameter executor: An executor that a read runs while it waits, so that the source of the values can proceed;
    ///   nil if the source runs by itself.
    public init(running executor: ManualExecutor? = nil) {
        tape = RecorderStorage(executor: executor)
        task = nil
    }

    /// Creates a recorder of a sequence, which begins at once.
    ///
    /// - Parameters:
    ///   - sequence: The sequence, iterated in a task of the recorder.
    ///   - executor: The executor of that task, which a read runs while it waits; nil for the global executor. Pass the
    ///     executor of a ``TestStore`` to record values of its effects.
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

    /// Records a value. You can call this from any thread.
    public func record(_ element: Element) { tape.change { $0.record(element) } }

    /// Ends the recording. Values recorded afterwards are dropped.
    public func finish() { tape.change { $0.end(nil) } }

    /// All values so far, read or not.
    ///
    /// - Complexity: O(1). While you keep the array, recording the next value copies it, in O(*n*).
    public var elements: [Element] { tape.read { $0.elements } }

    /// Whether the recorded sequence has ended.
    public var hasEnded: Bool { tape.read { $0.hasEnded } }

    /// The error that ended the sequence, if any.
    public var failure: (any Error)? { tape.read { $0.failure } }

    /// Reads the next value, and waits for it if it has not come yet.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait, in real time.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The value.
    /// - Throws: A ``RecorderError`` if no value comes.
    public func next(timeout: Duration = .seconds(1), isolation: isolated (any Actor)? = #isolation)
        async throws(RecorderError) -> Element
    {
        try await values(1, timeout: timeout)[0]
    }

    /// Reads the next values, and waits for those that have not come yet.
    ///
    /// - Parameters:
    ///   - count: The number of values.
    ///   - timeout: The longest wait, in real time.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The values.
    /// - Throws: A ``RecorderError`` if fewer values come; then none is read.
    /// - Complexity: O(n), where n is `count`.
    public func values(
        _ count: Int,
        timeout: Duration = .seconds(1),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(RecorderError) -> [Element] {
        var values: [Element]?
        // The check itself reads: several tasks can wait, and only one of them gets the values.
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

    /// Waits for the end of the recorded sequence, and reads all values until then.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait, in real time.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The values.
    /// - Throws: A ``RecorderError`` if the sequence does not end; then none is read.
    /// - Complexity: O(n), where n is the number of unread values.
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

    /// Reads the values that have come, for an expectation.
    func read(upTo count: Int, _ timeout: Duration, isolation: isolated (any Actor)? = #isolation) async -> [Element] {
        var values: [Element]?
        _ = await tape.wait(atMost: timeout) { tape in
            if tape.unread >= count { values = tape.read(count) }
            return values != nil || tape.hasEnded
        }
        return values ?? tape.changeQuietly { $0.read(count) }
    }
}

/// The tape under its lock, for the recording task, which does not retain the recorder.
final class RecorderStorage<Element: Sendable>: Sendable {
    private let tape = LockedValue(RecorderTape<Element>())
    private let executor: ManualExecutor?
    private let changes: EventCounter

    init(executor: ManualExecutor?) {
        self.executor = executor
        changes = executor?.changes ?? EventCounter()
    }

    func read<Result>(_ body: (RecorderTape<Element>) -> Result) -> Result { tape.withLock { body($0) } }

    /// Changes the tape, and resumes waiting reads.
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

/// The reason why a ``Recorder`` has no further value.
public enum RecorderError: Error, Sendable, Equatable {
    /// No value has come within the time allowed.
    case timedOut
    /// The recorded sequence has ended.
    case ended
    /// The waiting task was cancelled.
    case cancelled
}

extension RecorderError: CustomStringConvertible {
    /// The reason why there is no further value.
    public var description: String {
        switch self {
        case .timedOut: "No further value has come within the time allowed."
        case .ended: "The recorded sequence has ended, so no further value will come."
        case .cancelled: "The task was cancelled while it waited."
        }
    }
}

/// The values of a ``Recorder``, and the position up to which a test has read them. A plain value.
struct RecorderTape<Element> {
    private(set) var elements: [Element] = []
    /// The number of values that have been read.
    private var position = 0
    private(set) var failure: (any Error)?
    private(set) var hasEnded = false

    /// The number of values that have not been read.
    var unread: Int { elements.count - position }

    mutating func record(_ element: Element) {
        if !hasEnded { elements.append(element) }
    }

    mutating func end(_ failure: (any Error)?) {
        guard !hasEnded else { return }
        hasEnded = true
        self.failure = failure
    }

    /// Reads the next elements.
    ///
    /// - Returns: The given number of elements, or as many as there are.
    mutating func read(_ count: Int) -> [Element] {
        let rest = elements[position...].prefix(count)
        position += rest.count
        return Array(rest)
    }
}
