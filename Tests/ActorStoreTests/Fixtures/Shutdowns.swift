import Testing

@testable import ActorStore
@testable import TestFixtures

/// Begun effects that wait for the permission to shut down what they end, all at the same time.
struct Shutdowns {
    let mayBegin = Latch()
    let wereCancelled = Collector<Bool>()

    /// An effect that blocks a shutdown until it is cancelled.
    let endless = Ledger.Action.start(.run { _ in try await Task.sleep(for: .seconds(3_600)) })

    func callAsFunction(_ shutDown: @escaping @Sendable () async -> Void) -> Ledger.Action {
        .start(
            .run { [mayBegin, wereCancelled] _ in
                await mayBegin.wait()
                await shutDown()
                // A cancellation would happen in the background.
                try? await Task.sleep(for: .milliseconds(20))
                wereCancelled.append(Task.isCancelled)
            }
        )
    }

    /// Lets them begin, and returns when this number of them are shutting down a store, or stores below it.
    func begin(_ count: Int, of store: Store<Ledger.State, Ledger.Action>) async {
        mayBegin.open()
        await until { await store.root.perform { store.root.shutdownsByEffects.count } == count }
    }
}
