import ActorStore

extension Scenario {
    /// Mailboxes with a limit: batches, dispatches and ends.
    static let mailboxes: [Scenario] = [
        Scenario("Batches to a full mailbox are dropped as a whole, and counted") { stage in
            let store = stage.log(stage.limited(2, whenFull: .dropNewest))
            let (accepted, dropped) = (Shared(0), Shared(0))
            for sender in 1...3 {
                stage.thread("sender \(sender)") {
                    switch store.send(contentsOf: [10 * sender + 1, 10 * sender + 2]) {
                    case .accepted: accepted.value += 2
                    case .dropped: dropped.value += 2
                    case let outcome: stage.expect(false, "A batch came to \(outcome)")
                    }
                    switch store.send(10 * sender + 3) {
                    case .accepted: accepted.value += 1
                    case .dropped: dropped.value += 1
                    case let outcome: stage.expect(false, "A send came to \(outcome)")
                    }
                }
            }
            stage.atEnd {
                stage.expect(store.snapshot.count, is: accepted.value, "the reduced actions")
                stage.expect(store.statistics.droppedActions, is: dropped.value, "the dropped actions")
                stage.expectOrder(store.snapshot)
            }
        },
        Scenario("The oldest actions and batches are displaced, and each of them is counted") { stage in
            let store = stage.log(stage.limited(2, whenFull: .dropOldest))
            let refused = Shared(0)
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    store.send(contentsOf: [10 * sender + 1, 10 * sender + 2])
                    store.send(10 * sender + 3)
                }
            }
            stage.task("dispatcher") {
                do {
                    try await store.dispatch(31)
                } catch {
                    stage.expect(error, isAmong: [StoreError.overloaded])
                    refused.value += 1
                }
            }
            stage.atEnd {
                let count = store.snapshot.count + store.statistics.droppedActions
                stage.expect(count, is: 7, "the reduced or dropped actions")
                stage.expectOrder(store.snapshot)
                if refused.value == 1 { stage.expect(!store.snapshot.contains(31), "What was refused was reduced") }
            }
        },
        Scenario("Dispatches, sends and batches to a suspending mailbox are reduced once, or refused") { stage in
            let store = stage.log(stage.limited(2, whenFull: .suspend))
            let accepted = Shared<Set<Int>>([])
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    let batch = [10 * sender + 1, 10 * sender + 2]
                    if store.send(contentsOf: batch).isAccepted { accepted.value.formUnion(batch) }
                    if store.send(10 * sender + 3).isAccepted { accepted.value.insert(10 * sender + 3) }
                }
            }
            for number in 3...4 {
                stage.task("dispatcher \(number)") {
                    for step in 1...2 {
                        do {
                            try await store.dispatch(10 * number + step)
                            accepted.value.insert(10 * number + step)
                        } catch {
                            stage.expect(error, isAmong: [StoreError.shutDown])
                        }
                    }
                }
            }
            stage.task("owner") { await store.shutdown(drain: .finishEffects) }
            stage.atEnd {
                stage.expect(store.snapshot.sorted(), is: accepted.value.sorted(), "the reduced actions")
                stage.expectOrder(store.snapshot)
            }
        },
        Scenario("Dispatches that wait for room are cancelled during the release of a store, and end") { stage in
            let store = Shared<Store<Int, Int>?>(stage.counter(stage.limited(1, whenFull: .suspend)))
            let (tasks, ends) = (Shared<[Task<Void, Never>]>([]), Shared(0))
            for number in 1...3 {
                stage.thread("dispatcher \(number)") {
                    let task = stage.start("dispatch \(number)") {
                        do { try await store.value?.dispatch(1) } catch {
                            stage.expect(error, isAmong: [StoreError.cancelled, .shutDown])
                        }
                        ends.value += 1
                    }
                    tasks.value.append(task)
                }
            }
            stage.thread("sender") { store.value?.send(1) }
            stage.thread("canceller") { for task in tasks.value { task.cancel() } }
            stage.thread("owner") { store.value = nil }
            stage.atEnd { stage.expect(ends.value, is: 3, "the dispatches that have ended") }
        },
        Scenario("Actions of a child count in the mailbox of the tree, and each loss is reported") { stage in
            let root = stage.counter(stage.limited(1, whenFull: .reject))
            let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            let (accepted, childs) = (Shared(0), Shared(0))
            stage.thread("sender") { for _ in 1...2 where root.send(1).isAccepted { accepted.value += 1 } }
            for sender in 1...2 {
                stage.thread("child's sender \(sender)") {
                    for _ in 1...2 where child.send(1).isAccepted { childs.value += 1 }
                }
            }
            stage.task("dispatcher") {
                do {
                    try await child.dispatch(1)
                    childs.value += 1
                } catch {
                    stage.expect(error, isAmong: [StoreError.overloaded])
                }
            }
            stage.atEnd {
                stage.expect(child.snapshot.local, is: childs.value, "what the child has reduced")
                stage.expect(root.snapshot, is: accepted.value + childs.value, "what the root has reduced")
            }
        },
    ]
}

extension Stage {
    fileprivate func limited(_ limit: Int, whenFull policy: MailboxCapacity.OverflowPolicy) -> StoreConfiguration {
        var configuration = configuration
        configuration.mailbox = .bounded(limit, whenFull: policy)
        return configuration
    }

    /// Expects that the entries of each sender, identified by the tens, are in order.
    fileprivate func expectOrder(_ log: [Int]) {
        for sender in Set(log.map { $0 / 10 }) {
            let own = log.filter { $0 / 10 == sender }
            expect(own == own.sorted() && Set(own).count == own.count, "The order of sender \(sender) is lost: \(log)")
        }
    }
}
