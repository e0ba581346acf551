import ActorStore
import ActorStoreCommands

private struct NotLoaded: Error {}

extension Stage {
    fileprivate func loadingLog(
        fails: Bool = false,
        _ configuration: StoreConfiguration? = nil,
        interceptors: [Interceptor<[Int], Int>] = []
    ) -> Store<[Int], Int> {
        Store(
            initialState: [-1],
            loading: { [self] in
                await self.yield()
                if fails { throw NotLoaded() }
                try Task.checkCancellation()
                return [0]
            },
            reducer: Reduce<[Int], Int> { log, entry in
                log.append(entry)
                return .none
            },
            interceptors: interceptors,
            configuration: configuration ?? self.configuration
        )
    }
}

extension Scenario {
    /// Loading beside rules, tables, children, isolated code, suspension and ends.
    static let combinedLoading: [Scenario] = [
        Scenario("A start rule's action precedes all others in a loading store, and each other rule has its own") {
            stage in
            let rules = Interceptor<[Int], Int>.observing(
                .onStart { 100 },
                .onAction { action, _ in action < 100 ? action + 100 : nil }
            )
            let store = stage.loadingLog(interceptors: [rules])
            let accepted = Shared(0)
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    if store.send(10 * sender + 1).isAccepted { accepted.value += 1 }
                    if store.send(contentsOf: [10 * sender + 2, 10 * sender + 3]).isAccepted { accepted.value += 2 }
                }
            }
            stage.task("dispatcher") {
                do {
                    try await store.dispatch(31)
                    accepted.value += 1
                } catch {
                    stage.expect(error, isAmong: [StoreError.shutDown, .notReady])
                }
            }
            stage.task("owner") {
                try? await store.ready()
                await store.shutdown(drain: .finishEffects)
            }
            stage.atEnd {
                let log = store.snapshot
                stage.expect(Array(log.prefix(2)), is: [0, 100], "the beginning of \(log)")
                stage.expect(log.filter { $0 > 0 && $0 < 100 }.count, is: accepted.value, "the reduced actions")
                let answers = log.filter { $0 > 100 }.map { $0 - 100 }
                let asked = log.filter { $0 > 0 && $0 < 100 }
                stage.expect(asked.starts(with: answers), "Of \(asked), answered were \(answers)")
            }
        },
        Scenario("Children and tables of a loading store end with it and retain nothing") { stage in
            let store = Shared<Store<[Int], Int>?>(stage.loadingLog())
            let ends = Shared(0)
            let rooms = Shared<StoreChildren<Int, ParentAndChild<Int, Int>, Int>?>(nil)
            let payload = Shared<Payload?>(Payload { ends.value += 1 })
            if let root = store.value, let held = payload.value {
                rooms.value = root.children(
                    forEach: \.self,
                    initialState: { _, _ in 0 },
                    reducer: Reduce<Int, Int> { count, step in
                        withExtendedLifetime(held) { count += step }
                        return .none
                    },
                    action: { _, step in step }
                )
            }
            payload.value = nil
            let accepted = Shared(0)
            guard let weak = store.value?.weak, let values = store.value?.values(of: \.self) else { return }
            let last = Shared<[Int]>([])
            stage.task("observer") { for await value in values { last.value = value } }
            stage.thread("sender") { for _ in 1...2 where weak.send(1).isAccepted { accepted.value += 1 } }
            stage.thread("room's sender") {
                for _ in 1...2 where rooms.value?[0]?.send(2).isAccepted == true { accepted.value += 1 }
            }
            stage.thread("owner") { store.value = nil }
            stage.thread("rooms' owner") { rooms.value = nil }
            stage.atEnd {
                stage.expect(!weak.isAlive && weak.snapshot == nil, "The store is still there")
                stage.expect(ends.value, is: 1, "the number of releases")
                let entries = last.value.filter { $0 > 0 }
                stage.expect(entries.count, is: accepted.value, "what was reduced: \(last.value)")
            }
        },
        Scenario("All waits for a failing loading end, and the child's as well") { stage in
            let store = stage.loadingLog(fails: true)
            stage.expectErrors(of: store)
            let child = store.child(initialState: 0, reducer: Reduce { (count: inout Int, _: Int) in count += 1 })
            let accepted = Shared(0)
            stage.task("waiter") {
                do {
                    try await child.condition(\.local, clock: stage.clock) { $0 > 0 }
                    stage.expect(false, "A wait that nothing satisfies is over")
                } catch {
                    stage.expect(error is WaitError || error is NotLoaded, "A wait failed: \(error)")
                }
            }
            stage.task("dispatcher") {
                do {
                    try await child.dispatch(1)
                    stage.expect(false, "A dispatch to a store that was not loaded returns")
                } catch {
                    stage.expect(error, isAmong: [StoreError.notReady, .shutDown])
                }
            }
            stage.task("reader") { _ = await child.state }
            stage.task("runner") {
                do { try await child.run() } catch { stage.expect(error is NotLoaded, "A run failed: \(error)") }
            }
            stage.task("closer") { await child.shutdown(drain: .finishEffects) }
            let values = child.values(of: \.local)
            stage.task("observer") { for await value in values { stage.expect(value, is: 0, "the value") } }
            stage.thread("sender") { for _ in 1...2 where child.send(1).isAccepted { accepted.value += 1 } }
            stage.atEnd {
                let statistics = store.statistics
                stage.expect(
                    statistics.rejectedActions + statistics.lateActions >= accepted.value,
                    "Accepted were \(accepted.value), \(statistics)"
                )
                // The errors' observer.
                stage.expect(statistics.observers, is: 1, "the number of observers")
                stage.expect(child.snapshot.local, is: 0, "what the child has reduced")
            }
        },
        Scenario("A loading store suspended by an observer ends at its deadline, or when it is resumed") { stage in
            let store = stage.loadingLog()
            let values = store.values(of: \.count, buffering: .bounded(1, onOverflow: .suspendStore))
            let isolated = Shared(0)
            stage.task("observer") {
                var last = 0
                for await value in values {
                    stage.expect(value, is: last + 1, "the next value")
                    last = value
                    try? await stage.clock.sleep(for: .milliseconds(300))
                }
            }
            let accepted = Shared(0)
            stage.thread("sender") { for number in 1...3 where store.send(number).isAccepted { accepted.value += 1 } }
            stage.task("isolated task") { await visit(store, isolated) }
            stage.task("owner") {
                let report = await store.shutdown(drain: .finishEffects, within: .seconds(2), clock: stage.clock)
                stage.expect(report.unfinishedEffects.isEmpty, "The shutdown reports \(report)")
            }
            stage.atEnd {
                let statistics = store.statistics
                let reduced = store.snapshot.filter { $0 > 0 }.count
                stage.expect(
                    reduced + statistics.lateActions + statistics.rejectedActions,
                    is: accepted.value,
                    "what was reduced or counted"
                )
                stage.expect(isolated.value, is: 1, "the visits")
            }
        },
        Scenario("Dispatches that wait for room in a loading store are cancelled, or reduced, at its release") {
            stage in
            var configuration = stage.configuration
            configuration.mailbox = .bounded(1, whenFull: .suspend)
            let store = Shared<Store<[Int], Int>?>(stage.loadingLog(configuration))
            guard let weak = store.value?.weak, let values = store.value?.values(of: \.self) else { return }
            let (last, accepted) = (Shared<[Int]>([]), Shared<Set<Int>>([]))
            stage.task("observer") { for await value in values { last.value = value } }
            let tasks = Shared<[Task<Void, Never>]>([])
            for number in 1...3 {
                stage.thread("dispatcher \(number)") {
                    let task = stage.start("dispatch \(number)") {
                        do {
                            try await weak.dispatch(number)
                            accepted.value.insert(number)
                        } catch {
                            stage.expect(error, isAmong: [StoreError.shutDown, .cancelled, .notReady])
                        }
                    }
                    tasks.value.append(task)
                }
            }
            stage.thread("sender") { if weak.send(4).isAccepted { accepted.value.insert(4) } }
            stage.thread("canceller") { tasks.value.first?.cancel() }
            stage.thread("owner") { store.value = nil }
            stage.atEnd {
                stage.expect(Set(last.value.filter { $0 > 0 }), is: accepted.value, "the reduced actions")
                stage.expect(weak.isAlive, is: false, "whether the store is still there")
            }
        },
        Scenario("withStore ends its store, whether its body returns, throws or is cancelled") { stage in
            let tasks = Shared<[Task<Void, Never>]>([])
            let (weak, ends) = (Shared<[WeakStore<EffectFeature.State, EffectFeature.Action>]>([]), Shared(0))
            for number in 1...3 {
                stage.thread("user \(number)") {
                    let task = stage.start("scope \(number)") {
                        do {
                            try await withStore(
                                initialState: EffectFeature.State(),
                                reducer: EffectFeature(stage: stage),
                                configuration: stage.configuration
                            ) { store in
                                weak.value.append(store.weak)
                                try await store.dispatch(.slow)
                                store.send(.twoParts)
                                if number == 1 { throw NotLoaded() }
                                if number == 2 {
                                    store.send(.unending)
                                    store.send(.cancel)
                                }
                            }
                        } catch {
                            let isExpected = error is NotLoaded || error is StoreError || error is CancellationError
                            stage.expect(isExpected, "A scope failed: \(error)")
                        }
                        ends.value += 1
                    }
                    tasks.value.append(task)
                }
            }
            stage.thread("canceller") {
                while tasks.value.isEmpty { stage.pause() }
                tasks.value.last?.cancel()
            }
            stage.atEnd {
                stage.expect(ends.value, is: 3, "the scopes that have ended")
                for store in weak.value { stage.expect(!store.send(.tick).isAccepted, "A store is open") }
            }
        },
    ]

    private static func visit(_ store: isolated Store<[Int], Int>, _ visits: Shared<Int>) { visits.value += 1 }
}
