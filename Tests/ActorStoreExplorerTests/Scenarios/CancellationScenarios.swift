import ActorStore

extension Scenario {
    /// Effects that wait for the ends of stores, and pass their cancellation on.
    static let cancellations: [Scenario] = [
        Scenario("An effect that shuts its store down is not cancelled by other such effects that it cancels") {
            stage in
            let holder = Shared<Store<WorkLog, WorkLog.Action>?>(nil)
            let outcomes = Shared<[String]>([])
            let store = stage.workStore { number in
                .run { _ in
                    guard number == 1 else {
                        await holder.value?.shutdown(drain: .finishEffects)
                        return
                    }
                    await holder.value?.shutdown(drain: .cancelEffects)
                    for _ in 1...3 { await stage.yield() }
                    outcomes.value.append(Task.isCancelled ? "cancelled" : "went on")
                }
            }
            holder.value = store
            let begun = Shared(0)
            for number in 1...3 {
                stage.thread("sender \(number)") {
                    if store.send(.ask(number)).isAccepted, number == 1 { begun.value += 1 }
                }
            }
            stage.atEnd {
                stage.expect(outcomes.value.allSatisfy { $0 == "went on" }, "\(outcomes.value)")
                stage.expect(outcomes.value.count <= begun.value, "\(outcomes.value)")
                holder.value = nil
            }
        },
        Scenario(
            "An effect of a child that begins to end the tree is not cancelled by one above that waits for the child"
        ) {
            stage in
            let (root, child) = (
                Shared<Store<WorkLog, WorkLog.Action>?>(nil),
                Shared<Store<ParentAndChild<WorkLog, WorkLog>, WorkLog.Action>?>(nil)
            )
            let (isWaiting, outcomes) = (Shared(false), Shared<[String]>([]))
            root.value = stage.workStore { number in
                .run { _ in
                    isWaiting.value = true
                    if number == 1 {
                        try await child.value?.run()
                    } else {
                        await child.value?.shutdown(drain: .finishEffects)
                    }
                }
            }
            child.value = root.value?.child(
                initialState: WorkLog(),
                reducer: Reduce<WorkLog, WorkLog.Action> { _, _ in
                    .run { _ in
                        while !isWaiting.value { await stage.yield() }
                        root.value?.beginShutdown(drain: .cancelEffects)
                        for _ in 1...4 { await stage.yield() }
                        outcomes.value.append(Task.isCancelled ? "cancelled" : "went on")
                    }
                },
                action: { _ in nil }
            )
            for number in 1...2 { stage.thread("sender \(number)") { root.value?.send(.ask(number)) } }
            stage.thread("child's sender") { child.value?.send(.ask(3)) }
            stage.atEnd {
                stage.expect(outcomes.value.allSatisfy { $0 == "went on" }, "\(outcomes.value)")
                (root.value, child.value) = (nil, nil)
            }
        },
        Scenario("Cancelling a wait for the end of a store also cancels the effect that has shut that store down") {
            stage in
            let holder = Shared<Store<WorkLog, WorkLog.Action>?>(nil)
            let isDone = Shared(false)
            let store = stage.workStore { _ in
                .run { _ in
                    await holder.value?.shutdown(drain: .finishEffects)
                    while !Task.isCancelled { await stage.yield() }
                }
            }
            holder.value = store
            let other = stage.workStore { _ in
                .run { _ in
                    await holder.value?.shutdown(drain: .finishEffects)
                    isDone.value = true
                }
            }
            stage.thread("sender") { store.send(.ask(1)) }
            stage.task("dispatcher") {
                let task = try await other.dispatch(.ask(2))
                await stage.yield()
                task.cancel()
                _ = try? await task.finish()
                await store.shutdown(drain: .cancelEffects)
            }
            stage.atEnd { holder.value = nil }
        },
    ]
}
