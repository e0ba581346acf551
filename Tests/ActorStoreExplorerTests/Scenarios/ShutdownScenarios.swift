import ActorStore

extension Scenario {
    /// The ends of stores.
    static let shutdown = [
        Scenario("A shutdown that finishes effects waits for their continuations") { stage in
            let store = stage.effectStore()
            stage.task("owner") {
                try await store.dispatch(.twoParts)
                await store.shutdown(drain: .finishEffects)
                stage.expect(store.snapshot.done, is: 1, "what the continuation did")
            }
        },
        Scenario("A shutdown that finishes effects waits for their errors") { stage in
            let store = stage.effectStore()
            let errors = store.errors
            stage.task("observer") {
                var count = 0
                for await _ in errors { count += 1 }
                stage.expect(count, is: 1, "the number of errors")
            }
            stage.task("owner") {
                try await store.dispatch(.fail)
                await store.shutdown(drain: .finishEffects)
            }
        },
        Scenario("A shutdown that an observer starts waits for the effects, whichever thread reduces") { stage in
            let store = stage.effectStore()
            let token = store.observe(\.ticks) { ticks in
                if ticks == 1 {
                    Task(executorPreference: stage.executor) { await store.shutdown(drain: .finishEffects) }
                }
            }
            stage.thread("sender") { store.send(.slow) }
            stage.atEnd {
                stage.expect(store.snapshot.done, is: 1, "what the effect did in the end")
                token.cancel()
            }
        },
        Scenario("A task that an observer starts awaits effects, whichever thread reduces") { stage in
            let store = stage.effectStore()
            let task = Shared<StoreTask?>(nil)
            let token = store.observe(\.ticks) { ticks in
                guard ticks == 1 else { return }
                Task(executorPreference: stage.executor) {
                    while task.value == nil { await stage.yield() }
                    do {
                        try await task.value?.finish()
                    } catch {
                        stage.expect(false, "The task cannot be awaited: \(error)")
                    }
                }
            }
            stage.task("dispatcher") { task.value = try await store.dispatch(.slow) }
            stage.atEnd {
                stage.expect(store.snapshot.done, is: 1, "what the effect did in the end")
                token.cancel()
            }
        },
        Scenario("A shutdown that cancels effects returns, and accepted actions are reduced") { stage in
            let store = stage.effectStore()
            let accepted = Shared(0)
            stage.thread("sender") { for _ in 1...2 where store.send(.tick).isAccepted { accepted.value += 1 } }
            stage.task("owner") {
                try await store.dispatch(.unending)
                await store.shutdown(drain: .cancelEffects)
                stage.expect(!store.send(.tick).isAccepted, "A store that has ended accepts an action")
            }
            stage.atEnd {
                stage.expect(store.snapshot.ticks, is: accepted.value, "the ticks")
                stage.expect(store.snapshot.done, is: 0, "what a cancelled effect did")
            }
        },
        Scenario("A shutdown with a deadline returns within it") { stage in
            let store = stage.effectStore()
            let errors = store.errors
            stage.task("owner") {
                try await store.dispatch(.unending)
                let start = stage.clock.now
                await store.shutdown(drain: .finishEffects, within: .seconds(10), clock: stage.clock)
                let duration = start.duration(to: stage.clock.now)
                stage.expect(duration <= .seconds(10), "The shutdown took \(duration)")
                withExtendedLifetime(errors) {}
            }
            stage.thread("sender") { store.send(.tick) }
        },
        Scenario("A shutdown of a child leaves the root open") { stage in
            let root = stage.counter()
            let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            let accepted = Shared(0)
            stage.thread("sender") { if child.send(1).isAccepted { accepted.value += 1 } }
            stage.thread("root's sender") { root.send(1) }
            stage.task("shutdown") {
                await child.shutdown(drain: .finishEffects)
                stage.expect(root.send(1).isAccepted, "The root is closed")
            }
            stage.atEnd {
                stage.expect(root.snapshot, is: 2 + accepted.value, "the state of the root")
                stage.expect(child.snapshot.local, is: accepted.value, "the state of the child")
            }
        },
        Scenario("Two concurrent shutdowns both return") { stage in
            let store = stage.effectStore()
            stage.task("first") { await store.shutdown(drain: .finishEffects) }
            stage.task("second") {
                _ = try? await store.dispatch(.slow)
                await store.shutdown(drain: .cancelEffects)
            }
        },
    ]
}
