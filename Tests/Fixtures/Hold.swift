import ActorStore
import Dispatch
import Foundation

/// Blocks a thread at a known point until the test releases it.
final class Hold: Sendable {
    private let entered = Signal()
    private let exit = DispatchSemaphore(value: 0)

    /// Called by the thread to block.
    func enter() {
        entered.fire()
        exit.wait()
    }

    func waitUntilEntered() async { await entered.wait() }

    func release() { exit.signal() }
}

/// A one-time event that tasks can wait for.
final class Signal: Sendable {
    private let stream = AsyncStream.makeStream(of: Void.self)

    func fire() { stream.continuation.finish() }

    /// Waits until it has happened. One task at a time.
    func wait() async { for await _ in stream.stream {} }
}

/// Runs `body` on its own thread, so that it may block.
func onThread(_ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread(body)
}

extension Store where State == Ledger.State, Action == Ledger.Action {
    /// Keeps the store busy in a reducer on another thread until the hold is released.
    nonisolated func holdUp() async -> Hold {
        let hold = Hold()
        onThread { self.send(.hold(hold)) }
        await hold.waitUntilEntered()
        return hold
    }
}
