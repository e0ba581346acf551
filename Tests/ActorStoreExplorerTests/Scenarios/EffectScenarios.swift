import ActorStore

/// A reducer with an effect of each kind.
struct EffectFeature: Reducer {
    struct State: Equatable, Sendable {
        var begun = 0
        var ticks = 0
        var done = 0
    }

    enum Action: Sendable {
        case run, twoParts, fail, slow, unending, cancel, tick, done
    }

    struct Failure: Error {}
    let stage: Stage

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .run:
            state.begun += 1
            return .run { send in send(.done) }
        case .twoParts:
            state.begun += 1
            return .concatenate(.run { _ in }, .send(.done))
        case .fail:
            state.begun += 1
            return .run { _ in throw Failure() }
        case .slow:
            state.begun += 1
            return .run { [stage] send in
                send(.tick)
                await stage.yield()
                send(.done)
            }
        case .unending:
            state.begun += 1
            return .run(id: "unending") { [stage] send in
                try? await stage.clock.sleep(until: VirtualClock.never, tolerance: nil)
                send(.done)
            }
        case .cancel: return .cancel(id: "unending")
        case .tick: state.ticks += 1
        case .done: state.done += 1
        }
        return .none
    }
}

extension Stage {
    func effectStore() -> Store<EffectFeature.State, EffectFeature.Action> {
        Store(initialState: .init(), reducer: EffectFeature(stage: self), configuration: configuration)
    }
}

extension Scenario {
    /// Effects that begin, end, fail and are cancelled.
    static let effects = [
        Scenario("The actions of an effect are reduced, and its end is awaited") { stage in
            let store = stage.effectStore()
            stage.task("dispatcher") {
                let task = try await store.dispatch(.run)
                try await task.finish()
                stage.expect(task.isFinished, "A task that has been awaited is not finished")
            }
            stage.thread("sender") { store.send(.twoParts) }
            stage.thread("second sender") { store.send(.tick) }
            stage.atEnd {
                let state = store.snapshot
                stage.expect(state, is: .init(begun: 2, ticks: 1, done: 2), "the state")
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("A cancelled effect ends, and its later actions are dropped") { stage in
            let store = stage.effectStore()
            stage.task("dispatcher") {
                let task = try await store.dispatch(.unending)
                try await task.finish()
            }
            stage.task("canceller") {
                while store.snapshot.begun == 0 { await stage.yield() }
                store.send(.cancel)
            }
            stage.thread("sender") { store.send(.tick) }
            stage.atEnd {
                stage.expect(store.snapshot.ticks, is: 1, "the ticks")
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("A cancelled task of effects ends") { stage in
            let store = stage.effectStore()
            stage.task("dispatcher") {
                let task = try await store.dispatch(.slow)
                task.cancel()
                try await task.finish()
            }
            stage.thread("sender") { store.send(.tick) }
            stage.atEnd {
                let state = store.snapshot
                stage.expect(state.done <= 1 && state.ticks <= 2 && state.ticks >= 1, "The state is \(state)")
            }
        },
        Scenario("An error of an effect reaches the observers of errors, and the task") { stage in
            let store = stage.effectStore()
            let errors = store.errors
            stage.task("observer") {
                for await failure in errors {
                    stage.expect(failure.error is EffectFeature.Failure, "The error is \(failure.error)")
                    break
                }
            }
            stage.task("dispatcher") {
                let task = try await store.dispatch(.fail)
                do {
                    try await task.finish()
                    stage.expect(false, "The task has no error")
                } catch {
                    stage.expect(error is EffectFeature.Failure, "The error of the task is \(error)")
                }
            }
            stage.thread("sender") { store.send(.tick) }
        },
    ]
}
