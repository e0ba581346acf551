import Dispatch
public import Foundation

/// The signals that ask a process to stop, such as Ctrl-C, and what service managers send.
///
/// ```swift
/// for await _ in StopSignals() { break }
/// let report = await store.shutdown(drain: .finishEffects, within: .seconds(25))
/// ```
///
/// The signals are noted from the moment at which the sequence is created, also while nobody iterates. Each signal is noted
/// once: from then on it does what it does to any process, so that a second Ctrl-C ends a process that hangs. The same holds
/// for all of the signals when the last copy of the sequence and its iterator are released, and when the iterating task is
/// cancelled.
///
/// For one loop: two that iterate share the signals. A process has one action for each signal, so create one sequence for a
/// signal, and do not install another handler for it meanwhile.
public struct StopSignals: AsyncSequence, Sendable {
    /// The number of a signal, such as `SIGTERM`.
    public typealias Element = Int32
    /// A sequence of signals does not fail.
    public typealias Failure = Never

    private let numbers: AsyncStream<Int32>

    /// Listens for signals from now on.
    ///
    /// - Parameter numbers: The numbers of the signals. They must be signals that a process can handle, so not `SIGKILL`.
    public init(_ numbers: [Int32] = [SIGINT, SIGTERM]) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let listeners = Set(numbers).map { number in SignalListener(number) { continuation.yield(number) } }
        // It keeps the listeners, too.
        continuation.onTermination = { _ in for listener in listeners { listener.cancel() } }
        self.numbers = stream
    }

    /// Makes an iterator over the signals.
    public func makeAsyncIterator() -> AsyncStream<Int32>.Iterator { numbers.makeAsyncIterator() }
}

/// Listens for one signal, once.
private final class SignalListener: @unchecked Sendable {
    // Sound: constant, and a dispatch source may be cancelled by any thread, any number of times.
    private let source: any DispatchSourceSignal

    init(_ number: Int32, _ body: @escaping @Sendable () -> Void) {
        // Otherwise the signal ends the process before the source sees it.
        signal(number, SIG_IGN)
        let queue = DispatchQueue(label: "ActorStoreFoundation.signals")
        source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setCancelHandler { signal(number, SIG_DFL) }
        // The handlers are released when the source is cancelled.
        source.setEventHandler { [self] in
            body()
            cancel()
        }
        // Until the source is registered, a signal is lost.
        let registered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { registered.signal() }
        source.activate()
        registered.wait()
    }

    func cancel() { source.cancel() }
}
