import ActorStore
import ActorStoreCommands

extension Scenario {
    /// Stores that send to each other, shared values, and observers that suspend one of several.
    static let peers: [Scenario] = [
        Scenario("Stores whose reducers send to each other during their shutdowns lose no accepted action") { stage in
            let peers = Shared<[Store<Int, Int>]>([])
            let accepted = Shared([0, 0])
            func make(_ other: Int) -> Store<Int, Int> {
                Store(initialState: 0, configuration: stage.configuration) { (count: inout Int, step: Int) in
                    count += 1
                    if step > 0, peers.value[other].send(step - 1).isAccepted { accepted.value[other] += 1 }
                }
            }
            peers.value = [make(1), make(0)]
            for sender in 0...1 {
                stage.thread("sender \(sender)") {
                    for _ in 1...2 where peers.value[sender].send(2).isAccepted { accepted.value[sender] += 1 }
                }
                stage.task("owner \(sender)") { await peers.value[sender].shutdown(drain: .finishEffects) }
            }
            stage.atEnd {
                for index in 0...1 {
                    let store = peers.value[index]
                    stage.expect(
                        store.snapshot + store.statistics.lateActions,
                        is: accepted.value[index],
                        "what store \(index) has reduced"
                    )
                    stage.expect(store.statistics.lateActions, is: 0, "what came too late to store \(index)")
                }
                peers.value = []
            }
        },
        Scenario("Stores of two trees whose observers send to each other, and their children, make progress") { stage in
            let (left, right) = (stage.counter(), stage.counter())
            let child = left.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            let tokens = [
                left.observe(\.self) { [weak right] count in if count > 0 && count < 4 { right?.send(1) } },
                right.observe(\.self) { [weak child] count in if count > 0 && count < 4 { child?.send(1) } },
            ]
            stage.thread("sender") { left.send(1) }
            stage.thread("second sender") { right.send(1) }
            stage.task("dispatcher") { try await child.dispatch(1) }
            stage.atEnd {
                stage.expect(left.snapshot - child.snapshot.local, is: 1, "what was sent to the root itself")
                stage.expect(right.snapshot, is: 4, "what the other store has reduced")
                tokens.forEach { $0.cancel() }
            }
        },
        Scenario("An effect that dispatches to another store and waits ends with both") { stage in
            let other = stage.counter()
            let store = Store(
                initialState: 0,
                reducer: Reduce<Int, Int> { count, step in
                    count += 1
                    guard step > 0 else { return .none }
                    return .run { send in
                        try await other.dispatch(step)
                        send(0)
                    }
                },
                configuration: stage.configuration
            )
            stage.expectErrors(of: store)
            let errors = Shared(0)
            for sender in 1...2 {
                stage.task("dispatcher \(sender)") {
                    do { try await store.dispatch(1).finish() } catch {
                        stage.expect(error, isAmong: [StoreError.shutDown])
                        errors.value += 1
                    }
                }
            }
            stage.task("other's owner") { await other.shutdown(drain: .finishEffects) }
            stage.atEnd {
                stage.expect(store.snapshot, is: 2 + other.snapshot, "the state")
                stage.expect(other.snapshot + errors.value, is: 2, "what the effects came to")
            }
        },
        Scenario("The changes of a shared value are saved, the newest last, also during its shutdown") { stage in
            let persistence = SlowPersistence(stage)
            let shared = ActorStoreCommands.SharedValue(0, persistence: persistence, configuration: stage.configuration)
            let changes = Shared(0)
            for number in 1...2 {
                stage.task("user \(number)") {
                    do {
                        try await shared.update { $0 += 1 }
                        changes.value += 1
                    } catch {
                        stage.expect(error, isAmong: [StoreError.shutDown, .notReady])
                    }
                }
            }
            stage.task("owner") {
                do {
                    try await shared.update { $0 += 10 }
                    changes.value += 10
                    try await shared.save()
                    stage.expect(persistence.saved.value ?? 0 >= 110, "Saved was \(persistence.saved.value ?? 0)")
                } catch {
                    stage.expect(error, isAmong: [StoreError.shutDown])
                }
                await shared.store.shutdown(drain: .finishEffects)
            }
            stage.atEnd {
                stage.expect(shared.value, is: 100 + changes.value, "the value")
                stage.expect(persistence.saved.value, is: 100 + changes.value, "what was saved")
            }
        },
        Scenario("Each of two observers that suspend a tree can end, and the tree continues") { stage in
            let root = stage.counter()
            let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            let policy = BufferingPolicy.bounded(1, onOverflow: .suspendStore)
            let kept = Shared<StoreSequence<Int>?>(root.values(of: \.self, buffering: policy))
            let values = child.values(of: \.local, buffering: policy)
            let task = Shared<Task<Void, Never>?>(nil)
            stage.thread("observer") {
                task.value = stage.start("observing") {
                    var last = -1
                    for await value in values {
                        stage.expect(value == last + 1, "After \(last) came \(value)")
                        last = value
                        await stage.yield()
                    }
                }
            }
            stage.thread("sender") { for _ in 1...2 { child.send(1) } }
            stage.task("dispatcher") { try await root.dispatch(1) }
            stage.thread("owner") { kept.value = nil }
            stage.thread("canceller") {
                while task.value == nil { stage.pause() }
                task.value?.cancel()
            }
            stage.atEnd { stage.expect(root.snapshot, is: 3, "the state") }
        },
        Scenario("Cancelled asynchronous observers are not called again, and suspend nothing") { stage in
            let store = stage.counter()
            let calls = Shared<[Int]>([])
            let token = store.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore)).observe(
                on: stage.executor
            ) { value async in
                calls.value.append(value)
                await stage.yield()
            }
            stage.thread("sender") { for _ in 1...2 { store.send(1) } }
            stage.task("dispatcher") { try await store.dispatch(1) }
            stage.thread("canceller") { token.cancel() }
            stage.atEnd {
                stage.expect(store.snapshot, is: 3, "the state")
                stage.expect(calls.value, is: calls.value.indices.map { $0 }, "the calls")
                stage.expect(store.statistics.observers, is: 0, "the number of observers")
            }
        },
    ]
}

private struct SlowPersistence: PersistenceStrategy {
    let stage: Stage
    let saved = Shared<Int?>(nil)
    init(_ stage: Stage) { self.stage = stage }

    func load() async throws -> Int? {
        await stage.yield()
        return 100
    }

    func save(_ value: Int) async throws {
        stage.expect(value > saved.value ?? 0, "After \(saved.value ?? 0), \(value) was saved")
        await stage.yield()
        saved.value = value
    }
}
