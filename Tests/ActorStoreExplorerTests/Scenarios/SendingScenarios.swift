import ActorStore

extension Scenario {
    /// Sending, dispatching and reading.
    static let sending = [
        Scenario("Concurrent senders lose nothing and keep their order") { stage in
            let store = Store(initialState: [Int](), configuration: stage.configuration) { (log: inout [Int], entry: Int) in
                log.append(entry)
            }
            for sender in 1...3 {
                stage.thread("sender \(sender)") {
                    for number in 1...2 { store.send(10 * sender + number) }
                }
            }
            stage.atEnd {
                let log = store.snapshot
                stage.expect(log.sorted(), is: [11, 12, 21, 22, 31, 32], "what was reduced")
                for sender in 1...3 {
                    let own = log.filter { $0 / 10 == sender }
                    stage.expect(own == own.sorted(), "The messages of sender \(sender) were reordered: \(log)")
                }
                stage.expect(store.revision, is: 6, "the revision")
            }
        },
        Scenario("A dispatch returns when its action has been reduced, and shows in a snapshot") { stage in
            let store = Store(initialState: 0, configuration: stage.configuration) { (count: inout Int, step: Int) in
                count += step
            }
            for dispatcher in 1...2 {
                stage.task("dispatcher \(dispatcher)") {
                    try await store.dispatch(1)
                    let (count, revision) = (store.snapshot, store.revision)
                    stage.expect(count >= 1 && revision >= 1, "A dispatch is not seen: \(count) at \(revision)")
                    let state = await store.state
                    stage.expect(state >= count, "The state went back from \(count) to \(state)")
                }
            }
            stage.thread("sender") { store.send(1) }
            stage.atEnd { stage.expect(store.snapshot, is: 3, "the state") }
        },
    ]
}
