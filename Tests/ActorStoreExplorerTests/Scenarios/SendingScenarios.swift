import ActorStore

extension Scenario {
    /// Sending, dispatching and reading.
    static let sending = [
        Scenario("Concurrent senders lose nothing and keep their order") { stage in
            let store = stage.log()
            for sender in 1...3 {
                stage.thread("sender \(sender)") {
                    for number in 1...2 { store.send(10 * sender + number) }
                }
            }
            stage.atEnd {
                let log = store.snapshot
                stage.expect(log.sorted(), is: [11, 12, 21, 22, 31, 32], "the reduced actions")
                for sender in 1...3 {
                    let own = log.filter { $0 / 10 == sender }
                    stage.expect(own == own.sorted(), "The messages of sender \(sender) were reordered: \(log)")
                }
                stage.expect(store.revision, is: 6, "the revision")
            }
        },
        Scenario("A dispatch returns after its action's reduction, and is visible in every read") { stage in
            let store = stage.counter()
            for dispatcher in 1...2 {
                stage.task("dispatcher \(dispatcher)") {
                    try await store.dispatch(1)
                    let (count, revision) = (store.snapshot, store.revision)
                    stage.expect(count >= 1 && revision >= 1, "A dispatch is not seen: \(count) at \(revision)")
                    let state = await store.state
                    stage.expect(state >= count, "The state went back from \(count) to \(state)")
                    let read = await store.read(\.self)
                    stage.expect(read >= state, "The state went back from \(state) to \(read)")
                }
            }
            stage.thread("sender") { store.send(1) }
            stage.atEnd { stage.expect(store.snapshot, is: 3, "the state") }
        },
        Scenario("A snapshot is never torn and never goes back") { stage in
            let store = Store(initialState: Pair(), configuration: stage.configuration) {
                (pair: inout Pair, step: Int) in
                pair.first += step
                stage.reach()
                pair.second += step
            }
            stage.thread("sender") { for _ in 1...2 { store.send(1) } }
            stage.thread("second sender") { store.send(contentsOf: [1, 1]) }
            for reader in 1...2 {
                stage.thread("reader \(reader)") {
                    var last = 0
                    for _ in 1...3 {
                        let pair = store.snapshot
                        stage.expect(pair.first == pair.second, "A snapshot is torn: \(pair)")
                        stage.expect(pair.first >= last, "A snapshot went back from \(last) to \(pair.first)")
                        last = pair.first
                    }
                }
            }
            stage.atEnd { stage.expect(store.snapshot.second, is: 4, "the state") }
        },
        Scenario("A batch and the actions of a task keep their order") { stage in
            let store = stage.log()
            stage.thread("batches") {
                store.send(contentsOf: [11, 12])
                store.send(13)
            }
            stage.task("dispatcher") {
                store.send(21)
                try await store.dispatch(22)
                store.send(23)
            }
            stage.atEnd {
                let log = store.snapshot
                for sender in 1...2 {
                    stage.expect(log.filter { $0 / 10 == sender }, is: [1, 2, 3].map { 10 * sender + $0 }, "the order")
                }
            }
        },
    ]
}

struct Pair: Sendable, Equatable {
    var first = 0
    var second = 0
}

extension Stage {
    /// A store that adds.
    func counter(_ configuration: StoreConfiguration? = nil) -> Store<Int, Int> {
        Store(initialState: 0, configuration: configuration ?? self.configuration) { (count: inout Int, step: Int) in
            count += step
        }
    }

    /// A store that keeps its actions.
    func log(_ configuration: StoreConfiguration? = nil) -> Store<[Int], Int> {
        Store(initialState: [], configuration: configuration ?? self.configuration) { (log: inout [Int], entry: Int) in
            log.append(entry)
        }
    }
}
