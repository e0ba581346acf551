import ActorStore
import ActorStoreGroups

/// The mutual visibility of effects that shut something down: whether one was cancelled when its call returned, and
/// later.
private final class Callers: @unchecked Sendable {
    // Sound: the stage lets one thread run at a time.
    private var states: [(atReturn: Bool, later: Bool)] = []
    private var begun = 0

    /// Waits until two have begun, and shuts down; the first one continues for a while.
    func effect(
        _ number: Int,
        on stage: Stage,
        firstDrain: ShutdownDrain,
        _ shutDown: @escaping @Sendable (ShutdownDrain) async -> Void
    ) -> Effect<WorkLog.Action> {
        .run { [self] _ in
            begun += 1
            while begun < 2 { await stage.yield() }
            if number == 1 {
                await call(on: stage) { await shutDown(firstDrain) }
            } else {
                await shutDown(.finishEffects)
            }
        }
    }

    private func call(on stage: Stage, _ shutDown: () async -> Void) async {
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
    /// Effects that shut down a store, or a group, concurrently.
    static let callers: [Scenario] = [
        Scenario("An effect continues after the end of its store, also if another requester of that is cancelled") {
            stage in
            let holder = Shared<Store<WorkLog, WorkLog.Action>?>(nil)
            let (callers, task) = (Callers(), Shared<StoreTask?>(nil))
            let store = stage.workStore { number in
                callers.effect(number, on: stage, firstDrain: .finishEffects) {
                    await holder.value?.shutdown(drain: $0)
                }
            }
            holder.value = store
            stage.task("first") { try await store.dispatch(.ask(1)) }
            stage.task("second") { task.value = try await store.dispatch(.ask(2)) }
            stage.thread("canceller") {
                // An earlier one may cancel the first effect before its request.
                while !hasEnded(store) || task.value == nil { stage.pause() }
                task.value?.cancel()
            }
            stage.atEnd {
                callers.check(on: stage, count: 1)
                holder.value = nil
            }
        },
        Scenario("An effect continues after the end of its group, also if it has cancelled another requester of that") {
            stage in
            let holder = Shared<StoreGroup<Int, WorkLog, WorkLog.Action>?>(nil)
            let callers = Callers()
            let group = StoreGroup<Int, WorkLog, WorkLog.Action>(
                reducer: stage.worker { number in
                    callers.effect(number, on: stage, firstDrain: .cancelEffects) {
                        await holder.value?.shutdown(drain: $0)
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
