import ActorStore

private struct NotLoaded: Error {}

extension Stage {
    /// A counter that begins with 10, counted in `reduced` if the `mailbox` permits.
    fileprivate func loadingCounter(
        _ reduced: Shared<Int>,
        mailbox: MailboxCapacity = .unbounded,
        fails: Bool = false
    ) -> Store<Int, Int> {
        var configuration = configuration
        configuration.mailbox = mailbox
        return Store(
            initialState: 0,
            loading: { [self] in
                await self.yield()
                if fails { throw NotLoaded() }
                try Task.checkCancellation()
                return 10
            },
            reducer: Reduce<Int, Int> { count, step in
                count += step
                reduced.value += step
                return .none
            },
            configuration: configuration
        )
    }
}

extension Scenario {
    /// Loading beside shutdowns, releases and failures.
    static let loading: [Scenario] = [
        Scenario("Actions accepted by a loading store are reduced or counted at its shutdown") { stage in
            let reduced = Shared(0)
            let store = stage.loadingCounter(reduced)
            let accepted = Shared(0)
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    for _ in 1...2 where store.send(1).isAccepted { accepted.value += 1 }
                }
            }
            stage.task("dispatcher") {
                do {
                    try await store.dispatch(1)
                    accepted.value += 1
                    stage.expect(store.snapshot > 10, "An action was reduced before the state was loaded")
                } catch {
                    stage.expect(error, isAmong: [StoreError.shutDown, .notReady])
                }
            }
            stage.task("owner") { await store.shutdown(drain: .finishEffects) }
            stage.atEnd {
                let statistics = store.statistics
                let counted = reduced.value + statistics.rejectedActions + statistics.lateActions
                stage.expect(
                    counted == accepted.value || counted == accepted.value + 1,
                    "Of \(accepted.value) actions there were \(reduced.value) reduced, and counted \(statistics)"
                )
            }
        },
        Scenario("Actions accepted by a loading store are reduced although it is released") { stage in
            let reduced = Shared(0)
            let store = Shared<Store<Int, Int>?>(stage.loadingCounter(reduced))
            let accepted = Shared(0)
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    for _ in 1...2 where store.value?.send(1).isAccepted == true { accepted.value += 1 }
                }
            }
            stage.thread("owner") { store.value = nil }
            stage.atEnd { stage.expect(reduced.value, is: accepted.value, "the reduced actions") }
        },
        Scenario("A store whose loading fails refuses or counts all actions, and its errors have the reason") { stage in
            let reduced = Shared(0)
            let store = stage.loadingCounter(reduced, mailbox: .bounded(1, whenFull: .suspend), fails: true)
            let (accepted, errors) = (Shared(0), store.errors)
            stage.thread("sender") { for _ in 1...3 where store.send(1).isAccepted { accepted.value += 1 } }
            for number in 1...2 {
                stage.task("dispatcher \(number)") {
                    do {
                        try await store.dispatch(1)
                        stage.expect(false, "A store that has no state reduces an action")
                    } catch {
                        stage.expect(error, isAmong: [StoreError.notReady])
                    }
                }
            }
            stage.task("waiter") {
                do {
                    try await store.ready()
                    stage.expect(false, "The store is ready")
                } catch {
                    stage.expect(error is NotLoaded, "The store is not ready: \(error)")
                }
                for await failure in errors {
                    stage.expect(failure.error is NotLoaded, "The error is \(failure.error)")
                    break
                }
            }
            stage.atEnd {
                stage.expect(reduced.value, is: 0, "the reduced actions")
                stage.expect(store.statistics.rejectedActions >= accepted.value, "Counted were \(store.statistics)")
            }
        },
        Scenario("Dispatches that wait for room in a loading store are reduced in the end") { stage in
            let reduced = Shared(0)
            let store = stage.loadingCounter(reduced, mailbox: .bounded(1, whenFull: .suspend))
            for number in 1...3 { stage.task("dispatcher \(number)") { try await store.dispatch(1) } }
            let values = store.values(of: \.self, buffering: .unbounded)
            stage.task("observer") {
                for await value in values {
                    stage.expect(value >= 10, "A value from before the loading: \(value)")
                    if value == 13 { break }
                }
            }
            stage.atEnd { stage.expect(store.snapshot, is: 13, "the state") }
        },
        Scenario("A child of a loading store, and code isolated to it, wait for the state") { stage in
            let reduced = Shared(0)
            let root = stage.loadingCounter(reduced)
            let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            stage.task("isolated task") {
                let count = await count(of: root)
                stage.expect(count >= 10, "Isolated code has seen \(count)")
            }
            stage.thread("sender") { for _ in 1...2 { child.send(1) } }
            stage.task("dispatcher") {
                try await child.dispatch(1)
                stage.expect(child.snapshot.parent > 10, "An action was reduced before the state was loaded")
            }
            stage.atEnd {
                stage.expect(root.snapshot, is: 13, "the state of the root")
                stage.expect(child.snapshot.local, is: 3, "the state of the child")
            }
        },
    ]

    private static func count(of store: isolated Store<Int, Int>) -> Int { store.snapshot }
}
