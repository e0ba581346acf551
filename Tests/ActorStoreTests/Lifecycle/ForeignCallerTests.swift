import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Shutdowns requested by effects of other stores", .timeLimit(.minutes(10)))
struct ForeignCallerTests {
    private let root = Ledger.store()
    private let other = Ledger.store()
    private let isReleased = Latch()
    private let mayEnd = Latch()
    private let wasCancelled = Signal()

    /// Delays the end of its store, also when it is cancelled.
    private var endless: Effect<Ledger.Action> { .run { [isReleased] _ in await isReleased.wait() } }

    /// Waits for an event, and then until it is cancelled.
    private func untilCancelled(after body: @escaping @Sendable () async throws -> Void) -> Ledger.Action {
        .start(
            .run { [wasCancelled] _ in
                try? await body()
                try? await Task.sleep(for: .seconds(3_600))
                wasCancelled.fire()
            }
        )
    }

    /// Ends what keeps a shutdown from waiting for an effect, and expects that the shutdown then cancels it.
    private func expectCancellation() async {
        await until {
            await root.root.perform { root.root.effectJobs.contains(where: \.isSpared) }
        }
        mayEnd.open()
        await wasCancelled.wait()
        isReleased.open()
        for store in [root, other] { await store.shutdown(drain: .finishEffects) }
    }

    /// The store of the effect that shuts another one down.
    enum Place: CaseIterable {
        case otherTree, sibling, parent, own
    }

    @Test(
        "An effect is cancelled after the end of the effect that shuts its store down and that it awaited",
        arguments: Place.allCases,
        [false, true]
    )
    func callerIsOver(place: Place, isAwaited: Bool) async throws {
        let (store, sibling) = (Ledger.child(of: root), Ledger.child(of: root))
        try await store.dispatch(.start(endless))
        let shutDown: @Sendable () async -> Void = { [mayEnd] in
            if isAwaited {
                // In its own task, which continues after the effect's end.
                Task { await store.shutdown(drain: .cancelEffects) }
            } else {
                store.beginShutdown(drain: .cancelEffects)
            }
            await mayEnd.wait()
        }
        try await store.dispatch(
            untilCancelled { [root, other] in
                switch place {
                case .otherTree: try await other.dispatch(Work { _ in await shutDown() })
                case .sibling: try await sibling.dispatch(Work { _ in await shutDown() })
                case .parent: try await root.dispatch(Work { _ in await shutDown() })
                case .own: try await store.dispatch(Work { _ in await shutDown() })
                }
            }
        )
        await expectCancellation()
    }

    @Test(
        "An effect is cancelled after the end of the effect through which it awaited the one that shuts its store down"
    )
    func linkIsOver() async throws {
        let (store, awaited) = (Ledger.child(of: root), Ledger.child(of: root))
        try await store.dispatch(.start(endless))
        let mayShutDown = Latch()
        let caller = try await other.dispatch(
            .start(
                .run { _ in
                    await mayShutDown.wait()
                    await store.shutdown(drain: .cancelEffects)
                }
            )
        )
        let link = Effect<Ledger.Action>.run { [mayEnd] _ in
            Task { try await caller.finish() }
            await mayEnd.wait()
        }
        let linked = try await other.dispatch(.start(.merge([link, endless])))
        let waiting = try await awaited.dispatch(.start(.run { _ in try await linked.finish() }))
        // Without it the shutdown would end at once, because it cannot wait for effects that wait for its caller.
        try await awaited.dispatch(.start(.run { _ in try await Task.sleep(for: .seconds(3_600)) }))
        try await store.dispatch(untilCancelled { await awaited.shutdown(drain: .finishEffects) })
        await until {
            await root.root.perform {
                guard !root.root.shutdownsByEffects.isEmpty,
                    let effect = root.root.effectJobs.first(where: { $0.tracker === waiting.tracker })
                else { return false }
                return linked.tracker!.effectsAwaitingEnd.contains { $0 === effect }
                    && !caller.tracker!.effectsAwaitingEnd.isEmpty
            }
        }
        mayShutDown.open()
        await expectCancellation()
    }
}
