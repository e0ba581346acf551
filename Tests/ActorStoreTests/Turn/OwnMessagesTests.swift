import ActorStore
import Foundation
import Testing

@testable import TestFixtures

/// A thread with another task than sending processes the messages that it has caused, and no others.
@Suite("A thread's own messages and others", .timeLimit(.minutes(10)))
struct OwnMessagesTests {
    /// A store that records the reducing threads, and whose background task does not run.
    private struct Watched {
        let executor = PatientExecutor()
        let threads = Collector<UInt>()
        let store: Store<Int, Int>

        init(mailbox: MailboxCapacity = .unbounded) {
            let threads = threads
            store = Store(
                initialState: 0,
                reducer: Reduce<Int, Int> { count, step in
                    threads.append(CurrentThread.identity)
                    count += 1
                    // A negative step is followed by another one.
                    return step < 0 ? .send(1) : .none
                },
                configuration: StoreConfiguration(mailbox: mailbox, executor: executor)
            )
        }
    }

    /// Runs a closure on its own thread.
    ///
    /// - Returns: The number of actions reduced on that thread.
    private func reduced(by body: @escaping @Sendable () -> Void, in watched: Watched) async -> Int {
        // A thread can have the number of an ended one.
        let before = watched.threads.elements.count
        let thread = Collector<UInt>()
        let done = Signal()
        onThread {
            thread.append(CurrentThread.identity)
            body()
            done.fire()
        }
        await done.wait()
        return watched.threads.elements.dropFirst(before).count { $0 == thread.elements[0] }
    }

    /// Observes the store, on a thread that runs a closure within the first call of the observer.
    ///
    /// - Returns: The number of actions reduced on that thread.
    private func reduced(whileObserving watched: Watched, _ body: @escaping @Sendable () -> Void) async -> Int {
        let tokens = Collector<StoreObservation>()
        let store = watched.store
        return await reduced(
            by: { tokens.append(store.observe(\.self) { value in if value == 0 { body() } }) },
            in: watched
        )
    }

    @Test("Messages left by a suspended turn are not processed by the thread that makes room")
    func parked() async throws {
        let watched = Watched()
        let store = watched.store
        let values = LockedValue<StoreSequence<Int>?>(
            store.values(of: \.self, buffering: .bounded(2, onOverflow: .suspendStore))
        )
        // It fills the buffer, and later actions wait.
        #expect(await reduced(by: { store.send(-1) }, in: watched) == 1)
        let count = await reduced(by: { values.withLock { $0 = nil } }, in: watched)
        #expect(count == 0)
        watched.executor.runAll()
        #expect(store.snapshot == 2)
    }

    @Test("A thread whose message was refused processes no message of another thread")
    func refused() async throws {
        let watched = Watched(mailbox: .bounded(1, whenFull: .reject))
        let store = watched.store
        let hold = Hold()
        let outcomes = Collector<SendOutcome>()
        async let count = reduced(whileObserving: watched) {
            hold.enter()
            outcomes.append(store.send(1))
        }
        await hold.waitUntilEntered()
        #expect(store.send(1) == .accepted)
        hold.release()
        #expect(await count == 0)
        #expect(outcomes.elements == [.refused(.overloaded)])
        watched.executor.runAll()
        #expect(store.snapshot == 1)
    }

    @Test("A thread whose message was displaced does not process the message in its place")
    func displaced() async throws {
        let watched = Watched(mailbox: .bounded(1, whenFull: .dropOldest))
        let store = watched.store
        let hold = Hold()
        async let count = reduced(whileObserving: watched) {
            store.send(1)
            hold.enter()
        }
        await hold.waitUntilEntered()
        #expect(store.send(1) == .acceptedDroppingOldest)
        hold.release()
        #expect(await count == 0)
        watched.executor.runAll()
        #expect(store.snapshot == 1 && store.statistics.droppedActions == 1)
    }
}
