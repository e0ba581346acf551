import ActorStoreGroups
import Testing

@testable import ActorStore
@testable import TestFixtures

/// The effects cancelled by a cancelled effect that waits for the end of their store.
@Suite("Effects awaited by cancelled effects", .timeLimit(.minutes(10)))
struct AwaitedEffectsTests {
    /// An effect that fires when it is cancelled, and not before a first step.
    private func untilCancelled(
        _ wasCancelled: Signal,
        _ first: @escaping @Sendable () async -> Void = {}
    ) -> Ledger.Action {
        .start(
            .run { _ in
                await first()
                try? await Task.sleep(for: .seconds(3_600))
                wasCancelled.fire()
            }
        )
    }

    @Test(
        "An effect that began another store's shutdown is cancelled by cancelled effects that wait for it",
        arguments: [false, true]
    )
    func beginnerElsewhere(areSiblings: Bool) async throws {
        let root = Ledger.store()
        let child = { Ledger.child(of: root) }
        let (isThere, wasCancelled) = (Signal(), Signal())
        func check<First, Second>(_ first: Store<First, Ledger.Action>, _ second: Store<Second, Ledger.Action>)
            async throws
        {
            let waiting = try await first.dispatch(
                .start(
                    .run { _ in
                        isThere.fire()
                        try? await Task.sleep(for: .seconds(3_600))
                        await second.shutdown(drain: .finishEffects)
                    }
                )
            )
            await isThere.wait()
            try await second.dispatch(
                untilCancelled(wasCancelled) { first.beginShutdown(drain: .cancelEffects) }
            )
            try? await waiting.finish()
            await wasCancelled.wait()
        }
        if areSiblings { try await check(child(), child()) } else { try await check(Ledger.store(), Ledger.store()) }
        await root.shutdown(drain: .finishEffects)
    }

    @Test("An effect that shuts down another store is cancelled by effects that the end of their own store cancels")
    func somethingElse() async throws {
        let root = Ledger.store()
        let child = { Ledger.child(of: root) }
        let (own, awaited, other) = (child(), child(), child())
        let (isThere, isAsked, wasCancelled) = (Signal(), Signal(), Signal())
        try await other.dispatch(untilCancelled(wasCancelled))
        try await awaited.dispatch(
            .start(
                .run { _ in
                    isThere.fire()
                    await other.shutdown(drain: .finishEffects)
                }
            )
        )
        await isThere.wait()
        let ending = Ledger.Action.start(
            .run { [weak own] _ in
                await isAsked.wait()
                await own?.shutdown(drain: .finishEffects)
            }
        )
        let heldUp = try await own.dispatch(
            .start(
                .run { [weak own] _ in
                    let task = try await own?.dispatch(ending)
                    async let end: Void = awaited.run()
                    isAsked.fire()
                    try? await task?.finish()
                    try? await end
                }
            )
        )
        await wasCancelled.wait()
        try? await heldUp.finish()
        await root.shutdown(drain: .finishEffects)
        #expect(root.statistics.runningEffects == 0)
    }

    @Test(
        "An effect that shuts its group down is not cancelled by one of another store, so that the others finish",
        arguments: [false, true],
        [false, true]
    )
    func memberOfGroup(runs: Bool, isCancelledByShutdown: Bool) async throws {
        let group = StoreGroup { (_: Int) in Ledger.store() }
        let (mayFinish, isWaiting, shutdowns) = (Latch(), Signal(), Shutdowns())
        try await group.dispatch(
            .start(
                .run { _ in
                    await mayFinish.wait()
                    shutdowns.wereCancelled.append(Task.isCancelled)
                }
            ),
            to: 2
        )
        let ending = try await group.dispatch(
            shutdowns { [weak group] in await group?.shutdown(drain: .finishEffects) },
            to: 0
        )
        let first = group[0]
        let waiting = try await group.dispatch(
            .start(
                .run { _ in
                    isWaiting.fire()
                    if runs { try await first.run() } else { await first.shutdown(drain: .finishEffects) }
                }
            ),
            to: 1
        )
        await isWaiting.wait()
        shutdowns.mayBegin.open()
        await until {
            await first.root.perform { first.root.ownShutdownsByEffects.waiters.contains { $0.group != nil } }
        }
        if isCancelledByShutdown { group[1].beginShutdown(drain: .cancelEffects) } else { waiting.cancel() }
        try? await waiting.finish()
        mayFinish.open()
        try? await ending.finish()
        #expect(shutdowns.wereCancelled.elements == [false, false])
    }

    @Test(
        "A cancelled task of a cancelled effect passes the cancellation on to the effects of the awaited store",
        arguments: [false, true]
    )
    func taskOfItsOwn(runs: Bool) async throws {
        let (store, other) = (Ledger.store(), Ledger.store())
        // The deadline is missed on purpose.
        let errors = store.errors
        defer { withExtendedLifetime(errors) {} }
        let (isThere, wasCancelled) = (Signal(), Signal())
        let waiting = try await store.dispatch(
            .start(
                .run { _ in
                    isThere.fire()
                    try? await Task.sleep(for: .seconds(3_600))
                    let task = Task {
                        if runs { try? await other.run() } else { await other.shutdown(drain: .finishEffects) }
                    }
                    task.cancel()
                    await task.value
                }
            )
        )
        await isThere.wait()
        try await other.dispatch(
            untilCancelled(wasCancelled) {
                await store.shutdown(drain: .cancelEffects, within: .milliseconds(1))
            }
        )
        try? await waiting.finish()
        await wasCancelled.wait()
    }

    @Test(
        "An effect that shut down a cancelled effect's store is cancelled in time, and not reported as late",
        arguments: [false, true]
    )
    func inTime(areSiblings: Bool) async throws {
        let root = Ledger.store()
        // The deadline is missed on purpose.
        let errors = root.errors
        defer { withExtendedLifetime(errors) {} }
        let child = { Ledger.child(of: root) }
        let (isThere, wasCancelled, reports) = (Signal(), Signal(), Collector<ShutdownReport>())
        func check<First, Second>(_ first: Store<First, Ledger.Action>, _ second: Store<Second, Ledger.Action>)
            async throws
        {
            let errors = first.errors
            defer { withExtendedLifetime(errors) {} }
            try await second.dispatch(
                untilCancelled(wasCancelled) {
                    await isThere.wait()
                    // Stores of one tree detect that the other effect waits for this one.
                    if areSiblings {
                        await first.shutdown(drain: .cancelEffects)
                    } else {
                        await first.shutdown(drain: .cancelEffects, within: .milliseconds(1))
                    }
                }
            )
            let waiting = try await first.dispatch(
                .start(
                    .run { _ in
                        isThere.fire()
                        try? await Task.sleep(for: .seconds(3_600))
                        reports.append(
                            await second.shutdown(drain: .finishEffects, within: .seconds(5), clock: ManualClock())
                        )
                    }
                )
            )
            try? await waiting.finish()
            await wasCancelled.wait()
        }
        if areSiblings { try await check(child(), child()) } else { try await check(Ledger.store(), Ledger.store()) }
        #expect(reports.elements.map(\.isClean) == [true])
        await root.shutdown(drain: .finishEffects)
    }

    @Test(
        "An effect that shuts its group down is not awaited by another store's effect, although its own store has ended"
    )
    func endedMemberOfGroup() async throws {
        let group = StoreGroup { (_: Int) in Ledger.store() }
        let (isThere, shutdowns) = (Signal(), Shutdowns())
        let first = group[0]
        let waiting = try await group.dispatch(
            .start(
                .run { _ in
                    isThere.fire()
                    try? await Task.sleep(for: .seconds(3_600))
                    await until { first.root.phase.loadAcquiring() == .ended }
                    await first.shutdown(drain: .finishEffects)
                }
            ),
            to: 1
        )
        let ending = try await group.dispatch(
            shutdowns { [weak group] in await group?.shutdown(drain: .cancelEffects) },
            to: 0
        )
        await isThere.wait()
        shutdowns.mayBegin.open()
        for task in [waiting, ending] { try? await task.finish() }
        #expect(shutdowns.wereCancelled.elements == [false])
    }

    @Test(
        "An effect that shuts down another store is cancelled by a shutdown that starts to wait for it",
        arguments: [false, true]
    )
    func awaitedLater(givesUp: Bool) async throws {
        let root = Ledger.store()
        let child = { Ledger.child(of: root) }
        let (store, other) = (child(), child())
        let (mayEnd, isCancelled, mayGiveUp, wasCancelled) = (Signal(), Signal(), Signal(), Signal())
        // Delays the end of the store.
        let (isCleanedUp, cleaning) = (Latch(), Signal())
        try await store.dispatch(untilCancelled(cleaning) {})
        try await store.dispatch(
            .start(
                .run { _ in
                    await cleaning.wait()
                    isCancelled.fire()
                    await isCleanedUp.wait()
                }
            )
        )
        // Waits for the effect that shuts the store down, or is that effect itself.
        let ending = Ledger.Action.start(
            .run { [weak store] _ in
                await mayEnd.wait()
                await store?.shutdown(drain: .cancelEffects)
            }
        )
        let task = givesUp ? try await store.dispatch(ending) : nil
        let heldUp = try await other.dispatch(
            .start(
                .run { [weak store] _ in
                    let waiting = Task {
                        if let task { return (try? await task.finish()) ?? () }
                        await mayEnd.wait()
                        await store?.shutdown(drain: .cancelEffects)
                    }
                    await mayGiveUp.wait()
                    guard givesUp else { return }
                    waiting.cancel()
                    await waiting.value
                    try? await Task.sleep(for: .seconds(3_600))
                }
            )
        )
        try await other.dispatch(untilCancelled(wasCancelled))
        try await store.dispatch(.start(.run { [weak other] _ in await other?.shutdown(drain: .finishEffects) }))
        await until { await root.root.perform { !root.root.shutdownsByEffects.isEmpty } }
        mayEnd.fire()
        await isCancelled.wait()
        mayGiveUp.fire()
        if !givesUp { try? await heldUp.finish() }
        isCleanedUp.open()
        await wasCancelled.wait()
        await root.shutdown(drain: .finishEffects)
        #expect(root.statistics.runningEffects == 0)
    }
}
