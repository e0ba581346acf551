import ActorStore
import ActorStoreGroups

extension Stage {
    /// A store with effects that ignore their cancellation, for a second each.
    fileprivate func stubbornStore(_ sends: Shared<Int>) -> Store<Int, Int> {
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { [self] count, step in
                count += 1
                return step > 0 ? stubborn(sends) : .none
            },
            configuration: configuration
        )
        expectErrors(of: store)
        return store
    }

    fileprivate func stubborn(_ sends: Shared<Int>) -> Effect<Int> {
        .run { [clock] send in
            // A separate task, which is not cancelled.
            await Task.detached(executorPreference: self.executor) { try? await clock.sleep(for: .seconds(1)) }.value
            sends.value += 1
            send(0)
        }
    }
}

extension Scenario {
    /// Shutdowns with deadlines. (Their duration is not measured here, because the clock advances while others can
    /// run.)
    static let deadlines: [Scenario] = [
        Scenario("A shutdown with a deadline reports running effects, and each action is reduced or counted") { stage in
            let (sends, accepted) = (Shared(0), Shared(0))
            let store = stage.stubbornStore(sends)
            let errors = store.errors
            stage.task("observer") { for await failure in errors { stage.expect("\(failure)".isEmpty == false, "") } }
            for sender in 1...2 {
                stage.thread("sender \(sender)") { if store.send(sender - 1).isAccepted { accepted.value += 1 } }
            }
            for (number, limit) in [600, 5_000].enumerated() {
                stage.task("owner \(number)") {
                    let report = await store.shutdown(
                        drain: .finishEffects,
                        within: .milliseconds(limit),
                        clock: stage.clock
                    )
                    if !report.isClean { stage.expect(report.unfinishedEffects.count, is: 1, "what goes on") }
                    stage.expect(!store.send(0).isAccepted, "A store that has ended accepts an action")
                }
            }
            stage.atEnd {
                let statistics = store.statistics
                stage.expect(
                    store.snapshot + statistics.lateActions,
                    is: accepted.value + sends.value,
                    "what was reduced or came too late"
                )
                stage.expect(statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("A child ended with a deadline while an observer suspends its tree counts its accepted actions") {
            stage in
            let (sends, accepted, childs) = (Shared(0), Shared(0), Shared(0))
            let root = stage.counter()
            let child = root.child(
                initialState: 0,
                reducer: Reduce<Int, Int> { count, step in
                    count += step
                    return stage.stubborn(sends)
                }
            )
            let values = Shared<StoreSequence<Int>?>(
                root.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
            )
            stage.thread("sender") { for _ in 1...2 where root.send(1).isAccepted { accepted.value += 1 } }
            stage.thread("child's sender") { for _ in 1...2 where child.send(1).isAccepted { childs.value += 1 } }
            stage.task("owner") {
                await child.shutdown(drain: .cancelEffects, within: .milliseconds(500), clock: stage.clock)
                values.value = nil
            }
            stage.atEnd {
                let late = root.statistics.lateActions
                stage.expect(
                    root.snapshot + late,
                    is: accepted.value + childs.value + sends.value,
                    "what was reduced or came too late"
                )
                stage.expect(root.statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("Shutdowns of a root and of its child, with and without deadlines, all return") { stage in
            let sends = Shared(0)
            let root = stage.stubbornStore(sends)
            let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, _: Int) in count += 1 })
            let accepted = Shared(0)
            stage.thread("sender") { if child.send(1).isAccepted { accepted.value += 1 } }
            stage.task("dispatcher") {
                guard let task = try? await child.dispatch(1) else { return }
                accepted.value += 1
                try? await task.finish()
            }
            stage.task("child's owner") { await child.shutdown(drain: .finishEffects) }
            stage.task("owner") { await root.shutdown(drain: .cancelEffects) }
            stage.task("second owner") {
                await root.shutdown(drain: .finishEffects, within: .milliseconds(700), clock: stage.clock)
            }
            stage.atEnd {
                let statistics = root.statistics
                stage.expect(
                    root.snapshot + statistics.lateActions,
                    is: accepted.value + sends.value,
                    "what was reduced or came too late"
                )
                stage.expect(statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("A group shutdown with a deadline returns although a hand-over is slow") { stage in
            let handOvers = Shared((begun: 0, ended: 0))
            let group = StoreGroup<Int, Int, Int>(
                configuration: stage.configuration,
                eviction: .never { _, _ in
                    handOvers.value.begun += 1
                    // Only the second owner waits for it, without a deadline.
                    await Task.detached(executorPreference: stage.executor) {
                        try? await stage.clock.sleep(for: .seconds(2))
                    }.value
                    handOvers.value.ended += 1
                },
                initialState: { _ in 0 },
                reduce: { $0 += $1 }
            )
            stage.thread("sender") { for key in 1...2 { group.send(1, to: key) } }
            for key in 1...2 { stage.task("evictor \(key)") { await group.evict(key) } }
            stage.task("owner") {
                await group.shutdown(drain: .finishEffects, within: .seconds(1), clock: stage.clock)
            }
            stage.task("second owner") {
                await group.shutdown(drain: .finishEffects)
                stage.expect(handOvers.value.begun, is: handOvers.value.ended, "the hand-overs that have ended")
            }
        },
    ]
}
