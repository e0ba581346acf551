import ActorStore
import Synchronization

/// Records a history, on as many threads as there are processes.
///
/// ```swift
/// let recorder = HistoryRecorder<Register.Operation, Int>()
/// let process = recorder.process(0)
/// let ticket = process.begin(.read)
/// process.end(ticket, with: register.value)
/// ```
///
/// The processes share only a counter, so that recording hides as few races as possible.
public final class HistoryRecorder<Operation: Sendable, Response: Sendable>: Sendable {
    private let clock = LogicalClock()
    private let processes = HistoryList<HistoryProcess<Operation, Response>>()

    /// Creates a recorder without operations.
    public init() {}

    /// Creates a process, which runs one operation after the other.
    ///
    /// - Parameter number: The number of the process in the history. If an operation fails and may or may not have
    ///   taken effect, its process must not continue; create another one with its own number.
    /// - Returns: A process.
    public func process(_ number: Int) -> HistoryProcess<Operation, Response> {
        let process = HistoryProcess<Operation, Response>(number: number, clock: clock)
        processes.append(process)
        return process
    }

    /// The operations recorded so far.
    ///
    /// - Complexity: O(n log n)
    public var history: History<Operation, Response> { History(processes.elements.flatMap(\.operations)) }
}

/// Numbers events in the order in which they happen.
final class LogicalClock: Sendable {
    private let time = Atomic<UInt64>(0)

    func tick() -> UInt64 { time.add(1, ordering: .sequentiallyConsistent).newValue }
}

/// A growing list.
struct HistoryList<Element: Sendable>: Sendable {
    private let list = LockedValue<[Element]>([])

    var elements: [Element] { list.withLock { $0 } }

    /// Adds an element.
    ///
    /// - Returns: The index of the new element.
    @discardableResult
    func append(_ element: Element) -> Int {
        list.withLock { list in
            list.append(element)
            return list.count - 1
        }
    }

    func change(_ place: Int, _ change: (inout Element) -> Void) { list.withLock { change(&$0[place]) } }
}
