import ActorStore

extension Scenario {
    /// Interceptors that come and go.
    static let interception: [Scenario] = [
        Scenario("An interceptor sees actions sent after its addition, and none sent after its removal") { stage in
            let store = stage.log()
            let (passed, removals) = (Shared<[Int]>([]), Shared(0))
            stage.thread("user") {
                store.send(11)
                let interception = store.use(
                    .settingUp("gate") { _ in
                        ActiveInterceptor { action, _, next in
                            passed.value.append(action)
                            try next(action)
                        } onRemoval: {
                            removals.value += 1
                        }
                    }
                )
                store.send(12)
                interception.remove()
                store.send(13)
            }
            for sender in 2...3 {
                stage.thread("sender \(sender)") { for step in 1...2 { store.send(10 * sender + step) } }
            }
            stage.atEnd {
                stage.expect(passed.value.filter { $0 / 10 == 1 }, is: [12], "what passed through the interceptor")
                stage.expect(store.snapshot.count, is: 7, "how much was reduced")
                stage.expect(store.snapshot.filter(passed.value.contains), is: passed.value, "the order")
                stage.expect(removals.value, is: 1, "the number of removals")
            }
        },
        Scenario(
            "Accepted actions are reduced or rejected while interceptors come and go, and a dispatch reports which"
        ) {
            stage in
            let store = stage.counter()
            let (accepted, rejected) = (Shared(0), Shared(0))
            let swallow = Interceptor<Int, Int>("swallow") { _, _, _ in }
            stage.thread("user") { store.use(swallow).remove() }
            stage.thread("second user") { store.use(swallow, at: .outermost).remove() }
            stage.thread("sender") { for _ in 1...2 where store.send(1).isAccepted { accepted.value += 1 } }
            stage.task("dispatcher") {
                for _ in 1...2 {
                    do {
                        try await store.dispatch(1)
                        accepted.value += 1
                    } catch {
                        stage.expect(error, isAmong: [StoreError.rejected(by: "swallow"), .shutDown])
                        guard error as? StoreError != .shutDown else { continue }
                        rejected.value += 1
                        accepted.value += 1
                    }
                }
            }
            stage.task("owner") { await store.shutdown(drain: .finishEffects) }
            stage.atEnd {
                let statistics = store.statistics
                stage.expect(store.snapshot + statistics.rejectedActions, is: accepted.value, "reduced or rejected")
                stage.expect(statistics.rejectedActions >= rejected.value, "Rejected were \(statistics)")
            }
        },
        Scenario("An asynchronous interceptor is called in the order of a task's dispatches, or these end") { stage in
            let store = stage.log()
            let interceptor = AsyncInterceptor<[Int], Int>("double") { action, _ in
                await stage.yield()
                return action % 10 == 2 ? nil : action
            }
            let expected = Shared<Set<Int>>([])
            stage.thread("user") {
                let interception = store.use(interceptor)
                stage.pause()
                interception.remove()
            }
            for number in 1...2 {
                stage.task("dispatcher \(number)") {
                    for step in 1...3 {
                        do {
                            try await store.dispatch(10 * number + step)
                            expected.value.insert(10 * number + step)
                        } catch {
                            stage.expect(error, isAmong: [StoreError.rejected(by: "double"), .shutDown])
                        }
                    }
                }
            }
            stage.task("owner") {
                await stage.yield()
                await store.shutdown(drain: .finishEffects)
            }
            stage.atEnd {
                let log = store.snapshot
                stage.expect(Set(log), is: expected.value, "the reduced actions")
                for number in 1...2 {
                    let own = log.filter { $0 / 10 == number }
                    stage.expect(own, is: own.sorted(), "the order")
                }
            }
        },
        Scenario("Interceptors of a child and of its root go with them, and are notified once") { stage in
            let root = stage.counter()
            let removals = Shared(0)
            let child = Shared<Store<ParentAndChild<Int, Int>, Int>?>(
                root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            )
            child.value?.use(
                .settingUp("child's") { _ in
                    ActiveInterceptor {
                        try $2($0)
                    } onRemoval: {
                        removals.value += 1
                    }
                }
            )
            root.use(
                .settingUp("root's") { _ in
                    ActiveInterceptor {
                        try $2($0)
                    } onRemoval: {
                        removals.value += 1
                    }
                }
            )
            let accepted = Shared(0)
            stage.thread("sender") {
                for _ in 1...2 where child.value?.send(1).isAccepted == true { accepted.value += 1 }
            }
            stage.thread("child's owner") { child.value = nil }
            stage.task("owner") { await root.shutdown(drain: .finishEffects) }
            stage.atEnd {
                stage.expect(removals.value, is: 2, "the number of removals")
                stage.expect(
                    root.snapshot + root.statistics.lateActions,
                    is: accepted.value,
                    "the reduced or late actions"
                )
            }
        },
    ]
}
