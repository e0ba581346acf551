import ActorStore

/// What effects that shut something down see of each other: whether one was cancelled when its call returned, and later.
private final class Callers: @unchecked Sendable {
    // Sound: the stage lets one thread run at a time.
    private var states: [(atReturn: Bool, later: Bool)] = []

    /// Calls `shutDown`, and goes on for a while.
    func call(on stage: Stage, _ shutDown: () async -> Void) async {
        await shutDown()
        let atReturn = Task.isCancelled
        for _ in 1...4 { await stage.yield() }
        states.append((atReturn, Task.isCancelled))
    }

    func check(on stage: Stage, count: Int) {
        stage.expect(states.count, is: count, "the number of effects that went on")
        stage.expect(
            states.allSatisfy { $0.atReturn || !$0.later },
            "An effect was cancelled after the end of its store"
        )
    }
}

private func hasEnded(_ store: Store<WorkLog, WorkLog.Action>) -> Bool {
    if case .ended = store.phase { true } else { false }
}

extension Scenario {
    /// Effects that shut down a store, or a group, beside each other.
    static let callers: [Scenario] = [
        Scenario("An effect goes on after the end of its store, also if another one that asked for that is cancelled") {
            stage in
            let holder = Shared<Store<WorkLog, WorkLog.Action>?>(nil)
            let (callers, begun, task) = (Callers(), Shared(0), Shared<StoreTask?>(nil))
            let store = stage.workStore { number in
                .run { _ in
                    begun.value += 1
                    while begun.value < 2 { await stage.yield() }
                    let store = holder.value
                    if number == 1 {
                        await callers.call(on: stage) { await store?.shutdown(drain: .finishEffects) }
                    } else {
                        await store?.shutdown(drain: .finishEffects)
                    }
                }
            }
            holder.value = store
            stage.task("first") { try await store.dispatch(.ask(1)) }
            stage.task("second") { task.value = try await store.dispatch(.ask(2)) }
            stage.thread("canceller") {
                // An earlier one may cancel the first effect before it has asked for anything.
                while !hasEnded(store) || task.value == nil { stage.pause() }
                task.value?.cancel()
            }
            stage.atEnd {
                callers.check(on: stage, count: 1)
                holder.value = nil
            }
        },
        Scenario("An effect goes on after the end of its group, also if it has cancelled one that asks for that, too") {
            stage in
            let holder = Shared<StoreGroup<Int, WorkLog, WorkLog.Action>?>(nil)
            let (callers, begun) = (Callers(), Shared(0))
            let group = StoreGroup<Int, WorkLog, WorkLog.Action>(
                reducer: stage.worker { number in
                    .run { _ in
                        begun.value += 1
                        while begun.value < 2 { await stage.yield() }
                        let group = holder.value
                        if number == 1 {
                            await callers.call(on: stage) { await group?.shutdown(drain: .cancelEffects) }
                        } else {
                            await group?.shutdown(drain: .finishEffects)
                        }
                    }
                },
                configuration: stage.configuration,
                initialState: { _ in WorkLog() }
            )
            holder.value = group
            for number in 1...2 { stage.thread("sender \(number)") { group.send(.ask(number), to: number) } }
            stage.atEnd {
                callers.check(on: stage, count: 1)
                holder.value = nil
            }
        },
    ]
}
