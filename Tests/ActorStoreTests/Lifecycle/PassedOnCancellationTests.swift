import ActorStoreGroups
import Testing

@testable import ActorStore
@testable import TestFixtures

/// Effects that wait for the end of a store, and pass their cancellation on to its effects.
@Suite("Passing on cancellations", .timeLimit(.minutes(10)))
struct PassedOnCancellationTests {
    /// The ways in which an effect waits for the end of a store.
    enum Wait: CaseIterable, Sendable {
        case shutdown, shutdownInTime, run, runInTime

        func callAsFunction<State>(_ store: Store<State, Ledger.Action>) async {
            switch self {
            case .shutdown: await store.shutdown(drain: .finishEffects)
            case .shutdownInTime:
                await store.shutdown(drain: .finishEffects, within: .seconds(5), clock: ManualClock())
            case .run: try? await store.run()
            case .runInTime: try? await store.run(endingWithin: .seconds(5), clock: ManualClock())
            }
        }
    }

    /// The ways in which an effect shuts a store down, and cancels the others.
    enum Ending: CaseIterable, Sendable {
        case shutdown, shutdownInTime, begun

        func callAsFunction<State>(_ store: Store<State, Ledger.Action>) async {
            switch self {
            case .shutdown: await store.shutdown(drain: .cancelEffects)
            case .shutdownInTime:
                await store.shutdown(drain: .cancelEffects, within: .seconds(5), clock: ManualClock())
            case .begun: store.beginShutdown(drain: .cancelEffects)
            }
        }
    }

    /// An effect that cancels the others of a store at a signal, and continues; it records whether it was cancelled.
    private func ending(
        _ store: Store<Ledger.State, Ledger.Action>,
        _ ending: Ending,
        after signal: Signal,
        _ wasCancelled: Collector<Bool>
    ) -> Ledger.Action {
        .start(
            .run { [weak store] _ in
                await signal.wait()
                if let store { await ending(store) }
                // A cancellation would happen in the background.
                try? await Task.sleep(for: .milliseconds(20))
                wasCancelled.append(Task.isCancelled)
            }
        )
    }

    @Test(
        "An effect is not cancelled by its own shutdown through an effect that waits for the end of its store",
        arguments: Wait.allCases,
        Ending.allCases
    )
    func childUnderWait(wait: Wait, how: Ending) async throws {
        let root = Ledger.store()
        let child = Ledger.child(of: root)
        let (isWaiting, wasCancelled) = (Signal(), Collector<Bool>())
        try await root.dispatch(
            .start(
                .run { _ in
                    isWaiting.fire()
                    await wait(child)
                }
            )
        )
        let task = try await child.dispatch(ending(root, how, after: isWaiting, wasCancelled))
        try? await task.finish()
        #expect(wasCancelled.elements == [false])
        await root.shutdown(drain: .cancelEffects)
    }

    @Test(
        "An effect that shuts its store down is not cancelled by other such effects that it cancels",
        arguments: [false, true],
        Ending.allCases
    )
    func sameStore(isOnTheWayOut: Bool, how: Ending) async throws {
        let store = Ledger.store()
        let (isWaiting, wasCancelled) = (Signal(), Collector<Bool>())
        try await store.dispatch(
            .start(
                .run { [weak store] _ in
                    isWaiting.fire()
                    if isOnTheWayOut { try? await Task.sleep(for: .seconds(3_600)) }
                    await store?.shutdown(drain: .finishEffects)
                }
            )
        )
        let task = try await store.dispatch(ending(store, how, after: isWaiting, wasCancelled))
        try? await task.finish()
        #expect(wasCancelled.elements == [false])
        await store.shutdown(drain: .cancelEffects)
    }

    @Test("Cancelling one of several effects that shut their store down does not cancel the others")
    func severalOfStore() async throws {
        let (store, shutdowns) = (Ledger.store(), Shutdowns())
        let action = shutdowns { [weak store] in await store?.shutdown(drain: .finishEffects) }
        try await store.dispatch(shutdowns.endless)
        let tasks = [try await store.dispatch(action), try await store.dispatch(action)]
        await shutdowns.begin(2, of: store)
        tasks[0].cancel()
        for task in tasks { try? await task.finish() }
        #expect(shutdowns.wereCancelled.elements.sorted { $0 && !$1 } == [true, false])
    }

    @Test("Cancelling one of several effects that shut their group down does not cancel the others")
    func severalOfGroup() async throws {
        let group = StoreGroup { (_: Int) in Ledger.store() }
        let shutdowns = Shutdowns()
        let action = shutdowns { [weak group] in await group?.shutdown(drain: .finishEffects) }
        for key in [0, 1] { try await group.dispatch(shutdowns.endless, to: key) }
        var tasks: [StoreTask] = []
        for key in [0, 0, 1] { tasks.append(try await group.dispatch(action, to: key)) }
        let stores = [group[0], group[1]]
        for store in stores { await shutdowns.begin(3, of: store) }
        tasks[0].cancel()
        for task in tasks { try? await task.finish() }
        #expect(shutdowns.wereCancelled.elements.sorted { $0 && !$1 } == [true, false, false])
    }

    @Test(
        "Cancelling a wait for the end of a store also cancels an effect that is shutting it down",
        arguments: Wait.allCases
    )
    func strangerBesideShutdown(wait: Wait) async throws {
        let (store, other, shutdowns) = (Ledger.store(), Ledger.store(), Shutdowns())
        try await store.dispatch(shutdowns.endless)
        let own = try await store.dispatch(shutdowns { [weak store] in await store?.shutdown(drain: .finishEffects) })
        await shutdowns.begin(1, of: store)
        let isWaiting = Signal()
        let waiting = try await other.dispatch(
            .start(
                .run { _ in
                    isWaiting.fire()
                    await wait(store)
                }
            )
        )
        await isWaiting.wait()
        waiting.cancel()
        try? await own.finish()
        #expect(shutdowns.wereCancelled.elements == [true])
    }

    @Test(
        "Cancelling a wait for the end of a store also cancels an effect that has shut it down",
        arguments: Wait.allCases,
        [false, true]
    )
    func stranger(wait: Wait, isCancelledBefore: Bool) async throws {
        let (store, other) = (Ledger.store(), Ledger.store())
        let (isShutDown, isThere, mayWait, isWaiting) = (Signal(), Signal(), Latch(), Signal())
        // Continues until it is cancelled, after the end of its store, or before that of another effect.
        let lingering = try await store.dispatch(
            .start(
                .run { [weak store] _ in
                    if wait == .run || wait == .runInTime {
                        store?.beginShutdown(drain: .finishEffects)
                    } else {
                        await store?.shutdown(drain: .finishEffects)
                    }
                    isShutDown.fire()
                    try? await Task.sleep(for: .seconds(3_600))
                }
            )
        )
        await isShutDown.wait()
        let waiting = try await other.dispatch(
            .start(
                .run { _ in
                    isThere.fire()
                    await mayWait.wait()
                    isWaiting.fire()
                    await wait(store)
                }
            )
        )
        await isThere.wait()
        if isCancelledBefore { waiting.cancel() }
        mayWait.open()
        await isWaiting.wait()
        waiting.cancel()
        try? await lingering.finish()
        #expect(store.statistics.runningEffects == 0)
    }

    @Test(
        "Cancelling a wait for the end of a store also cancels its effect that has begun the shutdown",
        arguments: [false, true]
    )
    func beginner(isChild: Bool) async throws {
        let root = Ledger.store()
        let child = Ledger.child(of: root)
        let (isThere, isWaiting, isBegun) = (Signal(), Signal(), Signal())
        let waiting = try await root.dispatch(
            .start(
                .run { [weak root] _ in
                    isThere.fire()
                    await isBegun.wait()
                    isWaiting.fire()
                    if isChild { try? await child.run() } else { await root?.shutdown(drain: .finishEffects) }
                }
            )
        )
        let beginning = Effect<Ledger.Action>.run { [weak root] _ in
            await isThere.wait()
            root?.beginShutdown(drain: .finishEffects)
            isBegun.fire()
            try? await Task.sleep(for: .seconds(3_600))
        }
        let task = isChild ? try await child.dispatch(.start(beginning)) : try await root.dispatch(.start(beginning))
        await isWaiting.wait()
        waiting.cancel()
        try? await task.finish()
        await root.shutdown(drain: .finishEffects)
        #expect(root.statistics.runningEffects == 0)
    }

    @Test("The release of a store cancels an effect that has begun its shutdown")
    func release() async throws {
        let (isBegun, wasCancelled) = (Signal(), Signal())
        var store: Store? = Ledger.store()
        let beginning = Effect<Ledger.Action>.run { [weak store] _ in
            store?.beginShutdown(drain: .finishEffects)
            isBegun.fire()
            try? await Task.sleep(for: .seconds(3_600))
            wasCancelled.fire()
        }
        try await store?.dispatch(.start(beginning))
        await isBegun.wait()
        store = nil
        await wasCancelled.wait()
    }

    @Test(
        "The end of a tree does not cancel an effect that shut a child down, through one above that awaits the child"
    )
    func childsOwnCaller() async throws {
        let root = Ledger.store()
        let child = Ledger.child(of: root)
        let (mayEnd, begun, wasCancelled) = (Signal(), Collector<Void>(), Collector<Bool>())
        try await root.dispatch(
            .start(
                .run { _ in
                    begun.append(())
                    await child.shutdown(drain: .finishEffects)
                }
            )
        )
        let own = try await child.dispatch(
            .start(
                .run { _ in
                    begun.append(())
                    await child.shutdown(drain: .finishEffects)
                    // A cancellation would happen in the background.
                    try? await Task.sleep(for: .milliseconds(20))
                    wasCancelled.append(Task.isCancelled)
                }
            )
        )
        // The shutdowns of both wait for this one, and come before it.
        let above = try await child.dispatch(
            .start(
                .run { [weak root] _ in
                    await mayEnd.wait()
                    await root?.shutdown(drain: .finishEffects)
                }
            )
        )
        await until { begun.elements.count == 2 }
        try? await Task.sleep(for: .milliseconds(5))
        mayEnd.fire()
        try? await own.finish()
        try? await above.finish()
        #expect(wasCancelled.elements == [false])
    }

    @Test(
        "An effect blocked by its group's shutdown, and ended with its store, does not cancel the requesting effect"
    )
    func heldUpByGroup() async throws {
        let group = StoreGroup { (_: Int) in Ledger.store() }
        let (isJoined, mayFinish) = (Signal(), Latch())
        let (shutsDown, finished) = (Collector<Bool>(), Collector<Bool>())
        let asking = Effect<Ledger.Action>.run { [weak group] _ in
            await isJoined.wait()
            await group?.shutdown(drain: .finishEffects)
            shutsDown.append(Task.isCancelled)
        }
        let first = group[0]
        let heldUp = Effect<Ledger.Action>.run { _ in
            let task = try await first.dispatch(.start(asking))
            isJoined.fire()
            // Ends with its cancellation.
            try? await task.finish()
            Task.detached {
                // Cancellations of others would happen in the background.
                try? await Task.sleep(for: .milliseconds(20))
                mayFinish.open()
            }
            await first.shutdown(drain: .finishEffects)
        }
        try await group.dispatch(
            .start(
                .run { _ in
                    await mayFinish.wait()
                    finished.append(!Task.isCancelled)
                }
            ),
            to: 2
        )
        let task = try await group.dispatch(.start(heldUp), to: 1)
        try? await task.finish()
        await group.shutdown(drain: .finishEffects)
        #expect(shutsDown.elements == [false])
        #expect(finished.elements == [true])
    }

    @Test(
        "An effect that has ended its own key can shut the group down, also while another effect ends that store",
        arguments: [false, true]
    )
    func groupAfterOwnKey(byKey: Bool) async throws {
        let group = StoreGroup { (_: Int) in Ledger.store() }
        let mayShutDown = Latch()
        let ended = Collector<String>()
        let store = group[1]
        let ending = Effect<Ledger.Action>.run { [weak group] _ in
            if byKey {
                _ = await group?.end(1, drain: .finishEffects)
            } else {
                await store.shutdown(drain: .finishEffects)
            }
            ended.append("other")
        }
        let owning = Effect<Ledger.Action>.run { [weak group] _ in
            // Waits for the other effect's shutdown, which has refused further actions.
            await until { !store.send(.add(0)).isAccepted }
            _ = await group?.end(1, drain: .finishEffects)
            await mayShutDown.wait()
            await group?.shutdown(drain: .finishEffects)
            ended.append("own")
        }
        let task = try await group.dispatch(.start(owning), to: 1)
        try await group.dispatch(.start(ending), to: 0)
        await until { group.existing(1) == nil }
        mayShutDown.open()
        try? await task.finish()
        await group.shutdown(drain: .finishEffects)
        #expect(Set(ended.elements) == ["own", "other"])
    }

    @Test(
        "An effect that ends a store of a group is awaited by an effect of another store, and all end with the group",
        arguments: [false, true]
    )
    func groupByWayOfAnotherTree(groupEndsFirst: Bool) async throws {
        let group = StoreGroup { (_: Int) in Ledger.store() }
        let (store, outside) = (group[0], Ledger.store())
        let (isAwaited, mayShutDown) = (Signal(), Latch())
        let ended = Collector<String>()
        let ending = Effect<Ledger.Action>.run { _ in
            isAwaited.fire()
            if groupEndsFirst { await until { !store.send(.add(0)).isAccepted } }
            await store.shutdown(drain: .finishEffects)
            ended.append("store")
        }
        let awaiting = Effect<Ledger.Action>.run { _ in
            let task = try await outside.dispatch(.start(ending))
            try? await task.finish()
            ended.append("awaited")
        }
        let task = try await group.dispatch(
            .start(
                .run { [weak group] _ in
                    await mayShutDown.wait()
                    await group?.shutdown(drain: .finishEffects)
                    ended.append("group")
                }
            ),
            to: 0
        )
        try await group.dispatch(.start(awaiting), to: 1)
        await isAwaited.wait()
        if !groupEndsFirst { await until { !store.send(.add(0)).isAccepted } }
        mayShutDown.open()
        try? await task.finish()
        await group.shutdown(drain: .finishEffects)
        await outside.shutdown(drain: .finishEffects)
        #expect(Set(ended.elements) == ["store", "awaited", "group"])
    }

    @Test("An effect that has ended its own key continues when an effect that it waits for shuts the group down")
    func groupByAnotherAfterOwnKey() async throws {
        let group = StoreGroup { (_: Int) in Ledger.store() }
        let mayShutDown = Latch()
        let ended = Collector<String>()
        let store = group[1]
        let ending = Effect<Ledger.Action>.run { _ in
            await store.shutdown(drain: .finishEffects)
            ended.append("other")
        }
        let shuttingDown = Effect<Ledger.Action>.run { [weak group] _ in
            await mayShutDown.wait()
            await group?.shutdown(drain: .finishEffects)
            ended.append("group")
        }
        let owning = Effect<Ledger.Action>.run { [weak group] _ in
            await until { !store.send(.add(0)).isAccepted }
            _ = await group?.end(1, drain: .finishEffects)
            try await group?[2].perform(.start(shuttingDown))
            ended.append("own")
        }
        let task = try await group.dispatch(.start(owning), to: 1)
        try await group.dispatch(.start(ending), to: 0)
        await until { group.existing(2)?.statistics.runningEffects == 1 }
        // The performing effect begins to wait for it.
        try? await Task.sleep(for: .milliseconds(20))
        mayShutDown.open()
        try? await task.finish()
        await group.shutdown(drain: .finishEffects)
        #expect(Set(ended.elements) == ["own", "other", "group"])
    }

    @Test("A tree whose shutdown by an effect ended at a deadline is released when its effects have ended")
    func releaseAfterDeadline() async throws {
        let clock = ManualClock()
        var store: Store? = Ledger.store()
        weak let root = store?.root
        let other = Ledger.store()
        let (mayEnd, isWaiting) = (Latch(), Signal())
        try await other.dispatch(.start(.run { _ in await mayEnd.wait() }))
        let waiting = try await store?.dispatch(
            .start(
                .run { _ in
                    isWaiting.fire()
                    await other.shutdown(drain: .finishEffects)
                }
            )
        )
        await isWaiting.wait()
        let ending = try await store?.dispatch(
            .start(
                .run { [weak store] _ in
                    await store?.shutdown(drain: .finishEffects, within: .seconds(1), clock: clock)
                }
            )
        )
        await until { clock.sleepers == 1 }
        clock.advance(by: .seconds(1))
        try? await ending?.finish()
        mayEnd.open()
        try? await waiting?.finish()
        await other.shutdown(drain: .finishEffects)
        #expect(try await store?.errors.all().map { $0.error is EffectStillRunning } == [true])
        store = nil
        await until { root == nil }
    }
}
