import ActorStore

extension Scenario {
    /// Sequences that wait for a time.
    static let timedObservation: [Scenario] = [
        Scenario("Timed sequences end with the newest value, and deliver none twice in a row") { stage in
            let store = stage.counter()
            let (clock, values) = (stage.clock, store.values(of: \.self))
            stage.observe(values.throttle(for: .seconds(1), clock: clock), of: store, "throttled")
            stage.observe(values.coalesce(for: .seconds(1), clock: clock), of: store, "coalesced")
            stage.observe(values.debounce(for: .seconds(1), clock: clock), of: store, "debounced")
            stage.thread("sender") { for _ in 1...2 { store.send(1) } }
            stage.task("owner") {
                try await clock.sleep(for: .milliseconds(1_200))
                store.send(1)
                await store.shutdown(drain: .finishEffects)
            }
        },
        Scenario("A timed sequence ends when its task is cancelled, and no longer suspends the store") { stage in
            let store = stage.counter()
            let task = Shared<Task<Void, Never>?>(nil)
            stage.thread("observer") {
                task.value = stage.start("observing") {
                    let values = store.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
                        .throttle(for: .seconds(1), clock: stage.clock)
                    for await value in values { stage.expect(value <= 3, "The value is \(value)") }
                }
            }
            stage.thread("sender") { for _ in 1...3 { store.send(1) } }
            stage.thread("canceller") {
                while task.value == nil { stage.pause() }
                task.value?.cancel()
            }
            stage.atEnd {
                stage.expect(store.snapshot, is: 3, "the state")
                stage.expect(store.statistics.observers, is: 0, "the number of observers")
            }
        },
        Scenario("A debounced sequence waits at most for its maximum, and ends when its task is cancelled") { stage in
            let store = stage.counter()
            let task = Shared<Task<Void, Never>?>(nil)
            stage.thread("observer") {
                task.value = stage.start("observing") {
                    let values = store.values(of: \.self)
                        .debounce(for: .seconds(1), maximumWait: .seconds(2), clock: stage.clock)
                    for await value in values { stage.expect(value <= 3, "The value is \(value)") }
                }
            }
            stage.task("sender") {
                for _ in 1...3 {
                    store.send(1)
                    try await stage.clock.sleep(for: .milliseconds(600))
                }
            }
            stage.thread("canceller") {
                while task.value == nil { stage.pause() }
                task.value?.cancel()
            }
            stage.atEnd {
                stage.expect(store.snapshot, is: 3, "the state")
                stage.expect(store.statistics.observers, is: 0, "the number of observers")
            }
        },
        Scenario("Timed sequences end with the newest value when the store is released") { stage in
            let store = Shared<Store<Int, Int>?>(stage.counter())
            guard let values = store.value?.values(of: \.self), let others = store.value?.values(of: \.self) else {
                return
            }
            let lasts = Shared<[Int]>([])
            stage.task("throttled") {
                var last = -1
                for await value in values.throttle(for: .seconds(1), clock: stage.clock) { last = value }
                lasts.value.append(last)
            }
            stage.task("coalesced") {
                var last = -1
                for await value in others.coalesce(for: .seconds(1), clock: stage.clock) { last = value }
                lasts.value.append(last)
            }
            stage.thread("owner") {
                for _ in 1...2 { store.value?.send(1) }
                store.value = nil
            }
            stage.atEnd {
                stage.expect(lasts.value, is: [2, 2], "the last values")
            }
        },
    ]
}

extension Stage {
    /// Adds a task that iterates a sequence until the store ends.
    fileprivate func observe(
        _ values: any AsyncSequence<Int, Never> & Sendable,
        of store: Store<Int, Int>,
        _ name: String
    ) {
        task(name) { [self] in
            var last: Int?
            for await value in values {
                expect(value != last, "The value \(value) came twice in a row")
                last = value
            }
            expect(last, is: store.snapshot, "the last value")
        }
    }
}
