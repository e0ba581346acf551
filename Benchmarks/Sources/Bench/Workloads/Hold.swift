import ActorStore
import Dispatch
import Foundation
import Synchronization

/// Holds the turn of a store, on its own thread, until it is released: its reducer calls ``wait()``.
final class Hold: Sendable {
    private let hasEntered = DispatchSemaphore(value: 0)
    private let isReleased = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)
    private let isOver = Atomic<Bool>(false)

    /// Called by the reducer.
    func wait() {
        hasEntered.signal()
        isReleased.wait()
    }

    /// Sends the action that makes the reducer wait, and returns as soon as it waits.
    func begin(_ send: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            send()
            hasEnded.signal()
        }
        hasEntered.wait()
    }

    /// Releases the turn, and returns when the thread that held it has finished with it. The second call does nothing.
    func end() {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        isReleased.signal()
        hasEnded.wait()
    }
}

/// An account whose reducer can be made to wait.
struct HeldAccount: Reducer, Sendable {
    enum Action: Sendable {
        case book(Int)
        case hold(Hold)
    }

    func reduce(into state: inout Account.State, action: Action) -> Effect<Action> {
        switch action {
        case .book(let amount):
            state.balance &+= amount
            state.bookings &+= 1
        case .hold(let hold): hold.wait()
        }
        return .none
    }
}
