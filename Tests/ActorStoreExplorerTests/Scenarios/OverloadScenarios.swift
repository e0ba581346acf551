import ActorStore

extension Scenario {
    /// Mailboxes with a limit.
    static let overload = [
        Scenario("A dispatch that waits for room is admitted") { stage in
            let store = stage.counter(stage.bounded(1, whenFull: .suspend))
            for dispatcher in 1...3 {
                stage.task("dispatcher \(dispatcher)") { try await store.dispatch(1) }
            }
            stage.thread("sender") { store.send(1) }
            stage.atEnd { stage.expect(store.snapshot >= 3, "Reduced were only \(store.snapshot)") }
        },
        Scenario("A dispatch that waits for room is cancelled or reduced, and not both") { stage in
            let store = stage.counter(stage.bounded(1, whenFull: .suspend))
            let reduced = Shared(0)
            let tasks = Shared<[Task<Void, Never>]>([])
            for dispatcher in 1...2 {
                stage.thread("dispatcher \(dispatcher)") {
                    let task = stage.start("dispatch \(dispatcher)") {
                        do {
                            try await store.dispatch(1)
                            reduced.value += 1
                        } catch {
                            stage.expect(error as? StoreError == .cancelled, "A dispatch failed: \(error)")
                        }
                    }
                    tasks.value.append(task)
                }
            }
            stage.thread("sender") { if store.send(1).isAccepted { reduced.value += 1 } }
            stage.thread("canceller") { for task in tasks.value { task.cancel() } }
            stage.atEnd { stage.expect(store.snapshot, is: reduced.value, "the reduced actions") }
        },
        Scenario("A dispatch that waits for room is refused when the store shuts down") { stage in
            let store = stage.counter(stage.bounded(1, whenFull: .suspend))
            let reduced = Shared(0)
            for dispatcher in 1...2 {
                stage.task("dispatcher \(dispatcher)") {
                    do {
                        try await store.dispatch(1)
                        reduced.value += 1
                    } catch {
                        stage.expect(error as? StoreError == .shutDown, "A dispatch failed: \(error)")
                    }
                }
            }
            stage.thread("sender") { if store.send(1).isAccepted { reduced.value += 1 } }
            stage.task("shutdown") { await store.shutdown(drain: .finishEffects) }
            stage.atEnd { stage.expect(store.snapshot, is: reduced.value, "the reduced actions") }
        },
        Scenario("The oldest action is displaced, and every outcome is true") { stage in
            let store = stage.counter(stage.bounded(1, whenFull: .dropOldest))
            let accepted = Shared(0)
            for sender in 1...3 {
                stage.thread("sender \(sender)") {
                    switch store.send(1) {
                    case .accepted: accepted.value += 1
                    case .acceptedDroppingOldest: break
                    case let outcome: stage.expect(false, "A send came to \(outcome)")
                    }
                }
            }
            stage.atEnd { stage.expect(store.snapshot, is: accepted.value, "the reduced actions") }
        },
    ]
}

extension Stage {
    fileprivate func bounded(_ limit: Int, whenFull policy: MailboxCapacity.OverflowPolicy) -> StoreConfiguration {
        var configuration = configuration
        configuration.mailbox = .bounded(limit, whenFull: policy)
        return configuration
    }
}
