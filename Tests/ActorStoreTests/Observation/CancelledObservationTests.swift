import ActorStore
import ActorStoreViews
import Foundation
import Testing

@testable import TestFixtures

@Suite("Cancelling observations with waiting closures", .timeLimit(.minutes(10)))
struct CancelledObservationTests {
    private final class Screen: PropsConsumer {
        let body: @Sendable () async -> Void

        init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

        func update(_ props: Int) async { await body() }
    }

    enum Kind: CaseIterable, Sendable { case part, actions, connection }

    /// Observes with a closure that waits until it is cancelled.
    private func observe(
        _ kind: Kind,
        _ store: Store<Ledger.State, Ledger.Action>,
        _ screen: Screen
    ) -> @Sendable () -> Void {
        switch kind {
        case .part:
            let token = store.values(of: \.total).observe(on: globalConcurrentExecutor) { _ in await screen.body() }
            return { token.cancel() }
        case .actions:
            let token = store.actions.observe { _, _ in await screen.body() }
            return { token.cancel() }
        case .connection:
            let connection = store.connect(screen, state: \.total)
            return { connection.cancel() }
        }
    }

    @Test(
        "Cancellation handlers of an observation's task run in the background, and not on the cancelling thread",
        arguments: Kind.allCases
    )
    func handlers(of kind: Kind) async {
        let store = Ledger.store()
        let (begun, ended, isOnCaller) = (Signal(), Signal(), LockedValue<[Bool]>([]))
        let caller = LockedValue<Thread?>(nil)
        // Waits for the handler, and not for the flag of the task, which comes before that: a handler that is removed
        // by then is not called.
        let isCancelled = Latch()
        let screen = Screen {
            await withTaskCancellationHandler {
                begun.fire()
                await isCancelled.wait()
                ended.fire()
            } onCancel: {
                let isOwn = caller.withLock { $0 === Thread.current }
                isOnCaller.withLock { $0.append(isOwn) }
                isCancelled.open()
            }
        }
        let cancel = observe(kind, store, screen)
        store.send(.add(1))
        await begun.wait()
        onThread {
            caller.withLock { $0 = Thread.current }
            cancel()
        }
        await ended.wait()
        #expect(isOnCaller.withLock { $0 } == [false])
    }

    @Test("Cancelling an observation ends a closure that blocks the only thread of its executor until then")
    func busyExecutor() async {
        let store = Ledger.store()
        let (begun, ended) = (Signal(), Signal())
        let token = store.values(of: \.total).observe(on: OneThreadExecutor()) { (_: Int) async in
            begun.fire()
            while !Task.isCancelled { usleep(1_000) }
            ended.fire()
        }
        await begun.wait()
        token.cancel()
        await ended.wait()
    }

    @Test("Cancelling an observation uses no executor when the observation has ended before")
    func ended() async {
        let executor = RecordingExecutor()
        let store = Ledger.store(configuration: StoreConfiguration(executor: executor))
        let token = store.values(of: \.total).observe(on: executor) { (_: Int) async in }
        await store.shutdown(drain: .finishEffects)
        await until { store.statistics.observers == 0 }
        await settle(executor)
        let jobs = executor.jobs.elements.count
        token.cancel()
        await settle(executor)
        #expect(executor.jobs.elements.count == jobs)
    }

    /// Waits until nothing was enqueued on an executor for a while.
    private func settle(_ executor: RecordingExecutor) async {
        var last = -1
        while last != executor.jobs.elements.count {
            last = executor.jobs.elements.count
            try? await Task.sleep(for: .milliseconds(50))
        }
    }
}
