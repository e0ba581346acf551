import ActorStore

extension Scenario {
    /// Turns left to others after a limit of messages, and to a background task.
    static let handOvers = [
        Scenario("Messages that a sender leaves behind are reduced without another sender") { stage in
            let store = stage.counter()
            let token = store.observe(\.self) { [weak store] count in
                // All of these wait for the end of the sender's turn, and exceed its limit.
                if count == 1 { for _ in 1...7 { store?.send(1) } }
            }
            stage.thread("sender") { store.send(1) }
            stage.thread("second sender") { store.send(1) }
            stage.atEnd {
                stage.expect(store.snapshot, is: 9, "the reduced actions")
                token.cancel()
            }
        },
        Scenario("Messages that a sender leaves behind twice are reduced") { stage in
            let store = stage.counter()
            let token = store.observe(\.self) { [weak store] count in
                if count == 1 { for _ in 1...5 { store?.send(1) } }
            }
            stage.thread("sender") {
                // Leaves some behind, and so starts the background task.
                store.send(1)
                // Continues with them, perhaps while that task looks, and leaves some behind again.
                store.send(1)
            }
            stage.atEnd {
                stage.expect(store.snapshot, is: 7, "the reduced actions")
                token.cancel()
            }
        },
        Scenario("A dispatch that a sender leaves behind returns") { stage in
            let store = stage.counter()
            let token = store.observe(\.self) { [weak store] count in
                if count == 1 { for _ in 1...4 { store?.send(1) } }
            }
            stage.thread("sender") { store.send(1) }
            stage.task("dispatcher") { try await store.dispatch(1) }
            stage.task("second dispatcher") { try await store.dispatch(1) }
            stage.atEnd {
                stage.expect(store.snapshot, is: 7, "the reduced actions")
                token.cancel()
            }
        },
    ]
}
