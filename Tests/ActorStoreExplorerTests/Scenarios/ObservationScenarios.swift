@testable import ActorStore

extension Scenario {
    /// Closures and sequences that observe.
    static let observation = [
        Scenario("A mirror of a store never goes back to an older state") { stage in
            let store = stage.counter()
            // Blocks the mirror's notifications, and not its reads.
            let other = store.observe(\.self) { _ in stage.pause() }
            stage.atEnd { other.cancel() }
            for sender in 1...2 { stage.thread("sender \(sender)") { store.send(1) } }
            stage.thread("mirror") {
                var (current, changes) = store.stateAndChanges(
                    .part(\.self),
                    CodeLocation(fileID: #fileID, line: #line)
                )
                for _ in 1...2 {
                    if case .element(let state, _) = changes.take() {
                        stage.expect(state >= current, "After \(current) came \(state)")
                        current = state
                    }
                    stage.pause()
                }
            }
        },
        Scenario("A sequence ends with the newest value, and never goes back") { stage in
            let store = stage.counter()
            let values = store.values(of: \.self)
            stage.task("observer") {
                var last = -1
                for await value in values {
                    stage.expect(value > last, "After \(last) came \(value)")
                    last = value
                    if value == 3 { break }
                }
            }
            for sender in 1...3 { stage.thread("sender \(sender)") { store.send(1) } }
            stage.atEnd { stage.expect(store.snapshot, is: 3, "the state") }
        },
        Scenario("An unbounded observer gets each value in order, until the store ends") { stage in
            let store = stage.counter()
            let values = store.values(of: \.self, buffering: .unbounded)
            stage.task("observer") {
                var seen: [Int] = []
                for await value in values { seen.append(value) }
                stage.expect(seen, is: Array(0...3), "the values")
            }
            stage.task("sender") {
                store.send(1)
                try await store.dispatch(1)
                store.send(1)
                await store.shutdown(drain: .finishEffects)
            }
        },
        Scenario("A task waiting for the next value ends when it is cancelled") { stage in
            let store = stage.counter()
            let observer = Shared<Task<Void, Never>?>(nil)
            stage.thread("observer") {
                observer.value = stage.start("observing") {
                    for await value in store.values(of: \.self) { stage.expect(value <= 2, "The value was \(value)") }
                }
            }
            stage.thread("sender") { for _ in 1...2 { store.send(1) } }
            stage.thread("canceller") {
                while observer.value == nil { stage.pause() }
                observer.value?.cancel()
            }
            stage.atEnd { stage.expect(store.snapshot, is: 2, "the state") }
        },
        Scenario("A cancelled closure is not called again, and a remaining one gets each value") { stage in
            let store = stage.counter()
            let seen = Shared<[Int]>([])
            let isCancelled = Shared(false)
            let kept = store.observe(\.self) { seen.value.append($0) }
            let token = store.observe(\.self) { _ in
                stage.expect(!isCancelled.value, "A cancelled closure was called")
            }
            for sender in 1...2 { stage.thread("sender \(sender)") { store.send(1) } }
            stage.thread("canceller") {
                token.cancel()
                isCancelled.value = true
            }
            stage.atEnd {
                stage.expect(seen.value, is: [0, 1, 2], "the values")
                kept.cancel()
            }
        },
        Scenario("Cancelling an observation runs no reducer and no observer on the cancelling thread") { stage in
            let store = stage.counter()
            let lock = BlockingLock()
            // No sender holds the lock.
            let kept = store.observe(\.self) { _ in lock.withLock {} }
            let token = store.observe(\.self) { _ in }
            for sender in 1...3 { stage.thread("sender \(sender)") { store.send(1) } }
            stage.thread("canceller") { lock.withLock { token.cancel() } }
            stage.atEnd {
                stage.expect(store.snapshot, is: 3, "the state")
                kept.cancel()
            }
        },
        Scenario("An observation begun after a dispatch begins with its value") { stage in
            let store = stage.counter()
            stage.task("dispatcher") {
                try await store.dispatch(1)
                for await value in store.values(of: \.self) {
                    stage.expect(value >= 1, "The first value was \(value)")
                    break
                }
                let first = Shared<Int?>(nil)
                let token = store.observe(\.self) { if first.value == nil { first.value = $0 } }
                _ = await store.state
                stage.expect(first.value ?? 0 >= 1, "The first call was with \(String(describing: first.value))")
                token.cancel()
            }
            for sender in 1...2 { stage.thread("sender \(sender)") { store.send(1) } }
        },
    ]
}
