import ActorStore
import ActorStoreGroups

extension Scenario {
    /// Several stores, loading, waits, observers on executors, and queues of effects.
    static let services = [
        Scenario("Two stores whose reducers send to each other make progress") { stage in
            let peers = Shared<[Store<Int, Int>]>([])
            func make(_ other: Int) -> Store<Int, Int> {
                Store(initialState: 0, configuration: stage.configuration) { (count: inout Int, step: Int) in
                    count += 1
                    if step > 0 { peers.value[other].send(step - 1) }
                }
            }
            peers.value = [make(1), make(0)]
            for sender in 0...1 {
                stage.thread("sender \(sender)") { for _ in 1...2 { peers.value[sender].send(2) } }
            }
            stage.atEnd {
                let count = peers.value.map(\.snapshot).reduce(0, +)
                stage.expect(count, is: 2 * 2 * 3, "the actions reduced in both")
                peers.value = []
            }
        },
        Scenario("A loading store reduces accepted actions after its first state") { stage in
            let store = Store(
                initialState: -1,
                loading: {
                    await stage.yield()
                    return 10
                },
                reducer: Reduce<Int, Int> { count, step in
                    count += step
                    return .none
                },
                configuration: stage.configuration
            )
            stage.thread("sender") { for _ in 1...2 { store.send(1) } }
            stage.task("dispatcher") {
                try await store.dispatch(1)
                stage.expect(store.snapshot > 10, "An action was reduced before the state was loaded")
            }
            stage.task("waiter") {
                try await store.ready()
                stage.expect(await store.state >= 10, "The store is ready without its state")
            }
            stage.atEnd { stage.expect(store.snapshot, is: 13, "the state") }
        },
        Scenario("A shutdown ends a loading store") { stage in
            let store = Store(
                initialState: 0,
                loading: {
                    try await stage.clock.sleep(until: VirtualClock.never, tolerance: nil)
                    return 10
                },
                reducer: Reduce<Int, Int> { _, _ in .none },
                configuration: stage.configuration
            )
            stage.thread("sender") { store.send(1) }
            stage.task("owner") { await store.shutdown(drain: .cancelEffects) }
            stage.task("waiter") {
                do {
                    try await store.ready()
                    stage.expect(false, "A store is ready whose loading was given up")
                } catch {}
            }
        },
        Scenario("A wait for an action returns it, and a wait for a condition a state that satisfies it") { stage in
            let store = stage.counter()
            stage.task("taker") {
                let action = try await store.take(.where { $0 == 2 }) { store.send(2) }
                stage.expect(action, is: 2, "the action")
            }
            stage.task("waiter") {
                let count = try await store.condition { $0 >= 3 }
                stage.expect(count >= 3, "The state is \(count)")
            }
            stage.thread("sender") { store.send(1) }
        },
        Scenario("An observer on an executor gets the newest value, and none twice in a row") { stage in
            let store = stage.counter()
            let seen = Shared<[Int]>([])
            let token = store.values(of: \.self).observe(on: stage.executor) { seen.value.append($0) }
            for sender in 1...2 { stage.thread("sender \(sender)") { for _ in 1...2 { store.send(1) } } }
            stage.atEnd {
                stage.expect(seen.value.last, is: 4, "the last value")
                stage.expect(
                    zip(seen.value, seen.value.dropFirst()).allSatisfy { $0 < $1 },
                    "The values are \(seen.value)"
                )
                token.cancel()
            }
        },
        Scenario("Observers of a group get the final states of its stores") { stage in
            let configuration = stage.configuration
            let group = StoreGroup<Int, Int, Int>(configuration: configuration, initialState: { _ in 0 }) {
                (count: inout Int, step: Int) in count += step
            }
            let values = group.values(of: \.self)
            stage.task("observer") {
                for await versions in values where versions[1] == 2 && versions[2] == 1 { break }
            }
            stage.thread("sender") { for _ in 1...2 { group.send(1, to: 1) } }
            stage.thread("second sender") { group.send(1, to: 2) }
        },
        Scenario("Effects in a queue run one after the other, and all of them") { stage in
            let running = Shared(0)
            let store = Store(
                initialState: 0,
                reducer: Reduce<Int, Int> { count, step in
                    count += step
                    guard step == 0 else { return .none }
                    return .run(id: "queue", policy: .serial) { send in
                        running.value += 1
                        stage.expect(running.value, is: 1, "the number of effects that run")
                        await stage.yield()
                        running.value -= 1
                        send(1)
                    }
                },
                configuration: stage.configuration
            )
            for sender in 1...2 { stage.thread("sender \(sender)") { store.send(0) } }
            stage.task("dispatcher") { try await store.dispatch(0).finish() }
            stage.atEnd { stage.expect(store.snapshot, is: 3, "what the effects have sent") }
        },
        Scenario("Two effects that shut their store down do not wait for each other") { stage in
            let holder = Shared<Store<Int, Int>?>(nil)
            let store = Store(
                initialState: 0,
                reducer: Reduce<Int, Int> { _, _ in
                    .run { _ in await holder.value?.shutdown(drain: .finishEffects) }
                },
                configuration: stage.configuration
            )
            holder.value = store
            for sender in 1...2 { stage.thread("sender \(sender)") { store.send(sender) } }
            stage.task("owner") { await store.shutdown(drain: .finishEffects) }
            stage.atEnd {
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run")
                holder.value = nil
            }
        },
    ]
}
