import ActorStore

private actor Display {
    private(set) var values: [Int] = []
    func show(_ value: Int) { values.append(value) }
}

extension Scenario {
    /// Observers that are isolated to stores and actors.
    static let combinedObservers: [Scenario] = [
        Scenario("A loop isolated to another store sends the received values to it, until either ends") { stage in
            let (left, right) = (stage.counter(), stage.log())
            let seen = Shared<[Int]>([])
            let values = left.values(of: \.self, buffering: .unbounded)
            stage.task("observer") { await pass(values, to: right, on: stage, seen) }
            for sender in 1...2 { stage.thread("sender \(sender)") { for _ in 1...2 { left.send(1) } } }
            stage.task("dispatcher") { _ = try? await right.dispatch(-1) }
            stage.task("owner") { await left.shutdown(drain: .finishEffects) }
            stage.task("right's owner") { await right.shutdown(drain: .finishEffects) }
            stage.atEnd {
                let told = right.snapshot.filter { $0 >= 0 }
                stage.expect(told, is: Array(seen.value.prefix(told.count)), "the sent actions")
                stage.expect(seen.value, is: Array(0...left.snapshot), "the values")
                stage.expect(left.statistics.observers, is: 0, "the number of observers")
            }
        },
        Scenario("Stores that suspend each other in a chain resume with the last observer") { stage in
            let (first, second) = (stage.counter(), stage.log())
            let policy = BufferingPolicy.bounded(1, onOverflow: .suspendStore)
            let chain = first.values(of: \.self, buffering: policy)
            let seen = Shared<[Int]>([])
            stage.task("chain") { await pass(chain, to: second, on: stage, seen) }
            let values = second.values(of: \.count, buffering: policy)
            let task = Shared<Task<Void, Never>?>(nil)
            stage.thread("observer") {
                task.value = stage.start("observing") {
                    var last = -1
                    for await value in values {
                        stage.expect(value, is: last + 1, "the next value")
                        last = value
                        await stage.yield()
                    }
                }
            }
            for sender in 1...2 { stage.thread("sender \(sender)") { for _ in 1...2 { first.send(1) } } }
            stage.task("dispatcher") {
                try await second.dispatch(-1)
                stage.expect(second.snapshot.contains(-1), "The state is \(second.snapshot)")
            }
            stage.thread("canceller") {
                while task.value == nil { stage.pause() }
                task.value?.cancel()
            }
            stage.task("owner") {
                try await first.condition(clock: stage.clock) { $0 == 4 }
                await first.shutdown(drain: .finishEffects)
            }
            stage.atEnd {
                stage.expect(first.snapshot, is: 4, "the state of the first store")
                stage.expect(second.snapshot.filter { $0 >= 0 }, is: [0, 1, 2, 3, 4], "what the second store got")
            }
        },
        Scenario("Two stores whose isolated code dispatches to the other make progress") { stage in
            let (left, right) = (stage.counter(), stage.counter())
            for _ in 1...2 {
                stage.task("left's code") { try await exchange(left, right) }
                stage.task("right's code") { try await exchange(right, left) }
            }
            stage.thread("sender") { left.send(1) }
            stage.atEnd {
                stage.expect(left.snapshot, is: 5, "the state of the left store")
                stage.expect(right.snapshot, is: 4, "the state of the right store")
            }
        },
        Scenario("Observers on an actor get each value in order, until they are cancelled or their child goes") {
            stage in
            let root = stage.counter()
            let child = Shared<Store<ParentAndChild<Int, Int>, Int>?>(
                root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            )
            let tokens = Shared<[StoreObservation]>([])
            let logs = Shared<[Int: [Int]]>([:])
            let display = Display()
            for number in 1...2 {
                stage.task("observer \(number)") {
                    guard let child = child.value else { return }
                    let policy = BufferingPolicy.bounded(1, onOverflow: .suspendStore)
                    let token = child.values(of: \.local, buffering: policy).observe(on: stage.executor) {
                        value async in
                        logs.value[number, default: []].append(value)
                        await display.show(value)
                    }
                    tokens.value.append(token)
                }
            }
            stage.thread("sender") { for _ in 1...2 { child.value?.send(1) } }
            stage.task("dispatcher") { try await root.dispatch(1) }
            stage.thread("canceller") { tokens.value.first?.cancel() }
            stage.thread("owner") { child.value = nil }
            stage.atEnd {
                for (_, log) in logs.value {
                    stage.expect(zip(log, log.dropFirst()).allSatisfy { $1 == $0 + 1 }, "The values were \(log)")
                }
                stage.expect(root.statistics.observers, is: 0, "the number of observers")
                tokens.value = []
            }
        },
        Scenario("The observers of an owner end with it, and block neither the store nor the child") { stage in
            let root = stage.counter()
            let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            let ends = Shared(0)
            let owner = Shared<Payload?>(Payload { ends.value += 1 })
            let last = Shared(-1)
            if let owner = owner.value {
                child.observe(\.local) { value in
                    stage.expect(value > last.value, "After \(last.value) came \(value)")
                    last.value = value
                    if value < 3 { child.send(1) }
                }.bound(to: owner)
            }
            let payload = Shared<Payload?>(Payload { ends.value += 1 })
            let held = payload.value
            let token = Shared<StoreObservation?>(child.observe(\.parent) { _ in withExtendedLifetime(held) {} })
            payload.value = nil
            stage.thread("sender") { root.send(1) }
            stage.thread("child's sender") { child.send(1) }
            stage.thread("owner") { owner.value = nil }
            stage.thread("holder") { token.value = nil }
            stage.task("closer") { await child.shutdown(drain: .finishEffects) }
            stage.atEnd {
                stage.expect(ends.value, is: 2, "the number of releases")
                stage.expect(root.statistics.observers, is: 0, "the number of observers")
            }
        },
        Scenario("Each change of an observed part follows the previous one, for any observers and beginnings") {
            stage in
            let store = stage.counter()
            let tokens = Shared<[StoreObservation]>([])
            for number in 1...2 {
                stage.thread("observer \(number)") {
                    let last = Shared<(value: Int, revision: UInt64)?>(nil)
                    let token = store.observe(.changes(of: \.self)) { change in
                        stage.expect(change.old, is: last.value?.value, "the value before")
                        stage.expect(change.revision >= last.value?.revision ?? 0, "The revision went back")
                        stage.expect(change.new, is: Int(change.revision), "the value at a revision")
                        last.value = (change.new, change.revision)
                    }
                    tokens.value.append(token)
                }
            }
            for sender in 1...2 { stage.thread("sender \(sender)") { for _ in 1...2 { store.send(1) } } }
            stage.task("isolated task") { await watch(store, on: stage, tokens) }
            stage.atEnd { tokens.value = [] }
        },
    ]

    private static func pass(
        _ values: StoreSequence<Int>,
        to store: isolated Store<[Int], Int>,
        on stage: Stage,
        _ seen: Shared<[Int]>
    ) async {
        for await value in values {
            let before = store.snapshot
            seen.value.append(value)
            store.send(value)
            stage.reach()
            stage.expect(store.snapshot, is: before, "what isolated code sees after it has sent")
        }
    }

    private static func exchange(_ store: isolated Store<Int, Int>, _ other: Store<Int, Int>) async throws {
        try await other.dispatch(1)
        store.send(1)
    }

    private static func watch(
        _ store: isolated Store<Int, Int>,
        on stage: Stage,
        _ tokens: Shared<[StoreObservation]>
    ) {
        let last = Shared(-1)
        let token = store.observe(\.self) { value in
            stage.expect(value > last.value, "After \(last.value) came \(value)")
            last.value = value
        }
        tokens.value.append(token)
        stage.expect(store.snapshot >= last.value, "The state is less than an observer's value")
    }
}
