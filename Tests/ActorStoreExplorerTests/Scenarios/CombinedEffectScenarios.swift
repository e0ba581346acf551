import ActorStore

private struct Failure: Error {}

extension Scenario {
    /// Effects with times, queues and identities, beside ends of stores and of children.
    static let combinedEffects: [Scenario] = [
        Scenario("A retried operation ends when it is cancelled, and with its store") { stage in
            let attempts = Shared(0)
            let store = Shared<Store<WorkLog, WorkLog.Action>?>(nil)
            store.value = stage.workStore { number in
                .run(id: "work") { send in
                    attempts.value += 1
                    await stage.yield()
                    if attempts.value < 4 { throw Failure() }
                    send(.done(number))
                }
                .retry(
                    RetryPolicy(maxAttempts: 3, backoff: .constant(.seconds(1)), jitter: .none),
                    clock: stage.clock
                )
            }
            if let store = store.value { stage.expectErrors(of: store) }
            let weak = store.value?.weak
            for number in 1...2 {
                stage.task("dispatcher \(number)") {
                    guard let task = try? await weak?.dispatch(.ask(number)) else { return }
                    if number == 2 { task.cancel() }
                    try? await task.finish()
                    stage.expect(task.isFinished, "A task that has been awaited is not finished")
                }
            }
            stage.thread("canceller") { weak?.send(.cancel) }
            stage.task("owner") {
                try await stage.clock.sleep(for: .milliseconds(1_500))
                store.value = nil
            }
            stage.atEnd { stage.expect(weak?.isAlive, is: false, "whether the store is still there") }
        },
        Scenario("An effect of a root ends a child and its effects, and reads their results") { stage in
            let childs = Shared<Store<ParentAndChild<WorkLog, WorkLog>, WorkLog.Action>?>(nil)
            let counts = Shared<[Int]>([])
            let root = stage.workStore { number in
                guard number >= 10 else { return .none }
                return .run { send in
                    await childs.value?.shutdown(drain: .finishEffects)
                    let log = childs.value?.snapshot.local
                    counts.value.append(log?.done.count ?? -1)
                    stage.expect(log?.done.count, is: log?.asked.count, "what the child has done")
                    send(.done(number))
                }
            }
            childs.value = root.child(
                initialState: WorkLog(),
                reducer: stage.worker { number in
                    stage.work(number).cancellable(id: "work", policy: .serial)
                }
            )
            let child = childs.value
            let accepted = Shared(0)
            for number in 1...2 {
                stage.thread("sender \(number)") {
                    if child?.send(.ask(number)).isAccepted == true { accepted.value += 1 }
                }
            }
            stage.task("dispatcher") {
                do {
                    try await root.dispatch(.ask(10)).finish()
                    stage.expect(root.snapshot.done.contains(10), "The effect has not sent")
                } catch {
                    stage.expect(error, isAmong: [StoreError.shutDown])
                }
            }
            stage.task("owner") {
                try await root.dispatch(.ask(11)).finish()
                await root.shutdown(drain: .finishEffects)
            }
            stage.atEnd {
                let log = child?.snapshot.local
                stage.expect(log?.asked.count, is: accepted.value, "what the child has reduced")
                stage.expect(log?.done.count, is: accepted.value, "what the child has done")
                let asked = root.snapshot.asked.filter { $0 >= 10 }
                stage.expect(counts.value, is: asked.map { _ in accepted.value }, "what the effects have found")
                stage.expect(root.statistics.lateActions, is: 0, "what came too late")
                childs.value = nil
            }
        },
        Scenario("A task that tracks feedback of a child's action ends with the child") { stage in
            let root = stage.workStore { _ in .none }
            let child = Shared<Store<ParentAndChild<WorkLog, WorkLog>, WorkLog.Action>?>(
                root.child(
                    initialState: WorkLog(),
                    reducer: stage.worker { number in
                        guard number % 10 > 0 else { return .none }
                        return .run(id: "work", policy: .serial) { send in
                            await stage.yield()
                            send(.ask(number - 1))
                        }
                    }
                )
            )
            for number in 1...2 {
                stage.task("dispatcher \(number)") {
                    guard let store = child.value else { return }
                    let task: StoreTask
                    do {
                        task = try await store.dispatch(.ask(10 * number + 2), tracksFeedback: true)
                    } catch {
                        return stage.expect(error, isAmong: [StoreError.shutDown])
                    }
                    try await task.finish()
                    stage.expect(task.isFinished, "A task that has been awaited is not finished")
                }
            }
            stage.thread("owner") { child.value = nil }
            stage.task("closer") { await child.value?.shutdown(drain: .finishEffects) }
            stage.thread("sender") { root.send(.ask(0)) }
            stage.atEnd {
                stage.expect(root.statistics.runningEffects, is: 0, "the number of effects that run")
                let asked = root.snapshot.asked.filter { $0 > 0 }
                for number in 1...2 {
                    let own = asked.filter { $0 / 10 == number }
                    stage.expect(own, is: Array([2, 1, 0].map { 10 * number + $0 }.prefix(own.count)), "the chain")
                }
            }
        },
        Scenario("Cancelling an identity of one store does not affect its child's and its parent's") { stage in
            let root = stage.workStore { number in
                stage.work(number).delay(for: .seconds(1), clock: stage.clock).cancellable(id: "work")
            }
            let child = root.child(
                initialState: WorkLog(),
                reducer: stage.worker { number in
                    stage.work(number).delay(for: .seconds(1), clock: stage.clock).cancellable(id: "work")
                },
                stopPropagation: { _ in true }
            )
            stage.task("dispatcher") { try await child.dispatch(.ask(1)).finish() }
            stage.thread("sender") { root.send(.ask(2)) }
            stage.task("canceller") {
                let isCancelled = root.snapshot.asked.contains(2) && root.snapshot.done.isEmpty
                await root.cancelEffects(id: "work")
                if !root.snapshot.done.isEmpty { return }
                try await stage.clock.sleep(for: .seconds(3))
                if isCancelled { stage.expect(root.snapshot.done, is: [], "what was done although it was cancelled") }
            }
            stage.atEnd {
                stage.expect(child.snapshot.local.done, is: [1], "what the child has done")
                stage.expect(root.statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("An operation dropped because others run does not begin, and all that begin are done") { stage in
            let begun = Shared<[Int]>([])
            let store = stage.workStore { number in
                .concatenate(
                    .run { _ in begun.value.append(number) },
                    stage.work(number)
                )
                .cancellable(id: "work", policy: number % 2 == 0 ? .ignoreIfRunning : .oldest(1, overflow: .drop))
            }
            for number in 1...3 { stage.thread("sender \(number)") { store.send(.ask(number)) } }
            stage.task("dispatcher") {
                let task = try await store.dispatch(.ask(4))
                try await task.finish()
                await store.shutdown(drain: .finishEffects)
            }
            stage.atEnd {
                let log = store.snapshot
                stage.expect(log.done.sorted(), is: begun.value.sorted(), "what was done of what has begun")
                if let first = log.asked.first {
                    stage.expect(begun.value.contains(first), "\(log.asked) \(begun.value)")
                }
                stage.expect(store.statistics.lateActions, is: 0, "what came too late")
            }
        },
        Scenario("The release of an owner during the beginning of its effects cancels them, and no others") { stage in
            let store = stage.workStore { number in
                .run { send in
                    try? await stage.clock.sleep(for: .seconds(number))
                    send(.done(number))
                }
            }
            let owned = Shared<EffectOwnership?>(nil)
            stage.task("dispatcher") {
                let task = try await store.dispatch(.ask(5))
                owned.value = task.owned()
                try await task.finish()
            }
            stage.task("second dispatcher") { try await store.dispatch(.ask(1)).finish() }
            stage.thread("owner") {
                while owned.value == nil { stage.pause() }
                owned.value = nil
            }
            stage.atEnd {
                let late = store.statistics.lateActions
                stage.expect(store.snapshot.done.contains(1), "Done was only \(store.snapshot.done)")
                stage.expect(
                    store.snapshot.done.count + late <= 2,
                    "Done was \(store.snapshot.done), late were \(late)"
                )
            }
        },
        Scenario("Effects of a dispatch whose task is cancelled begin, and are awaited by a shutdown") { stage in
            let store = stage.workStore { number in .merge(stage.work(number), stage.work(10 + number)) }
            let (task, accepted) = (Shared<Task<Void, Never>?>(nil), Shared(0))
            stage.thread("dispatcher") {
                task.value = stage.start("dispatching") {
                    do {
                        try await store.dispatch(.ask(1))
                        accepted.value += 1
                    } catch {
                        stage.expect(error, isAmong: [StoreError.shutDown, .cancelled])
                    }
                }
            }
            stage.thread("canceller") {
                while task.value == nil { stage.pause() }
                task.value?.cancel()
            }
            stage.thread("sender") { if store.send(.ask(2)).isAccepted { accepted.value += 1 } }
            stage.task("owner") {
                await store.shutdown(drain: .finishEffects)
                stage.expect(store.snapshot.done.count, is: 2 * store.snapshot.asked.count, "the finished operations")
            }
            stage.atEnd { stage.expect(store.snapshot.asked.count, is: accepted.value, "what was accepted") }
        },
    ]
}
