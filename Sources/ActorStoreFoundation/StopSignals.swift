import Dispatch
public import Foundation
import Synchronization

/// An asynchronous sequence of the signals that ask a process to stop, such as Ctrl-C and those of service managers.
///
/// ```swift
/// let signals = StopSignals()  // Before the store starts its work.
/// for await _ in signals { break }
/// let report = await store.shutdown(drain: .finishEffects, within: .seconds(25))
/// ```
///
/// The sequence receives signals from its creation on, even before the iteration begins. Each signal is received once.
/// A signal that no sequence waits for has its default effect, so that a second Ctrl-C ends a process that hangs. The
/// sequence ends when the iterating task is cancelled, or when the last copy of the sequence and its iterator are
/// released.
///
/// Several sequences can wait for the same signal; each of them receives it. Two loops over one sequence share its
/// signals. From the first sequence on, the process ignores the signal in all other respects. Programs that it starts
/// can inherit that, and then ignore the signal until they install a handler. Do not install another handler for a
/// signal that a sequence has waited for: the sequence's handler stays until the process ends.
public struct StopSignals: AsyncSequence, Sendable {
    /// The number of a signal, such as `SIGTERM`.
    public typealias Element = Int32
    /// A sequence of signals does not fail.
    public typealias Failure = Never

    private let numbers: AsyncStream<Int32>

    /// Creates a sequence that receives signals from now on.
    ///
    /// - Parameter numbers: The numbers of the signals. They must be signals that a process can handle, so not
    ///   `SIGKILL`.
    public init(_ numbers: [Int32] = [SIGINT, SIGTERM]) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let ends = Set(numbers).map { number in
            SignalRelay.relay(of: number).listen { continuation.yield(number) }
        }
        continuation.onTermination = { _ in for end in ends { end() } }
        self.numbers = stream
    }

    /// Creates an iterator over the signals.
    public func makeAsyncIterator() -> AsyncStream<Int32>.Iterator { numbers.makeAsyncIterator() }
}

/// The only handler of a signal, which notifies each listener once. It stays until the process ends: replacing a source
/// of Dispatch loses signals, because its handler is removed later, and is not installed twice.
private final class SignalRelay: Sendable {
    private struct Listeners {
        var bodies: [UInt64: @Sendable () -> Void] = [:]
        var last: UInt64 = 0
    }

    private static let relays = Mutex<[Int32: SignalRelay]>([:])

    static func relay(of number: Int32) -> SignalRelay {
        relays.withLock { relays in
            if let relay = relays[number] { return relay }
            let relay = SignalRelay(number)
            relays[number] = relay
            return relay
        }
    }

    private let number: Int32
    private let listeners = Mutex(Listeners())
    private let source: SignalSource

    private init(_ number: Int32) {
        guard number > 0 && number < 65 else {
            fatalError("StopSignals cannot wait for \(number), which is not a signal. Pass SIGTERM or another signal.")
        }
        self.number = number
        // Otherwise the signal ends the process before the source receives it.
        signal(number, SIG_IGN)
        let queue = DispatchQueue(label: "ActorStoreFoundation.signals")
        source = SignalSource(source: DispatchSource.makeSignalSource(signal: number, queue: queue))
        source.source.setEventHandler { [self] in deliver() }
        // Until the source is registered, signals are lost.
        let registered = DispatchSemaphore(value: 0)
        source.source.setRegistrationHandler { registered.signal() }
        source.source.activate()
        registered.wait()
    }

    /// Adds a listener, and returns a closure that removes it.
    func listen(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let key = listeners.withLock { listeners in
            listeners.last += 1
            listeners.bodies[listeners.last] = body
            return listeners.last
        }
        return { [self] in listeners.withLock { $0.bodies[key] = nil } }
    }

    private func deliver() {
        let bodies = listeners.withLock { listeners in
            defer { listeners.bodies = [:] }
            return listeners.bodies
        }
        for body in bodies.values { body() }
        if bodies.isEmpty { performDefaultAction() }
    }

    /// Performs the default action of the signal.
    private func performDefaultAction() {
        // The default action of these is to do nothing.
        if [SIGCHLD, SIGCONT, SIGURG, SIGWINCH].contains(number) { return }
        signal(number, SIG_DFL)
        // On this thread, and unblocked: a process can be started with a mask that blocks the signal in all of its
        // threads.
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, number)
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        raise(number)
        // A signal that only stops the process must be received again after the process continues.
        signal(number, SIG_IGN)
    }
}

private struct SignalSource: @unchecked Sendable {
    // Sound: a dispatch source may be used from any thread.
    let source: any DispatchSourceSignal
}
