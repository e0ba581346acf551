import ActorStore
import Foundation
import Testing

@testable import TestFixtures

/// Ending an object runs no reducer and no observer of others on the calling thread.
@Suite("Ending and beginning things while the store is busy", .timeLimit(.minutes(10)))
struct HousekeepingTests {
    private enum Action: Sendable { case hold(Hold), step }

    /// A store whose turn was left with messages in the mailbox, so that the next caller could process them. Its
    /// background task does not run.
    private struct Busy {
        let executor = PatientExecutor()
        let threads = Collector<UInt>()
        let store: Store<Int, Action>

        init() {
            let threads = threads
            store = Store(
                initialState: 0,
                reducer: Reduce<Int, Action> { count, action in
                    if case .hold(let hold) = action { hold.enter() }
                    threads.append(CurrentThread.identity)
                    count += 1
                    return .none
                },
                configuration: StoreConfiguration(executor: executor)
            )
        }

        /// Leaves 36 messages behind without a turn.
        func leaveMessages() async {
            let hold = Hold()
            let sender = Signal()
            onThread {
                store.send(.hold(hold))
                sender.fire()
            }
            await hold.waitUntilEntered()
            for _ in 0..<100 { store.send(.step) }
            hold.release()
            await sender.wait()
        }
    }

    private func expectNothingIsRun(by body: @escaping @Sendable () -> Void, in busy: Busy) async {
        await busy.leaveMessages()
        let before = busy.threads.elements.count
        #expect(before < 101)
        let done = Signal()
        onThread {
            body()
            done.fire()
        }
        await done.wait()
        #expect(busy.threads.elements.count == before)
        busy.executor.runAll()
        #expect(busy.threads.elements.count == 101)
    }

    @Test("Cancelling an observation processes no messages of others")
    func observation() async {
        let busy = Busy()
        let token = busy.store.observe(\.self) { _ in }
        await expectNothingIsRun(by: { token.cancel() }, in: busy)
    }

    @Test("Releasing an observation processes no messages of others")
    func releasedObservation() async {
        let busy = Busy()
        let tokens = Holder(busy.store.observe(\.self) { _ in })
        await expectNothingIsRun(by: { tokens.release() }, in: busy)
    }

    @Test("Releasing a sequence processes no messages of others")
    func sequence() async {
        let busy = Busy()
        let values = Holder(busy.store.values(of: \.self))
        await expectNothingIsRun(by: { values.release() }, in: busy)
    }

    @Test("Releasing a child processes no messages of others")
    func child() async {
        let busy = Busy()
        let child = Holder(
            busy.store.child(initialState: 0, reducer: Reduce { (count: inout Int, _: Action) in count += 1 })
        )
        await expectNothingIsRun(by: { child.release() }, in: busy)
    }

    @Test("Beginning an observation processes no messages of others")
    func beginning() async {
        let busy = Busy()
        let tokens = Collector<StoreObservation>()
        let store = busy.store
        await expectNothingIsRun(by: { tokens.append(store.observe(\.self) { _ in }) }, in: busy)
    }

    @Test("Beginning a shutdown processes no messages of others")
    func shutdown() async {
        let busy = Busy()
        let store = busy.store
        await expectNothingIsRun(by: { store.beginShutdown(drain: .finishEffects) }, in: busy)
    }

    @Test("Removing an interceptor processes no messages of others")
    func interceptor() async {
        let busy = Busy()
        let interception = busy.store.use(Interceptor("passing") { action, _, next in try next(action) })
        await expectNothingIsRun(by: { interception.remove() }, in: busy)
    }

    @Test("An observation can be cancelled under a lock that other observers take")
    func lock() async throws {
        let lock = NSLock()
        let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let kept = store.observe(\.self) { _ in lock.withLock {} }
        let isOver = Collector<Bool>()
        let senders = [Signal(), Signal()]
        for sender in senders {
            onThread {
                while isOver.elements.isEmpty { store.send(1) }
                sender.fire()
            }
        }
        let canceller = Signal()
        onThread {
            for _ in 0..<2_000 {
                let token = store.observe(.part(\.self).replay(.none)) { _ in }
                lock.withLock { token.cancel() }
            }
            canceller.fire()
        }
        await canceller.wait()
        isOver.append(true)
        for sender in senders { await sender.wait() }
        kept.cancel()
    }
}

/// Retains a value until it is released.
private final class Holder<Value: Sendable>: Sendable {
    private let value: LockedValue<Value?>

    init(_ value: Value) { self.value = LockedValue(value) }

    func release() {
        let released = value.withLock { value in
            defer { value = nil }
            return value
        }
        withExtendedLifetime(released) {}
    }
}
