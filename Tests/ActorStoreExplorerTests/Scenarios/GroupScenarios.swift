import ActorStore
import ActorStoreGroups

extension Scenario {
    /// Groups of stores: use beside eviction, ends and releases.
    static let groups: [Scenario] = [
        Scenario("Actions sent to a key while its store is evicted are in its final state") { stage in
            let archive = Shared<[Int: Int]>([:])
            let group = stage.archived(archive)
            for sender in 1...2 { stage.thread("sender \(sender)") { for _ in 1...2 { group.send(1, to: 1) } } }
            stage.task("dispatcher") { try await group.dispatch(1, to: 1) }
            for number in 1...2 { stage.task("evictor \(number)") { await group.evict(1) } }
            stage.atEnd { stage.expect(group[1].snapshot, is: 5, "the state") }
        },
        Scenario("No action is lost while idle stores are evicted, and the group shuts down") { stage in
            let archive = Shared<[Int: Int]>([:])
            stage.task("owner") {
                // Created here, because time passes while it exists.
                let group = stage.archived(archive, idle: .seconds(1))
                let accepted = Shared(0)
                let sender = stage.start("sender") {
                    for _ in 1...2 {
                        if group.send(1, to: 1).isAccepted { accepted.value += 1 }
                        try await stage.clock.sleep(for: .milliseconds(1_400))
                    }
                }
                try await stage.clock.sleep(for: .milliseconds(3_500))
                await group.shutdown(drain: .finishEffects)
                await sender.value
                let last = group.existing(1)?.snapshot ?? archive.value[1] ?? 0
                stage.expect(last, is: accepted.value, "the remaining state of the key")
            }
        },
        Scenario("A key ended while it is evicted and used loses nothing") { stage in
            let kept = Shared<Set<Int>>([])
            let group = StoreGroup<Int, [Int], Int>(
                configuration: stage.configuration,
                eviction: .never { _, log in
                    await stage.yield()
                    kept.value.formUnion(log)
                },
                initialState: { _ in [] }
            ) { (log: inout [Int], entry: Int) in log.append(entry) }
            let accepted = Shared<Set<Int>>([])
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    for number in 1...2 where group.send(10 * sender + number, to: 1).isAccepted {
                        accepted.value.insert(10 * sender + number)
                    }
                }
            }
            stage.task("evictor") { await group.evict(1) }
            for number in 1...2 {
                stage.task("end \(number)") { kept.value.formUnion(await group.end(1, drain: .finishEffects) ?? []) }
            }
            stage.atEnd {
                kept.value.formUnion(group.existing(1)?.snapshot ?? [])
                stage.expect(kept.value, is: accepted.value, "the remaining state of the key")
            }
        },
        Scenario("A store of a group shut down by its user is handed over before its key gets another one") { stage in
            let archive = Shared<[Int: Int]>([:])
            let group = stage.archived(archive)
            let accepted = Shared(0)
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    for _ in 1...2 where group.send(1, to: 1).isAccepted { accepted.value += 1 }
                }
            }
            stage.task("user") { await group[1].shutdown(drain: .finishEffects) }
            stage.task("evictor") { await group.evict(1) }
            stage.atEnd {
                // The first check hands over the last state, if that is still to be done.
                let over = group[1].snapshot
                stage.expect(over, is: accepted.value, "the state")
            }
        },
        Scenario("Actions accepted by a group at its shutdown are reduced, and later ones are refused") { stage in
            let archive = Shared<[Int: Int]>([:])
            let group = stage.archived(archive)
            let accepted = Shared<[Int: Int]>([:])
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    for key in 1...2 where group.send(1, to: key).isAccepted { accepted.value[key, default: 0] += 1 }
                }
            }
            stage.task("dispatcher") {
                guard (try? await group.dispatch(1, to: 3)) != nil else { return }
                accepted.value[3, default: 0] += 1
            }
            stage.task("owner") {
                await group.shutdown(drain: .finishEffects)
                stage.expect(!group.send(1, to: 4).isAccepted, "A group that has ended accepts an action")
            }
            stage.atEnd {
                for key in 1...3 {
                    stage.expect(
                        group.existing(key)?.snapshot ?? 0,
                        is: accepted.value[key] ?? 0,
                        "the state of \(key)"
                    )
                }
            }
        },
        Scenario("Observers of a group that is shut down end with its newest stores' final states") { stage in
            let group = stage.archived(Shared([:]))
            let (last, accepted) = (Shared(0), Shared(0))
            let values = group.values(of: \.self)
            stage.task("observer") { for await versions in values { last.value = versions[1] ?? 0 } }
            for sender in 1...2 {
                stage.thread("sender \(sender)") { if group.send(1, to: 1).isAccepted { accepted.value += 1 } }
            }
            stage.task("owner") { await group.shutdown(drain: .finishEffects) }
            stage.atEnd { stage.expect(last.value, is: accepted.value, "the last version") }
        },
        Scenario("Observers of a group that is shut down while stores are evicted end with the newest version") {
            stage in
            let archive = Shared<[Int: Int]>([:])
            let group = stage.archived(archive)
            let (last, isUsed) = (Shared<Int?>(nil), Shared(false))
            let values = group.values(of: \.self)
            stage.task("observer") { for await versions in values { last.value = versions[1] } }
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    for _ in 1...2 where group.send(1, to: 1).isAccepted { isUsed.value = true }
                }
            }
            stage.task("evictor") { await group.evict(1) }
            stage.task("owner") { await group.shutdown(drain: .finishEffects) }
            stage.atEnd {
                if isUsed.value { stage.expect(last.value, is: group.existing(1)?.snapshot, "the last version") }
            }
        },
        Scenario("Observers of a released group end with all actions sent before") { stage in
            let group = Shared<StoreGroup<Int, Int, Int>?>(stage.archived(Shared([:])))
            let (last, ended) = (Shared(0), Shared(0))
            guard let values = group.value?.values(of: \.self) else { return }
            stage.task("observer") { for await versions in values { last.value = versions[1] ?? 0 } }
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    for _ in 1...2 { group.value?.send(1, to: 1) }
                    ended.value += 1
                    // The last one releases it.
                    if ended.value == 2 { group.value = nil }
                }
            }
            stage.atEnd { stage.expect(last.value, is: 4, "the last version") }
        },
        Scenario("A store that outlives its group continues, and the observers of the group end") { stage in
            let group = Shared<StoreGroup<Int, Int, Int>?>(stage.archived(Shared([:])))
            guard let values = group.value?.values(of: \.self), let store = group.value?[1] else { return }
            stage.task("observer") {
                for await versions in values { stage.expect(versions[1] ?? 0 <= 2, "\(versions)") }
            }
            stage.thread("sender") { for _ in 1...2 { store.send(1) } }
            stage.thread("second sender") { group.value?.send(1, to: 2) }
            stage.thread("owner") { group.value = nil }
            stage.atEnd {
                stage.expect(store.snapshot, is: 2, "the state of the retained store")
                stage.expect(store.statistics.observers, is: 0, "the number of observers")
            }
        },
    ]
}

extension Stage {
    /// Counters with states that are saved at eviction.
    fileprivate func archived(_ archive: Shared<[Int: Int]>, idle: Duration? = nil) -> StoreGroup<Int, Int, Int> {
        let keep: @Sendable (Int, Int) async -> Void = { [self] id, count in
            await self.yield()
            archive.value[id] = count
        }
        let eviction: StoreGroupEviction<Int, Int> =
            idle.map { .afterIdle($0, clock: clock, onEvict: keep) } ?? .never(onEvict: keep)
        return StoreGroup(
            configuration: configuration,
            eviction: eviction,
            initialState: { archive.value[$0] ?? 0 },
            reduce: { count, step in count += step }
        )
    }
}
