import ActorStore
import ActorStoreGroups

extension Stage {
    /// Logs with states that are saved at eviction or end.
    fileprivate func logs(
        _ archive: Shared<[Int: [Int]]>,
        mailbox: MailboxCapacity = .unbounded
    ) -> StoreGroup<Int, [Int], Int> {
        var configuration = configuration
        configuration.mailbox = mailbox
        return StoreGroup(
            configuration: configuration,
            eviction: .never { [self] id, log in
                await self.yield()
                expect(log.starts(with: archive.value[id] ?? []), "\(log) was kept after \(archive.value[id] ?? [])")
                archive.value[id] = log
            },
            initialState: { archive.value[$0] ?? [] },
            reduce: { log, entry in log.append(entry) }
        )
    }
}

extension Scenario {
    /// Groups beside bounded mailboxes, isolated code, weak stores, waits, loading and effects.
    static let combinedGroups: [Scenario] = [
        Scenario("Dispatches that wait for room in a group's store are in the state, or refused at its eviction") {
            stage in
            let archive = Shared<[Int: [Int]]>([:])
            let group = stage.logs(archive, mailbox: .bounded(1, whenFull: .suspend))
            let accepted = Shared<Set<Int>>([])
            for number in 1...3 {
                stage.task("dispatcher \(number)") {
                    for step in 1...2 {
                        try await group.dispatch(10 * number + step, to: 1)
                        accepted.value.insert(10 * number + step)
                    }
                }
            }
            stage.thread("sender") {
                for number in 41...42 where group.send(number, to: 1).isAccepted { accepted.value.insert(number) }
            }
            for number in 1...2 { stage.task("evictor \(number)") { await group.evict(1) } }
            stage.atEnd {
                let log = group[1].snapshot
                stage.expect(Set(log), is: accepted.value, "the state")
                stage.expect(log.count, is: accepted.value.count, "the length of \(log)")
                for number in 1...4 {
                    let own = log.filter { $0 / 10 == number }
                    stage.expect(own, is: own.sorted(), "the order")
                }
            }
        },
        Scenario(
            "Dispatches that wait for room in a group's store end when the key is ended, and at the shutdown"
        ) {
            stage in
            let archive = Shared<[Int: [Int]]>([:])
            let group = stage.logs(archive, mailbox: .bounded(1, whenFull: .suspend))
            let (accepted, ended) = (Shared<Set<Int>>([]), Shared<[Int]>([]))
            for number in 1...3 {
                stage.task("dispatcher \(number)") {
                    for step in 1...2 {
                        do {
                            try await group.dispatch(10 * number + step, to: 1)
                            accepted.value.insert(10 * number + step)
                        } catch {
                            stage.expect(error, isAmong: [StoreError.shutDown])
                        }
                    }
                }
            }
            stage.task("end") { ended.value += await group.end(1, drain: .finishEffects) ?? [] }
            stage.task("evictor") { await group.evict(1) }
            stage.task("owner") { await group.shutdown(drain: .finishEffects) }
            stage.atEnd {
                let all = Set(ended.value).union(archive.value[1] ?? []).union(group.existing(1)?.snapshot ?? [])
                stage.expect(all, is: accepted.value, "the remaining state of the key")
            }
        },
        Scenario("Isolated code and a weak store of a group's store lose nothing during its eviction") { stage in
            let archive = Shared<[Int: [Int]]>([:])
            let group = stage.logs(archive)
            let accepted = Shared<Set<Int>>([])
            for number in 1...2 {
                stage.task("isolated task \(number)") {
                    if await note(number, in: group[1], on: stage) { accepted.value.insert(number) }
                }
                stage.thread("weak sender \(number)") {
                    let weak = group[1].weak
                    stage.reach()
                    let batch = [10 * number, 10 * number + 1]
                    if weak.send(contentsOf: batch).isAccepted { accepted.value.formUnion(batch) }
                }
                stage.task("evictor \(number)") { await group.evict(1) }
            }
            stage.atEnd { stage.expect(Set(group[1].snapshot), is: accepted.value, "the state") }
        },
        Scenario("A child and an observer of a group's store meet no other store of the key") { stage in
            let archive = Shared<[Int: [Int]]>([:])
            let group = stage.logs(archive)
            let isDone = Shared(false)
            stage.task("user") {
                let child = group[1].child(
                    initialState: 0,
                    reducer: Reduce { (count: inout Int, _: Int) in count += 1 }
                )
                for number in 1...2 {
                    try await child.dispatch(number)
                    stage.expect(child.snapshot.local, is: number, "what the child has reduced")
                    stage.expect(child.snapshot.parent.filter { $0 < 10 }, is: Array(1...number), "what the parent has")
                }
            }
            stage.task("observer") {
                let values = group[1].values(of: \.self, buffering: .unbounded)
                var last: [Int] = []
                for await value in values {
                    stage.expect(value.starts(with: last), "After \(last) came \(value)")
                    last = value
                    if value.count == 4 { break }
                }
            }
            stage.thread("sender") { for number in 11...12 { group.send(number, to: 1) } }
            stage.task("evictor") { await group.evict(1) }
            stage.task("second evictor") { while !isDone.value, await !group.evict(1) { await stage.yield() } }
            stage.thread("end") { isDone.value = true }
            stage.atEnd { stage.expect(group[1].snapshot.sorted(), is: [1, 2, 11, 12], "the state") }
        },
        Scenario("A wait for a state of a group's store retains the store, and ends when the key is ended") { stage in
            let archive = Shared<[Int: [Int]]>([:])
            let group = stage.logs(archive)
            let outcomes = Shared<[Int: Bool]>([:])
            for goal in 1...3 {
                stage.task("waiter \(goal)") {
                    do {
                        let log = try await group[1].condition(clock: stage.clock) { $0.count >= goal }
                        stage.expect(log.count >= goal, "The state is \(log)")
                        outcomes.value[goal] = true
                    } catch {
                        stage.expect(error, isAmong: [WaitError.storeEnded])
                        outcomes.value[goal] = false
                    }
                }
            }
            stage.thread("sender") { for number in 1...2 { group.send(number, to: 1) } }
            for number in 1...2 { stage.task("evictor \(number)") { await group.evict(1) } }
            stage.task("owner") { await group.shutdown(drain: .finishEffects) }
            stage.atEnd {
                for goal in 1...3 { stage.expect(outcomes.value[goal] != nil, "Wait \(goal) is not over") }
                stage.expect(outcomes.value[3], is: false, "the wait for what never comes")
            }
        },
        Scenario("The changes of a group add up to its stores' states while keys come, are evicted and are ended") {
            stage in
            let archive = Shared<[Int: [Int]]>([:])
            let group = stage.logs(archive)
            let seen = Shared<[Int: [Int]]>([:])
            let changes = group.changes(of: \.self)
            stage.task("observer") {
                for await change in changes {
                    for entry in change.inserted {
                        stage.expect(seen.value[entry.key] == nil, "\(entry.key) was inserted twice")
                        seen.value[entry.key] = entry.value
                    }
                    for entry in change.removed {
                        stage.expect(seen.value[entry.key], is: entry.value, "the removed values")
                        seen.value[entry.key] = nil
                    }
                    for update in change.updated {
                        stage.expect(seen.value[update.key], is: update.oldValue, "the updated values")
                        seen.value[update.key] = update.newValue
                    }
                }
            }
            for sender in 1...2 {
                stage.thread("sender \(sender)") { for step in 1...2 { group.send(10 * sender + step, to: sender) } }
            }
            stage.task("evictor") { await group.evict(1) }
            stage.task("end") {
                await group.end(2, drain: .finishEffects)
                group.send(30, to: 2)
            }
            stage.task("owner") {
                await group.shutdown(drain: .finishEffects)
                for key in 1...2 where group.existing(key) == nil { stage.expect(!group.ids.contains(key), "\(key)") }
            }
            stage.atEnd {
                for key in 1...2 {
                    stage.expect(seen.value[key], is: group.existing(key)?.snapshot, "the last of \(key)")
                }
            }
        },
        Scenario("Observers of a group of loading stores get no placeholder, and end with the loaded state") { stage in
            let group = StoreGroup<Int, Int, Int>(configuration: stage.configuration) { id in
                Store(
                    initialState: -1,
                    loading: {
                        await stage.yield()
                        try Task.checkCancellation()
                        return 10 * id
                    },
                    reducer: Reduce<Int, Int> { count, step in
                        count += step
                        return .none
                    },
                    configuration: stage.configuration
                )
            }
            let last = Shared<[Int: Int]>([:])
            let values = group.values(of: \.self)
            stage.task("observer") {
                for await versions in values {
                    for (key, value) in versions {
                        stage.expect(value >= 10 * key, "The value of \(key) is \(value)")
                        stage.expect(value >= last.value[key] ?? 0, "The value of \(key) went back to \(value)")
                        last.value[key] = value
                    }
                }
            }
            let accepted = Shared<[Int: Int]>([:])
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    for key in 1...2 where group.send(1, to: key).isAccepted { accepted.value[key, default: 0] += 1 }
                }
            }
            stage.task("dispatcher") {
                do {
                    try await group.dispatch(1, to: 3)
                    accepted.value[3] = 1
                } catch {
                    stage.expect(error, isAmong: [StoreError.shutDown, .notReady])
                }
            }
            stage.task("owner") { await group.shutdown(drain: .finishEffects) }
            stage.atEnd {
                for (key, count) in accepted.value {
                    stage.expect(last.value[key], is: 10 * key + count, "the last value of \(key)")
                    stage.expect(group.existing(key)?.snapshot, is: 10 * key + count, "the state of \(key)")
                }
            }
        },
        Scenario("An effect that ends its own key and the group continues, and the group shuts down") { stage in
            let holder = Shared<StoreGroup<Int, WorkLog, WorkLog.Action>?>(nil)
            let (ends, kept) = (Shared(0), Shared<[Int: Int]>([:]))
            let group = StoreGroup<Int, WorkLog, WorkLog.Action>(
                reducer: Reduce<WorkLog, WorkLog.Action> { log, action in
                    switch action {
                    case .ask(let number):
                        log.asked.append(number)
                        guard number < 10 else {
                            return .run(id: "work", policy: .serial) { send in
                                await stage.yield()
                                send(.done(number))
                            }
                        }
                        return .run { _ in
                            if number == 1 {
                                await holder.value?.shutdown(drain: .finishEffects)
                            } else {
                                await holder.value?.end(1, drain: .finishEffects)
                            }
                            ends.value += 1
                        }
                    case .done(let number): log.done.append(number)
                    case .cancel: break
                    }
                    return .none
                },
                configuration: stage.configuration,
                eviction: .never { _, log in kept.value[1, default: 0] += log.done.count },
                initialState: { _ in WorkLog() }
            )
            holder.value = group
            let begun = Shared(0)
            for number in 1...2 {
                stage.thread("sender \(number)") {
                    if group.send(.ask(number), to: 1).isAccepted { begun.value += 1 }
                    group.send(.ask(10 * number), to: 1)
                    group.send(.ask(10 * number), to: 2)
                }
            }
            stage.task("evictor") { await group.evict(2) }
            stage.task("owner") { await group.shutdown(drain: .finishEffects) }
            stage.atEnd {
                stage.expect(ends.value, is: begun.value, "the effects that have ended")
                if let log = group.existing(2)?.snapshot {
                    stage.expect(log.done.count, is: log.asked.count, "the finished operations")
                }
                holder.value = nil
            }
        },
        Scenario("Effects of several stores that shut their group down all continue") { stage in
            let holder = Shared<StoreGroup<Int, WorkLog, WorkLog.Action>?>(nil)
            let (begun, ends) = (Shared(0), Shared(0))
            let group = StoreGroup<Int, WorkLog, WorkLog.Action>(
                reducer: Reduce<WorkLog, WorkLog.Action> { log, action in
                    guard case .ask(let number) = action else { return .none }
                    log.asked.append(number)
                    return .run { _ in
                        begun.value += 1
                        if number == 1 {
                            await holder.value?.shutdown(
                                drain: .finishEffects,
                                within: .seconds(60),
                                clock: stage.clock
                            )
                        } else {
                            await holder.value?.shutdown(drain: .finishEffects)
                        }
                        ends.value += 1
                    }
                },
                configuration: stage.configuration,
                initialState: { _ in WorkLog() }
            )
            holder.value = group
            for number in 1...3 { stage.thread("sender \(number)") { group.send(.ask(number), to: number) } }
            stage.task("owner") {
                await group.shutdown(drain: .finishEffects)
                stage.expect(
                    group.ids.allSatisfy { group.existing($0)?.phase.description == "ended" },
                    "A store continues"
                )
            }
            stage.atEnd {
                stage.expect(ends.value, is: begun.value, "how many effects have ended")
                holder.value = nil
            }
        },
        Scenario("A store released with its group reduces its accepted actions, and hands nothing over") { stage in
            let archive = Shared<[Int: [Int]]>([:])
            let group = Shared<StoreGroup<Int, [Int], Int>?>(stage.logs(archive))
            let held = Shared(group.value?[1])
            let child = Shared<Store<ParentAndChild<[Int], Int>, Int>?>(
                held.value?.child(initialState: 0, reducer: Reduce { (count: inout Int, _: Int) in count += 1 })
            )
            guard let values = held.value?.values(of: \.self) else { return }
            let (accepted, last) = (Shared(0), Shared<[Int]>([]))
            stage.task("observer") { for await value in values { last.value = value } }
            stage.thread("sender") {
                for number in 1...2 where held.value?.send(number).isAccepted == true { accepted.value += 1 }
            }
            stage.thread("child's sender") {
                for number in 11...12 where child.value?.send(number).isAccepted == true { accepted.value += 1 }
            }
            stage.task("evictor") { await group.value?.evict(1) }
            stage.thread("owner") { group.value = nil }
            stage.thread("holder") {
                held.value = nil
                child.value = nil
            }
            stage.atEnd {
                stage.expect(last.value.count, is: accepted.value, "the reduced actions")
            }
        },
        Scenario("Observers of a group that shuts down while a key is ended end with the remaining keys") { stage in
            let group = stage.logs(Shared([:]))
            group.send(1, to: 1)
            group.send(2, to: 2)
            let last = Shared<Set<Int>>([])
            let values = group.values(of: \.self)
            stage.task("observer") { for await versions in values { last.value = Set(versions.map { $0.key }) } }
            stage.task("user") { await group.end(1, drain: .finishEffects) }
            stage.task("owner") { await group.shutdown(drain: .finishEffects) }
            stage.atEnd { stage.expect(last.value.sorted(), is: group.ids.sorted(), "the keys of the last version") }
        },
    ]

    private static func note(_ number: Int, in store: isolated Store<[Int], Int>, on stage: Stage) async -> Bool {
        let before = store.snapshot
        let outcome = store.send(number)
        stage.expect(store.snapshot, is: before, "what isolated code sees after it has sent")
        await stage.yield()
        stage.expect(store.snapshot.starts(with: before), "The state was \(before), and is \(store.snapshot)")
        return outcome.isAccepted
    }
}
