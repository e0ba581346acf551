import ActorStore

/// The actions of operations with a deadline: the steps of each, and whether it timed out.
struct TimedWork: Equatable, Sendable {
    enum Action: Equatable, Sendable { case ask, step, done, timedOut }

    var actions: [Action] = []
    var steps: Int { actions.count { $0 == .step } }
}

extension Stage {
    /// A store whose effects take a second, have a timeout of the same length, and send steps in between.
    fileprivate func timedStore(
        _ sends: Shared<Int>,
        onTimeout: (@Sendable () -> TimedWork.Action?)? = { .timedOut }
    ) -> Store<TimedWork, TimedWork.Action> {
        Store(
            initialState: TimedWork(),
            reducer: Reduce<TimedWork, TimedWork.Action> { [clock] work, action in
                work.actions.append(action)
                guard action == .ask else { return .none }
                return .run(id: "work") { send in
                    for _ in 1...2 {
                        sends.value += 1
                        send(.step)
                        try? await clock.sleep(for: .milliseconds(500))
                    }
                    sends.value += 1
                    send(.done)
                }
                .timeout(after: .seconds(1), clock: clock, onTimeout: onTimeout)
            },
            configuration: configuration
        )
    }
}

extension Scenario {
    /// An operation with a timeout.
    static let timeouts: [Scenario] = [
        Scenario("No action of an operation is accepted after its deadline, and each is reduced or counted as late") {
            stage in
            let (sends, tasks) = (Shared(0), Shared(0))
            let store = stage.timedStore(sends)
            stage.task("dispatcher") {
                try await store.dispatch(.ask).finish()
                stage.expect(store.snapshot.actions.last != .ask, "An effect that has finished has sent nothing")
                tasks.value += 1
            }
            stage.thread("sender") { store.send(.step) }
            stage.atEnd {
                let actions = store.snapshot.actions
                stage.expect(tasks.value, is: 1, "how many effects have ended")
                let ends = actions.drop { $0 != .done && $0 != .timedOut }.filter { $0 != .step }
                stage.expect([[.done], [.timedOut], [.done, .timedOut]].contains(ends), "The ends are \(ends)")
                stage.expect(
                    actions.count { $0 != .timedOut } + store.statistics.lateActions,
                    is: sends.value + 2,
                    "what of the work was reduced or late"
                )
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("An operation cancelled by its deadline, its identity and its store has one end") { stage in
            let sends = Shared(0)
            let store = stage.timedStore(sends, onTimeout: nil)
            stage.expectErrors(of: store)
            let errors = store.errors
            let failures = Shared(0)
            stage.task("observer") { for await _ in errors { failures.value += 1 } }
            stage.task("dispatcher") {
                do {
                    try await store.dispatch(.ask).finish()
                } catch is TimedOut {
                } catch {
                    stage.expect(error, isAmong: [StoreError.shutDown])
                }
            }
            stage.task("canceller") {
                try await stage.clock.sleep(for: .seconds(1))
                await store.cancelEffects(id: "work")
            }
            stage.task("owner") {
                try await stage.clock.sleep(for: .seconds(1))
                await store.shutdown(drain: .cancelEffects)
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects after the shutdown")
            }
            stage.atEnd {
                stage.expect(failures.value <= 1, "One effect has failed \(failures.value) times")
                stage.expect(
                    store.snapshot.actions.count { $0 != .ask } + store.statistics.lateActions,
                    is: sends.value,
                    "what of the work was reduced or late"
                )
            }
        },
        Scenario("A store that finishes its effects waits for their deadlines, and accepts their timeout actions") {
            stage in
            let sends = Shared(0)
            let store = stage.timedStore(sends)
            let accepted = Shared(0)
            for number in 1...2 {
                stage.thread("sender \(number)") { if store.send(.ask).isAccepted { accepted.value += 1 } }
            }
            stage.task("owner") {
                await store.shutdown(drain: .finishEffects)
                let ends = store.snapshot.actions.count { $0 == .timedOut || $0 == .done }
                stage.expect(ends >= accepted.value, "Of \(accepted.value) effects only \(ends) have come to an end")
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
    ]
}
