import ActorStore
import ActorStoreCommands

/// A state that drives an effect.
struct Switch: Equatable, Sendable {
    enum Action: Sendable { case on, off, tick(Int), upload, uploaded, failed }

    var isOn = false
    var generation = 0
    var ticks = 0
    /// Ticks that came when none should have come.
    var strayTicks = 0
    var upload = EffectState<Problem>()

    struct Problem: Error, Hashable {}
}

extension Stage {
    fileprivate func switchStore() -> Store<Switch, Switch.Action> {
        Store(initialState: Switch(), configuration: configuration) { (state: inout Switch, action: Switch.Action) in
            switch action {
            case .on:
                if !state.isOn { state.generation += 1 }
                state.isOn = true
            case .off: state.isOn = false
            case .tick(let generation):
                if state.isOn && generation == state.generation { state.ticks += 1 } else { state.strayTicks += 1 }
            case .upload: state.upload.run(maxAttempts: 2, backoff: .constant(.seconds(1)))
            case .uploaded: state.upload.succeed()
            case .failed: state.upload.retryOrFail(with: Switch.Problem())
            }
        }
    }
}

extension Scenario {
    /// State-driven effects.
    static let drivenEffects: [Scenario] = [
        Scenario("Operations that the state no longer requests send nothing more") { stage in
            let store = stage.switchStore()
            let sends = Shared(0)
            store.effect(toggle: \.isOn) { state in
                let generation = state.generation
                return .run { context in
                    for _ in 1...2 {
                        sends.value += 1
                        context.send(.tick(generation))
                        await stage.yield()
                    }
                }
            }
            for number in 1...2 {
                stage.thread("switch \(number)") {
                    store.send(.on)
                    store.send(.off)
                    store.send(.on)
                }
            }
            stage.atEnd {
                let (state, statistics) = (store.snapshot, store.statistics)
                stage.expect(state.strayTicks, is: 0, "what came when nothing should have come")
                stage.expect(state.ticks + statistics.lateActions, is: sends.value, "the reduced or late actions")
                stage.expect(statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("The last change has its effect, whatever came before") { stage in
            let store = stage.counter()
            let seen = Shared<[Int]>([])
            store.effect(onChange: \.self) { old, new in
                stage.expect(new > old, "After \(old) came \(new)")
                return .run { context in
                    await stage.yield()
                    if !Task.isCancelled { seen.value.append(new) }
                }
            }
            for number in 1...2 { stage.thread("sender \(number)") { for _ in 1...2 { store.send(1) } } }
            stage.task("owner") {
                try await store.condition(clock: stage.clock) { $0 == 4 }
                await store.shutdown(drain: .finishEffects)
                // Not always the last one there: the task of the previous one is cancelled in the background.
                stage.expect(seen.value.contains(4), "The last effect is missing in \(seen.value)")
            }
        },
        Scenario("A failing driven effect is retried, and ends with its cancelled observation") { stage in
            let store = stage.switchStore()
            let attempts = Shared(0)
            let token = store.effect(on: \.upload, clock: stage.clock) { _, context in
                attempts.value += 1
                await stage.yield()
                throw Switch.Problem()
            } catch: { _ in
                .failed
            }
            for number in 1...2 { stage.thread("sender \(number)") { store.send(.upload) } }
            stage.task("canceller") {
                try await stage.clock.sleep(for: .milliseconds(500))
                token.cancel()
            }
            stage.atEnd {
                stage.expect(attempts.value <= 4, "There were \(attempts.value) attempts")
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("Effects driven by states of children end with the children") { stage in
            let root = stage.switchStore()
            let ends = Shared((begun: 0, ended: 0))
            let child = Shared<Store<ParentAndChild<Switch, Int>, Switch.Action>?>(
                root.child(initialState: 0, reducer: Reduce { (count: inout Int, _: Switch.Action) in count += 1 })
            )
            child.value?.effect(toggle: \.parent.isOn) { _ in
                .run { _ in
                    ends.value.begun += 1
                    try? await stage.clock.sleep(until: VirtualClock.never, tolerance: nil)
                    ends.value.ended += 1
                }
            }
            stage.thread("switch") {
                root.send(.on)
                root.send(.off)
                root.send(.on)
            }
            stage.thread("child's switch") { child.value?.send(.on) }
            stage.thread("owner") { child.value = nil }
            stage.atEnd {
                stage.expect(ends.value.ended, is: ends.value.begun, "how many effects have ended")
                stage.expect(root.statistics.runningEffects, is: 0, "the number of effects that run")
                stage.expect(root.statistics.observers, is: 0, "the number of observers")
            }
        },
    ]
}
