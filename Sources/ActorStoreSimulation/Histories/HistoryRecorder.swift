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
/// The processes share nothing but a counter, so that recording hides as few races as can be.
public final class HistoryRecorder<Operation: Sendable, Response: Sendable>: Sendable {
    private let clock = LogicalClock()
    private let processes = HistoryList<HistoryProcess<Operation, Response>>()

    /// Creates a recorder of nothing yet.
    public init() {}

    /// Makes a process, which does one thing after the other.
    ///
    /// - Parameter number: Its name in the history. One whose operation failed so that nobody knows whether it took
    ///   effect must not go on; another one with a number of its own can.
    public func process(_ number: Int) -> HistoryProcess<Operation, Response> {
        let process = HistoryProcess<Operation, Response>(number: number, clock: clock)
        processes.append(process)
        return process
    }

    /// What has been recorded up to now.
    public var history: History<Operation, Response> { History(processes.elements.flatMap(\.operations)) }
}

/// Numbers things that happen, one after the other.
final class LogicalClock: Sendable {
    private let time = Atomic<UInt64>(0)

    func tick() -> UInt64 { time.add(1, ordering: .sequentiallyConsistent).newValue }
}

/// A list that grows.
struct HistoryList<Element: Sendable>: Sendable {
    private let list = LockedValue<[Element]>([])

    var elements: [Element] { list.withLock { $0 } }

    /// - Returns: the place of the new element.
    @discardableResult
    func append(_ element: Element) -> Int {
        list.withLock { list in
            list.append(element)
            return list.count - 1
        }
    }

    func change(_ place: Int, _ change: (inout Element) -> Void) { list.withLock { change(&$0[place]) } }
}
