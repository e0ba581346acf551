import ActorStore

extension Scenario {
    /// Observers that suspend the store while they have no room.
    static let suspension = [
        Scenario("A suspended store resumes when there is room, and its observer misses nothing") { stage in
            let store = stage.counter()
            let values = store.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
            stage.task("observer") {
                var last = -1
                for await value in values {
                    stage.expect(value == last + 1, "After \(last) came \(value)")
                    last = value
                    if value == 4 { break }
                }
            }
            stage.thread("sender") { for _ in 1...2 { store.send(1) } }
            stage.task("dispatcher") { for _ in 1...2 { try await store.dispatch(1) } }
            stage.atEnd { stage.expect(store.snapshot, is: 4, "the state") }
        },
        Scenario("A suspended store resumes when its observer is cancelled") { stage in
            let store = stage.counter()
            let values = Shared<StoreSequence<Int>?>(
                store.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
            )
            stage.thread("sender") { for _ in 1...2 { store.send(1) } }
            stage.task("dispatcher") { try await store.dispatch(1) }
            stage.thread("observer") { values.value = nil }
            stage.atEnd { stage.expect(store.snapshot, is: 3, "the state") }
        },
        Scenario("A suspended store shuts down") { stage in
            let store = stage.counter()
            let values = store.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
            let accepted = Shared(0)
            stage.thread("sender") { for _ in 1...2 where store.send(1).isAccepted { accepted.value += 1 } }
            stage.task("shutdown") { await store.shutdown(drain: .finishEffects) }
            stage.keep(values)
            stage.atEnd { stage.expect(store.snapshot, is: accepted.value, "the state") }
        },
        Scenario("A shutdown of a child with a deadline returns while an observer suspends the tree") { stage in
            let root = stage.counter()
            let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            let values = root.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
            stage.thread("sender") { for _ in 1...2 { root.send(1) } }
            stage.task("shutdown") {
                await child.shutdown(drain: .cancelEffects, within: .seconds(1), clock: stage.clock)
            }
            stage.keep((root, child, values))
        },
        Scenario("An observer added during a shutdown does not suspend the store for good") { stage in
            let store = stage.counter()
            let accepted = Shared(0)
            let kept = Shared<StoreSequence<Int>?>(nil)
            stage.thread("observer") {
                kept.value = store.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
            }
            stage.thread("sender") { for _ in 1...2 where store.send(1).isAccepted { accepted.value += 1 } }
            stage.task("shutdown") { await store.shutdown(drain: .finishEffects) }
            stage.atEnd {
                stage.expect(store.snapshot, is: accepted.value, "the state")
                kept.value = nil
            }
        },
    ]
}
