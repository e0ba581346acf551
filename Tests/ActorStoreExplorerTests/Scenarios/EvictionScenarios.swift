import ActorStore
import ActorStoreGroups

/// The number of visits to a key's store, and the number of the store.
private struct Visits: Equatable, Sendable {
    let store: Int
    var count = 0
}

/// The states of a key's stores at their hand-overs.
private struct Archive {
    let stage: Stage
    let counts = Shared<[Int: Int]>([:])

    func keep(_ visits: Visits) {
        let former = counts.value[visits.store] ?? 0
        stage.expect(visits.count >= former, "Store \(visits.store) went back from \(former) to \(visits.count)")
        counts.value[visits.store] = visits.count
    }

    /// A group whose stores begin empty, and are handed over to this.
    func makeGroup() -> StoreGroup<Int, Visits, Int> {
        let made = Shared(0)
        return StoreGroup(
            configuration: stage.configuration,
            eviction: .never { _, visits in
                await stage.yield()
                keep(visits)
            }
        ) { _ in
            made.value += 1
            return Store(initialState: Visits(store: made.value), configuration: stage.configuration) { $0.count += $1 }
        }
    }

    /// Evicts the store of the key, and checks whether all visits were handed over.
    func expect(_ count: Int, of group: StoreGroup<Int, Visits, Int>) async {
        while group.existing(1) != nil, await !group.evict(1) { await stage.yield() }
        stage.expect(counts.value.values.reduce(0, +), is: count, "the visits to \(counts.value.count) stores")
    }
}

/// The owner of an observer.
private final class Screen: Sendable {}

extension Scenario {
    /// Stores of groups that are evicted while others use them.
    static let evictions: [Scenario] = [
        Scenario("The last states of a key's stores are handed over, whatever uses, evicts and ends them") { stage in
            let archive = Archive(stage: stage)
            let group = archive.makeGroup()
            let (accepted, ended) = (Shared(0), Shared(0))
            for number in 1...2 {
                stage.task("user \(number)") {
                    defer { ended.value += 1 }
                    for _ in 1...2 {
                        do {
                            try await group.dispatch(1, to: 1)
                            accepted.value += 1
                        } catch {
                            stage.expect(error, isAmong: [StoreError.shutDown])
                        }
                    }
                }
            }
            stage.task("user of a weak handle") {
                defer { ended.value += 1 }
                // The group has no record of its use.
                let store = group[1].weak
                for _ in 1...2 where store.send(1).isAccepted { accepted.value += 1 }
            }
            stage.task("ender") {
                defer { ended.value += 1 }
                if let visits = await group.end(1, drain: .finishEffects) { archive.keep(visits) }
            }
            for number in 1...2 { stage.task("evictor \(number)") { await group.evict(1) } }
            stage.task("last evictor") {
                while ended.value < 4 { await stage.yield() }
                await archive.expect(accepted.value, of: group)
            }
        },
        Scenario("A store is evicted after the owners of its observers are released, and then notifies none of them") {
            stage in
            let archive = Archive(stage: stage)
            let group = archive.makeGroup()
            let ended = Shared(0)
            for number in 1...2 {
                stage.thread("owner \(number)") {
                    let screen = Screen()
                    group[1].observe(\.count) { [weak screen] _ in
                        stage.expect(screen != nil, "An observer was notified after its owner's release")
                    }.bound(to: screen)
                    for _ in 1...2 { group.send(1, to: 1) }
                    withExtendedLifetime(screen) {}
                    ended.value += 1
                }
            }
            for number in 1...2 { stage.task("evictor \(number)") { await group.evict(1) } }
            stage.task("last evictor") {
                while ended.value < 2 { await stage.yield() }
                await archive.expect(4, of: group)
            }
        },
    ]
}
