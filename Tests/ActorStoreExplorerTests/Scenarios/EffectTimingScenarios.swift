import ActorStore

/// Requested, begun and finished effects, by number.
struct WorkLog: Equatable, Sendable {
    enum Action: Sendable { case ask(Int), cancel, done(Int) }

    var asked: [Int] = []
    var done: [Int] = []
}

extension Stage {
    /// A store whose effects report their ends.
    func workStore(
        _ effect: @escaping @Sendable (_ number: Int) -> Effect<WorkLog.Action>
    ) -> Store<WorkLog, WorkLog.Action> {
        Store(initialState: WorkLog(), reducer: worker(effect), configuration: configuration)
    }

    /// The reducer of such a store.
    func worker(
        _ effect: @escaping @Sendable (_ number: Int) -> Effect<WorkLog.Action>
    ) -> Reduce<WorkLog, WorkLog.Action> {
        Reduce<WorkLog, WorkLog.Action> { log, action in
            switch action {
            case .ask(let number):
                log.asked.append(number)
                return effect(number)
            case .cancel: return .cancel(id: "work")
            case .done(let number):
                log.done.append(number)
                return .none
            }
        }
    }

    /// An operation that ends after a moment.
    func work(_ number: Int) -> Effect<WorkLog.Action> {
        .run { [self] send in
            await self.yield()
            send(.done(number))
        }
    }
}

extension Scenario {
    /// Queues, groups, policies and times of effects, with cancellations and ends.
    static let effectTiming: [Scenario] = [
        Scenario("Each action of an effect cancelled at any moment is reduced, or counted as late") { stage in
            let sends = Shared(0)
            let store = stage.workStore { number in
                .run(id: "work") { send in
                    for _ in 1...2 {
                        sends.value += 1
                        send(.done(number))
                        await stage.yield()
                    }
                }
            }
            for number in 1...2 {
                stage.task("dispatcher \(number)") {
                    let task = try await store.dispatch(.ask(number))
                    if number == 1 { task.cancel() }
                    try await task.finish()
                }
            }
            stage.task("canceller") {
                let isLast = store.snapshot.asked.count == 2
                await store.cancelEffects(id: "work")
                let done = store.snapshot.done.count
                await stage.yield()
                if isLast {
                    stage.expect(store.snapshot.done.count, is: done, "the actions reduced after the cancellation")
                }
            }
            stage.thread("second canceller") { store.send(.cancel) }
            stage.atEnd {
                let statistics = store.statistics
                stage.expect(store.snapshot.done.count + statistics.lateActions, is: sends.value, "reduced or late")
                stage.expect(statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("A queue advances when an operation in it is cancelled before, while and after it runs") { stage in
            let running = Shared(0)
            let store = stage.workStore { number in
                .run(id: "work", policy: .serial) { send in
                    running.value += 1
                    stage.expect(running.value, is: 1, "the number of effects that run")
                    await stage.yield()
                    running.value -= 1
                    send(.done(number))
                }
            }
            for number in 1...3 {
                stage.task("dispatcher \(number)") {
                    let task = try await store.dispatch(.ask(number))
                    if number == 2 { task.cancel() }
                    try await task.finish()
                }
            }
            stage.atEnd {
                let log = store.snapshot
                stage.expect(log.done.contains(1) && log.done.contains(3), "Done was only \(log.done)")
                stage.expect(log.done, is: log.asked.filter(log.done.contains), "the order")
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("A queue of groups is processed in order while the store shuts down") { stage in
            let store = stage.workStore { number in
                .concatenate(
                    stage.work(10 * number),
                    .merge(stage.work(10 * number + 1), .send(.done(10 * number + 2)))
                )
                .cancellable(id: "work", policy: .serial)
            }
            let accepted = Shared(0)
            for number in 1...2 {
                stage.thread("sender \(number)") { if store.send(.ask(number)).isAccepted { accepted.value += 1 } }
            }
            stage.task("owner") {
                if (try? await store.dispatch(.ask(3))) != nil { accepted.value += 1 }
                await store.shutdown(drain: .finishEffects)
                stage.expect(store.snapshot.done.count, is: 3 * store.snapshot.asked.count, "how much was done")
            }
            stage.atEnd {
                let log = store.snapshot
                stage.expect(log.asked.count, is: accepted.value, "the number of requests")
                stage.expect(log.done.map { $0 / 10 }, is: log.asked.flatMap { [$0, $0, $0] }, "the order")
            }
        },
        Scenario("The last of effects that replace each other is done, with all of its parts") { stage in
            let store = stage.workStore { number in
                .merge(
                    stage.work(10 * number),
                    .concatenate(stage.work(10 * number + 1), .send(.done(10 * number + 2)))
                )
                .cancellable(id: "work", policy: .cancelInFlight)
            }
            for number in 1...2 { stage.thread("sender \(number)") { store.send(.ask(number)) } }
            stage.task("dispatcher") { try await store.dispatch(.ask(3)).finish() }
            stage.atEnd {
                let log = store.snapshot
                let last = log.asked.last ?? 0
                stage.expect(log.done.filter { $0 / 10 == last }.count, is: 3, "the finished parts of the last one")
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("The newest effects run, and their tasks end") { stage in
            let store = stage.workStore { number in
                stage.work(number).cancellable(id: "work", policy: .newest(2))
            }
            for number in 1...3 {
                stage.task("dispatcher \(number)") { try await store.dispatch(.ask(number)).finish() }
            }
            stage.thread("sender") { store.send(.ask(4)) }
            stage.atEnd {
                let log = store.snapshot
                stage.expect(log.asked.suffix(2).allSatisfy(log.done.contains), "Of \(log.asked), done was \(log.done)")
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("The last request of a debounce is done, also during a shutdown") { stage in
            let store = stage.workStore { number in
                stage.work(number).debounce(id: "work", for: .seconds(1), clock: stage.clock)
            }
            for number in 1...2 { stage.thread("sender \(number)") { store.send(.ask(number)) } }
            stage.task("dispatcher") {
                do {
                    try await store.dispatch(.ask(3)).finish()
                } catch {
                    stage.expect(error, isAmong: [StoreError.shutDown])
                }
            }
            stage.task("owner") {
                try await stage.clock.sleep(for: .milliseconds(500))
                store.send(.ask(4))
                await store.shutdown(drain: .finishEffects)
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run")
            }
            stage.atEnd {
                let log = store.snapshot
                stage.expect(log.done.contains(log.asked.last ?? 0), "Of \(log.asked), done was \(log.done)")
            }
        },
        Scenario("The first and the last request of a throttle are done") { stage in
            let store = stage.workStore { number in
                stage.work(number).throttle(id: "work", for: .seconds(1), clock: stage.clock)
            }
            for number in 1...2 { stage.thread("sender \(number)") { store.send(.ask(number)) } }
            stage.task("dispatcher") { try await store.dispatch(.ask(3)).finish() }
            stage.task("later sender") {
                try await stage.clock.sleep(for: .milliseconds(400))
                store.send(.ask(4))
            }
            stage.atEnd {
                let log = store.snapshot
                stage.expect(log.done.contains(log.asked.last ?? 0), "Of \(log.asked), done was \(log.done)")
                stage.expect(log.done.contains(log.asked.first ?? 0), "Of \(log.asked), done was \(log.done)")
            }
        },
        Scenario("A debounce cancelled by its task, its identity or the end of the store ends") { stage in
            let store = Shared<Store<WorkLog, WorkLog.Action>?>(
                stage.workStore { number in
                    .merge(stage.work(number), stage.work(10 + number))
                        .debounce(id: "work", for: .seconds(1), maxWait: .seconds(2), clock: stage.clock)
                }
            )
            let root = store.value?.weak
            for number in 1...2 {
                stage.task("dispatcher \(number)") {
                    guard let task = try? await root?.dispatch(.ask(number)) else { return }
                    if number == 2 { task.cancel() }
                    try await task.finish()
                    stage.expect(task.isFinished, "A task that has been awaited is not finished")
                }
            }
            stage.thread("canceller") { root?.send(.cancel) }
            stage.task("owner") {
                try await stage.clock.sleep(for: .milliseconds(1_500))
                store.value = nil
            }
        },
        Scenario("An effect that ends its own store continues, and so do others that finish") { stage in
            let holder = Shared<Store<WorkLog, WorkLog.Action>?>(nil)
            let ends = Shared(0)
            let store = stage.workStore { number in
                guard number < 3 else { return stage.work(number) }
                return .run { _ in
                    await holder.value?.shutdown(drain: .finishEffects)
                    ends.value += 1
                }
            }
            holder.value = store
            let accepted = Shared<[Int]>([])
            for number in 1...4 {
                stage.thread("sender \(number)") {
                    if store.send(.ask(number)).isAccepted { accepted.value.append(number) }
                }
            }
            stage.task("owner") {
                await store.shutdown(drain: .finishEffects)
                for number in accepted.value where number >= 3 {
                    stage.expect(store.snapshot.done.contains(number), "Done was only \(store.snapshot.done)")
                }
            }
            stage.atEnd {
                stage.expect(ends.value, is: accepted.value.filter { $0 < 3 }.count, "how many effects have ended")
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run")
                holder.value = nil
            }
        },
        Scenario("Effects of a root and of its child that end the other one both continue") { stage in
            let childs = Shared<Store<ParentAndChild<WorkLog, WorkLog>, WorkLog.Action>?>(nil)
            let roots = Shared<Store<WorkLog, WorkLog.Action>?>(nil)
            let ends = Shared(0)
            let root = stage.workStore { number in
                guard number == 1 else { return .none }
                return .run { _ in
                    await childs.value?.shutdown(drain: .finishEffects)
                    ends.value += 1
                }
            }
            let child = root.child(
                initialState: WorkLog(),
                reducer: Reduce<WorkLog, WorkLog.Action> { log, action in
                    guard case .ask(2) = action else { return .none }
                    log.asked.append(2)
                    return .run { _ in
                        await roots.value?.shutdown(drain: .finishEffects)
                        ends.value += 1
                    }
                }
            )
            (roots.value, childs.value) = (root, child)
            let accepted = Shared(0)
            stage.thread("sender") { if root.send(.ask(1)).isAccepted { accepted.value += 1 } }
            stage.thread("child's sender") { if child.send(.ask(2)).isAccepted { accepted.value += 1 } }
            stage.atEnd {
                stage.expect(ends.value, is: accepted.value, "how many effects have ended")
                (roots.value, childs.value) = (nil, nil)
            }
        },
        Scenario("A task that tracks feedback awaits it, and cancels it") { stage in
            let store = stage.workStore { number in
                guard number % 10 > 0 else { return .none }
                return .run { send in
                    await stage.yield()
                    send(.ask(number - 1))
                }
            }
            stage.task("dispatcher") {
                try await store.dispatch(.ask(12), tracksFeedback: true).finish()
                stage.expect(store.snapshot.asked.filter { $0 / 10 == 1 }, is: [12, 11, 10], "what came of the action")
            }
            stage.task("second dispatcher") {
                let task = try await store.dispatch(.ask(22), tracksFeedback: true)
                task.cancel()
                try await task.finish()
                let asked = store.snapshot.asked.filter { $0 / 10 == 2 }
                await stage.yield()
                stage.expect(store.snapshot.asked.filter { $0 / 10 == 2 }, is: asked, "what comes after the end")
            }
            stage.thread("sender") { store.send(.ask(0)) }
            stage.atEnd { stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run") }
        },
        Scenario("All callers that await a task of effects return, or are cancelled, and the effects continue") {
            stage in
            let store = stage.workStore { stage.work($0) }
            let (awaited, waiting) = (Shared<StoreTask?>(nil), Shared<Task<Void, Never>?>(nil))
            stage.task("dispatcher") {
                let task = try await store.dispatch(.ask(1))
                awaited.value = task
                waiting.value = stage.start("cancelled waiter") {
                    do { try await task.finish() } catch {
                        stage.expect(error is CancellationError, "A wait failed: \(error)")
                    }
                }
                try await task.finish()
                stage.expect(store.snapshot.done.contains(1), "Done was only \(store.snapshot.done)")
            }
            stage.thread("canceller") {
                while waiting.value == nil { stage.pause() }
                waiting.value?.cancel()
            }
            stage.thread("sender") { store.send(.ask(2)) }
            stage.atEnd {
                stage.expect(store.snapshot.done.sorted(), is: [1, 2], "the finished operations")
                stage.expect(awaited.value?.isFinished, is: true, "whether the task is finished")
            }
        },
    ]
}
