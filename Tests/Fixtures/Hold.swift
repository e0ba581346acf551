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

/// A one-time event that any number of tasks can wait for.
final class Signal: Sendable {
    private let state = LockedValue((hasFired: false, waiting: [AsyncStream<Void>.Continuation]()))

    func fire() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for task in waiting { task.finish() }
    }

    /// Returns when it has happened, or when the calling task is cancelled.
    func wait() async {
        // One stream for each task: the cancellation of a task that waits ends its stream for all.
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let hasFired = state.withLock { state in
            if !state.hasFired { state.waiting.append(continuation) }
            return state.hasFired
        }
        if !hasFired { for await _ in stream {} }
    }
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
