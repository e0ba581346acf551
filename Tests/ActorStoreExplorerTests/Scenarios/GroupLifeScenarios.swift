import ActorStore
import ActorStoreGroups

private struct NoState: Error {}

extension Scenario {
    /// Stores of groups that are created, loaded, and followed.
    static let groupLives: [Scenario] = [
        Scenario("Concurrent requests of a key get the same store, and other created stores are released") { stage in
            let (made, ends) = (Shared(0), Shared(0))
            let group = StoreGroup<Int, Int, Int>(configuration: stage.configuration) { _ in
                made.value += 1
                let payload = Payload { ends.value += 1 }
                stage.reach()
                return Store(initialState: 0, configuration: stage.configuration) { (count: inout Int, step: Int) in
                    withExtendedLifetime(payload) { count += step }
                }
            }
            let stores = Shared<[Store<Int, Int>]>([])
            for number in 1...3 { stage.thread("user \(number)") { stores.value.append(group[1]) } }
            stage.thread("sender") { group.send(1, to: 1) }
            stage.atEnd {
                stage.expect(stores.value.allSatisfy { $0 === stores.value[0] }, "There are several stores of a key")
                stage.expect(stores.value[0].snapshot, is: 1, "the state")
                stage.expect(ends.value, is: made.value - 1, "the number of released stores, of \(made.value)")
                stage.expect(group.statistics.created, is: 1, "the stores that were made")
            }
        },
        Scenario("A loading store of a group is not evicted before its loading, and loses nothing") { stage in
            let archive = Shared<[Int: Int]>([1: 10])
            let group = StoreGroup<Int, Int, Int>(
                configuration: stage.configuration,
                eviction: .never { id, count in
                    await stage.yield()
                    archive.value[id] = count
                }
            ) { id in
                Store(
                    initialState: -1,
                    loading: {
                        await stage.yield()
                        return archive.value[id] ?? 0
                    },
                    reducer: Reduce<Int, Int> { count, step in
                        count += step
                        return .none
                    },
                    configuration: stage.configuration
                )
            }
            let ended = Shared(0)
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    for _ in 1...2 { group.send(1, to: 1) }
                    ended.value += 1
                }
            }
            for number in 1...2 { stage.task("evictor \(number)") { await group.evict(1) } }
            stage.task("reader") {
                let store = group[1]
                try await store.ready()
                stage.expect(store.snapshot >= 10, "The state is \(store.snapshot)")
            }
            stage.task("last evictor") {
                while ended.value < 2 { await stage.yield() }
                let state = await group[1].state
                stage.expect(state, is: 14, "the state")
                while group.existing(1) != nil, await !group.evict(1) { await stage.yield() }
                stage.expect(archive.value[1], is: 14, "the saved state")
            }
        },
        Scenario("A key whose loading failed gets a new store") { stage in
            let attempts = Shared(0)
            let group = StoreGroup<Int, Int, Int>(
                configuration: stage.configuration,
                eviction: .never { _, count in stage.expect(count >= 10, "A state was kept that was never loaded") }
            ) { _ in
                let store = Store(
                    initialState: 0,
                    loading: {
                        await stage.yield()
                        attempts.value += 1
                        if attempts.value == 1 { throw NoState() }
                        return 10
                    },
                    reducer: Reduce<Int, Int> { count, step in
                        count += step
                        return .none
                    },
                    configuration: stage.configuration
                )
                stage.expectErrors(of: store)
                return store
            }
            let reduced = Shared(0)
            for number in 1...2 {
                stage.task("user \(number)") {
                    while true {
                        do {
                            try await group.dispatch(1, to: 1)
                            return reduced.value += 1
                        } catch {
                            stage.expect(error, isAmong: [StoreError.notReady])
                            await stage.yield()
                        }
                    }
                }
            }
            stage.task("evictor") { await group.evict(1) }
            stage.task("observer") {
                for await versions in group.values(of: \.self) where versions[1] ?? 0 >= 10 { break }
            }
            stage.atEnd { stage.expect(reduced.value, is: 2, "the reduced actions") }
        },
        Scenario("Ended observers of a group leave nothing in its stores, which can then be evicted") { stage in
            let group = StoreGroup<Int, Int, Int>(
                configuration: stage.configuration,
                initialState: { _ in 0 },
                reduce: { $0 += $1 }
            )
            let task = Shared<Task<Void, Never>?>(nil)
            stage.thread("observer") {
                task.value = stage.start("observing") {
                    var last: [Int: Int] = [:]
                    for await versions in group.values(of: \.self) {
                        for (key, value) in versions {
                            stage.expect(value >= last[key] ?? 0, "The value of \(key) went back to \(value)")
                            last[key] = value
                        }
                    }
                }
            }
            stage.task("second observer") {
                for await changes in group.changes(of: \.self) { if !changes.inserted.isEmpty { break } }
            }
            for sender in 1...2 { stage.thread("sender \(sender)") { for key in 1...2 { group.send(1, to: key) } } }
            stage.thread("canceller") {
                while task.value == nil { stage.pause() }
                task.value?.cancel()
            }
            stage.atEnd {
                for key in 1...2 {
                    stage.expect(group.existing(key)?.statistics.observers, is: 0, "the number of observers")
                    stage.expect(group.existing(key)?.snapshot, is: 2, "the state")
                }
            }
        },
        Scenario("A store of a group with effects and children is evicted after their end, and not before") { stage in
            let kept = Shared<[Int]>([])
            let group = StoreGroup<Int, EffectFeature.State, EffectFeature.Action>(
                reducer: EffectFeature(stage: stage),
                configuration: stage.configuration,
                eviction: .never { _, state in kept.value.append(state.done) },
                initialState: { _ in EffectFeature.State() }
            )
            let isUsed = Shared(false)
            stage.task("user") {
                defer { isUsed.value = true }
                try await group.dispatch(.slow, to: 1)
                let child = group[1].child(
                    initialState: 0,
                    reducer: Reduce { (count: inout Int, _: EffectFeature.Action) in count += 1
                    }
                )
                try await child.dispatch(.tick)
            }
            for number in 1...2 { stage.task("evictor \(number)") { await group.evict(1) } }
            stage.task("last evictor") {
                while !isUsed.value || kept.value.reduce(0, +) == 0 {
                    await group.evict(1)
                    await stage.yield()
                }
                stage.expect(kept.value.max(), is: 1, "the saved state")
            }
        },
        Scenario(
            "An effect that shuts a group down is not cancelled by cancelled effects that end its store"
        ) {
            stage in
            let holder = Shared<StoreGroup<Int, WorkLog, WorkLog.Action>?>(nil)
            let supervisors = Shared(0)
            let outcomes = Shared<[String]>([])
            let group = StoreGroup<Int, WorkLog, WorkLog.Action>(
                reducer: Reduce<WorkLog, WorkLog.Action> { log, action in
                    guard case .ask(let number) = action else { return .none }
                    log.asked.append(number)
                    return .run { _ in
                        let group = holder.value
                        // Not the first of the stores, in the order of their shutdowns.
                        if number == 3 {
                            while supervisors.value < 2 { await stage.yield() }
                            await group?.shutdown(drain: .cancelEffects)
                            for _ in 1...4 { await stage.yield() }
                            outcomes.value.append(Task.isCancelled ? "cancelled" : "went on")
                        } else {
                            supervisors.value += 1
                            try await group?[3].run()
                        }
                    }
                },
                configuration: stage.configuration,
                initialState: { _ in WorkLog() }
            )
            holder.value = group
            for number in 1...3 { stage.thread("sender \(number)") { group.send(.ask(number), to: number) } }
            stage.atEnd {
                stage.expect(outcomes.value, is: ["went on"], "the effect that shut the group down")
                holder.value = nil
            }
        },
        Scenario(
            "Effects blocked by a group's shutdown do not cancel the requesting effect, whichever store ends first"
        ) {
            stage in
            let holder = Shared<StoreGroup<Int, WorkLog, WorkLog.Action>?>(nil)
            let asking = Shared<StoreTask?>(nil)
            let (begun, ended) = (Shared(0), Shared(0))
            let outcomes = Shared<[String]>([])
            let group = StoreGroup<Int, WorkLog, WorkLog.Action>(
                reducer: Reduce<WorkLog, WorkLog.Action> { log, action in
                    guard case .ask(let number) = action else { return .none }
                    log.asked.append(number)
                    return .run { _ in
                        guard let group = holder.value else { return }
                        begun.value += 1
                        while asking.value == nil || begun.value < 4 { await stage.yield() }
                        switch number {
                        case 1, 3:
                            let store = group[2]
                            // Ends with its cancellation.
                            try? await asking.value?.finish()
                            await store.shutdown(drain: .finishEffects)
                            ended.value += 1
                        case 2:
                            await group.shutdown(drain: .finishEffects)
                            outcomes.value.append(Task.isCancelled ? "cancelled" : "went on")
                        default:
                            // The shutdown of the group waits for this one.
                            while ended.value < 2, !Task.isCancelled { await stage.yield() }
                            outcomes.value.append(Task.isCancelled ? "cancelled" : "finished")
                        }
                    }
                },
                configuration: stage.configuration,
                initialState: { _ in WorkLog() }
            )
            holder.value = group
            for number in [1, 3, 4] { stage.thread("sender \(number)") { group.send(.ask(number), to: number) } }
            stage.task("sender 2") { asking.value = try await group.dispatch(.ask(2), to: 2) }
            stage.atEnd {
                stage.expect(outcomes.value, is: ["finished", "went on"], "the effects that nothing cancels")
                holder.value = nil
            }
        },
    ]
}
