import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import ActorStoreInstruments

private struct Count: SideEffect {
    let stage: Stage
    func run(_ context: SideEffectContext<Int, Int>) async throws -> Int {
        context.send(1)
        await stage.yield()
        try await context.dispatch(1)
        return context.snapshot
    }
}

extension Scenario {
    /// Features added to a store at run time, and observations other than values.
    static let runTime: [Scenario] = [
        Scenario("An attached reducer reduces later actions, and none after its detachment") { stage in
            let store = stage.log()
            stage.thread("user") {
                store.send(11)
                store.attach(
                    reducer: Reduce<[Int], Int> { log, action in
                        log.append(-action)
                        return .none
                    },
                    forKey: "negative"
                )
                store.send(12)
                store.detach(reducerForKey: "negative")
                store.send(13)
            }
            for sender in 2...3 {
                stage.thread("sender \(sender)") { for step in 1...2 { store.send(10 * sender + step) } }
            }
            stage.atEnd {
                let log = store.snapshot
                stage.expect(log.filter { $0 < 0 && $0 > -20 }, is: [-12], "what the attached reducer has reduced")
                stage.expect(log.filter { $0 > 0 }.count, is: 7, "how much was reduced")
            }
        },
        Scenario("Reducers and interceptors added during the release of a store block nothing") { stage in
            let store = Shared<Store<Int, Int>?>(stage.counter())
            let ends = Shared(0)
            for number in 1...2 {
                stage.thread("user \(number)") {
                    let payload = Payload { ends.value += 1 }
                    store.value?.attach(
                        reducer: Reduce<Int, Int> { count, _ in
                            withExtendedLifetime(payload) { count += 1 }
                            return .none
                        },
                        forKey: number
                    )
                    store.value?.use(
                        Interceptor("payload") { action, _, next in
                            try withExtendedLifetime(payload) { try next(action) }
                        }
                    )
                }
            }
            stage.thread("sender") { for _ in 1...2 { store.value?.send(1) } }
            stage.thread("owner") { store.value = nil }
            stage.atEnd { stage.expect(ends.value, is: 2, "the number of releases") }
        },
        Scenario("Side effects return their results, or throw the reason of their end, during a shutdown") { stage in
            let store = stage.counter()
            let returned = Shared(0)
            let task = Shared<Task<Void, Never>?>(nil)
            for number in 1...2 {
                stage.thread("user \(number)") {
                    let started = stage.start("side effect \(number)") {
                        do {
                            let count = try await store.dispatch(Count(stage: stage))
                            stage.expect(count >= 2, "A side effect has seen \(count)")
                            returned.value += 1
                        } catch {
                            let isExpected = error is CancellationError || error is StoreError
                            stage.expect(isExpected, "A side effect failed: \(error)")
                        }
                    }
                    if number == 1 { task.value = started }
                }
            }
            stage.thread("canceller") {
                while task.value == nil { stage.pause() }
                task.value?.cancel()
            }
            stage.task("owner") { await store.shutdown(drain: .finishEffects) }
            stage.atEnd {
                stage.expect(store.snapshot >= 2 * returned.value, "The state is \(store.snapshot)")
                stage.expect(store.statistics.runningEffects, is: 0, "the number of effects that run")
            }
        },
        Scenario("An observation until a last value ends with it, and delivers nothing after it") { stage in
            let store = stage.counter()
            let (tokens, seen) = (Shared<[StoreObservation]>([]), Shared<[Int: [Int]]>([:]))
            for number in 1...2 {
                stage.thread("observer \(number)") {
                    let token = store.observe(.part(\.self).until { $0 >= 2 }) { value in
                        seen.value[number, default: []].append(value)
                    }
                    tokens.value.append(token)
                }
            }
            for sender in 1...3 { stage.thread("sender \(sender)") { store.send(1) } }
            stage.atEnd {
                stage.expect(store.statistics.observers, is: 0, "the number of observers")
                for values in seen.value.values {
                    stage.expect(values.count { $0 >= 2 } == 1 && values.last ?? 0 >= 2, "The values are \(values)")
                    stage.expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 }, "The values are \(values)")
                }
                stage.expect(seen.value.count, is: 2, "the number of notified observers")
                tokens.value = []
            }
        },
        Scenario("An observer of actions gets each action with its state, in order, until the store ends") { stage in
            let store = stage.counter()
            let actions = store.actions
            stage.task("observer") {
                var (count, sum) = (0, 0)
                for await (action, state) in actions {
                    sum += action
                    count += 1
                    stage.expect(state, is: sum, "the state after an action")
                }
                stage.expect(sum, is: store.snapshot, "the sum of the actions")
            }
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    store.send(1)
                    store.send(contentsOf: [2, 3])
                }
            }
            stage.task("dispatcher") {
                do { try await store.dispatch(4) } catch { stage.expect(error, isAmong: [StoreError.shutDown]) }
            }
            stage.task("owner") { await store.shutdown(drain: .finishEffects) }
        },
        Scenario("Errors of effects reach initial observers, each once, and are counted") { stage in
            let store = stage.effectStore()
            let (errors, count) = (store.errors, Shared(0))
            stage.task("observer") { for await _ in errors { count.value += 1 } }
            stage.thread("sender") { for _ in 1...2 { store.send(.fail) } }
            stage.task("dispatcher") { try? await store.dispatch(.fail).finish() }
            stage.task("owner") { await store.shutdown(drain: .finishEffects) }
            stage.atEnd {
                stage.expect(count.value, is: store.snapshot.begun, "the errors that were seen")
                stage.expect(store.statistics.failures, is: count.value, "the errors that were counted")
            }
        },
        Scenario("Instruments that come and go count what happens in between") { stage in
            let store = stage.effectStore()
            let (kept, passing) = (CountingInstrument(), CountingInstrument())
            store.use(kept)
            stage.thread("user") { store.use(passing).remove() }
            for sender in 1...2 { stage.thread("sender \(sender)") { store.send(.run) } }
            stage.task("dispatcher") { try? await store.dispatch(.slow).finish() }
            stage.task("owner") { await store.shutdown(drain: .finishEffects) }
            stage.atEnd {
                let counts = kept.counts
                stage.expect(counts.runningEffects, is: 0, "the effects that run by the instrument")
                stage.expect(counts.begunEffects, is: store.snapshot.begun, "the effects that have begun")
                let reduced = store.statistics.reducedActions
                stage.expect(counts.reductions.count, is: Int(reduced), "the actions that were reduced")
            }
        },
        Scenario("Nested scopes show their store's state, and end with it") { stage in
            let store = Store(initialState: Nested(), configuration: stage.configuration) {
                (state: inout Nested, step: Int) in
                state.inner.pair.first += step
                state.inner.pair.second += step
            }
            let scope = store.scope(\.inner).scope(\.pair)
            let values = scope.values(of: \.self, buffering: .unbounded)
            stage.task("observer") {
                var last = -1
                for await pair in values {
                    stage.expect(pair.first == pair.second, "A value is torn: \(pair)")
                    stage.expect(pair.first == last + 1, "After \(last) came \(pair.first)")
                    last = pair.first
                }
                stage.expect(last, is: store.snapshot.inner.pair.first, "the last value")
            }
            stage.thread("sender") { for _ in 1...2 { scope.send(1) } }
            stage.thread("second sender") { store.send(1) }
            stage.task("owner") { await scope.shutdown(drain: .finishEffects) }
        },
    ]
}

private struct Nested: Sendable, Equatable {
    struct Inner: Sendable, Equatable { var pair = Pair() }
    var inner = Inner()
}
