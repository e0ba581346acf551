import ActorStore

extension Scenario {
    /// Waits beside ends, releases, cancellations and time.
    static let waits: [Scenario] = [
        Scenario("A wait for a condition returns its state if it ever comes, and ends with the store otherwise") {
            stage in
            let store = stage.counter()
            let outcomes = Shared<[Int: Bool]>([:])
            for goal in 1...3 {
                stage.task("waiter \(goal)") {
                    do {
                        let count = try await store.condition(clock: stage.clock) { $0 >= goal }
                        stage.expect(count >= goal, "The state is \(count)")
                        outcomes.value[goal] = true
                    } catch {
                        stage.expect(error, isAmong: [WaitError.storeEnded])
                        outcomes.value[goal] = false
                    }
                }
            }
            stage.thread("sender") { for _ in 1...2 { store.send(1) } }
            stage.task("owner") { await store.shutdown(drain: .finishEffects) }
            stage.atEnd {
                for goal in 1...3 { stage.expect(outcomes.value[goal], is: store.snapshot >= goal, "wait \(goal)") }
            }
        },
        Scenario("A wait of a child returns its state if it ever comes, and ends with the child otherwise") { stage in
            let root = stage.counter()
            let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            let outcomes = Shared<[Int: Bool]>([:])
            for goal in 1...2 {
                stage.task("waiter \(goal)") {
                    do {
                        try await child.condition(\.local, clock: stage.clock) { $0 >= goal }
                        outcomes.value[goal] = true
                    } catch {
                        stage.expect(error, isAmong: [WaitError.storeEnded])
                        outcomes.value[goal] = false
                    }
                }
            }
            stage.task("taker") {
                do {
                    try await child.take(.where { $0 == 1 }, clock: stage.clock)
                } catch {
                    stage.expect(error, isAmong: [WaitError.storeEnded])
                }
            }
            stage.thread("sender") { child.send(1) }
            stage.thread("root's sender") { root.send(1) }
            stage.task("owner") { await child.shutdown(drain: .finishEffects) }
            stage.atEnd {
                let last = child.snapshot.local
                for goal in 1...2 { stage.expect(outcomes.value[goal], is: last >= goal, "wait \(goal)") }
            }
        },
        Scenario("Waits end when their tasks are cancelled, or at their timeout, and leave no observer") { stage in
            let store = stage.counter()
            let task = Shared<Task<Void, Never>?>(nil)
            stage.thread("waiter") {
                task.value = stage.start("waiting") {
                    do {
                        let count = try await store.condition(clock: stage.clock) { $0 >= 2 }
                        stage.expect(count >= 2, "The state is \(count)")
                    } catch {
                        stage.expect(error, isAmong: [WaitError.cancelled])
                    }
                }
            }
            stage.task("taker") {
                do {
                    let action = try await store.take(.where { $0 == 1 }, timeout: .seconds(1), clock: stage.clock)
                    stage.expect(action, is: 1, "the action")
                } catch {
                    stage.expect(error, isAmong: [WaitError.timedOut])
                    stage.expect(stage.clock.now.time >= .seconds(1), "The time was over at \(stage.clock.now.time)")
                }
            }
            stage.thread("sender") { store.send(1) }
            stage.thread("canceller") {
                while task.value == nil { stage.pause() }
                task.value?.cancel()
            }
            stage.atEnd { stage.expect(store.statistics.observers, is: 0, "the number of observers") }
        },
        Scenario("A wait for the action of a request returns it, or ends with the store") { stage in
            let store = stage.counter()
            stage.task("taker") {
                let accepted = Shared(false)
                do {
                    let action = try await store.take(.where { $0 == 2 }, clock: stage.clock) {
                        accepted.value = store.send(2).isAccepted
                    }
                    stage.expect(action == 2 && accepted.value, "The action was \(action)")
                } catch {
                    stage.expect(error as? WaitError == .storeEnded && !accepted.value, "A wait failed: \(error)")
                }
            }
            stage.thread("sender") { store.send(1) }
            stage.task("owner") { await store.shutdown(drain: .finishEffects) }
        },
        Scenario("Waits for a loading store end with its loading") { stage in
            struct Failure: Error {}
            let store = Store(
                initialState: 0,
                loading: {
                    await stage.yield()
                    throw Failure()
                },
                reducer: Reduce<Int, Int> { count, step in
                    count += step
                    return .none
                },
                configuration: stage.configuration
            )
            stage.expectErrors(of: store)
            for number in 1...2 {
                stage.task("waiter \(number)") {
                    do {
                        try await store.condition(clock: stage.clock) { $0 > 0 }
                        stage.expect(false, "A state that was never loaded satisfies a condition")
                    } catch {
                        stage.expect(error, isAmong: [WaitError.notReady, .storeEnded])
                    }
                }
            }
            stage.task("taker") {
                do {
                    try await store.take(.where { _ in true }, clock: stage.clock)
                    stage.expect(false, "An action was reduced without a state")
                } catch {
                    stage.expect(error, isAmong: [WaitError.notReady, .storeEnded])
                }
            }
            stage.thread("sender") { store.send(1) }
            stage.task("owner") {
                await stage.yield()
                await store.shutdown(drain: .finishEffects)
            }
        },
        Scenario("Tasks that run a store return when it ends, whatever ends it") { stage in
            let store = stage.effectStore()
            let task = Shared<Task<Void, Never>?>(nil)
            stage.thread("runner") { task.value = stage.start("running") { try await store.run() } }
            stage.task("second runner") { try await store.run(endingWithin: .seconds(1), clock: stage.clock) }
            stage.thread("sender") { store.send(.slow) }
            stage.thread("canceller") {
                while task.value == nil { stage.pause() }
                task.value?.cancel()
            }
            stage.atEnd {
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run")
                stage.expect(!store.send(.tick).isAccepted, "A store that has ended accepts an action")
            }
        },
    ]
}
