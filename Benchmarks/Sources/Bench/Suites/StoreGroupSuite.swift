import ActorStore
import ActorStoreGroups
import Benchmarking
import Synchronization

/// The cost of a group of many stores, beside direct references to stores, and beside actors in a dictionary behind a
/// mutex.
let storeGroupSuite = Suite(
    "store groups",
    lifeBenchmarks + sendBenchmarks + observationBenchmarks + [1, 2].flatMap(independentKeys)
)

/// Each sample creates, or releases, the same number.
private let all = Configuration(
    operationsPerSample: 100_000,
    minimumSamples: 5,
    maximumSamples: 20,
    setsUpEachSample: true
)

/// Measures operations that always process all of them, for any requested number.
private let allAtOnce = {
    var configuration = all
    configuration.countsAllocations = false
    return configuration
}()

/// Creating, retaining and releasing stores.
private let lifeBenchmarks = [
    Benchmark("make one of 100,000", comparedWith: ["make one of 100,000 actors"], configuration: all) {
        makeAccountGroup(0)
    } measure: { group, count in
        for id in 0..<count { group.send(.book(1), to: id) }
    },
    Benchmark("make one of 100,000 actors", configuration: all) {
        ActorTable(0)
    } measure: { table, count in
        for id in 0..<count { await table[id].apply(.book(1)) }
    },
    Benchmark("evict one of 100,000", comparedWith: ["remove one of 100,000 actors"], configuration: all) {
        Keyed(makeAccountGroup(100_000), KeyOrder(scattered: 100_000))
    } measure: { group, count in
        var keys = group.keys
        for _ in 0..<count { await group.subject.evict(keys.next()) }
        group.keys = keys
    },
    Benchmark("remove one of 100,000 actors", configuration: all) {
        Keyed(ActorTable(100_000), KeyOrder(scattered: 100_000))
    } measure: { table, count in
        table.step(count) { table, key in table.remove(key) }
    },
    Benchmark("evict one of 100,000 that are idle", comparedWith: ["evict one of 100,000"], configuration: allAtOnce) {
        await WatchedAccounts(100_000, isHeld: false)
    } measure: { accounts, _ in
        await accounts.passPeriod()
    },
    Benchmark("look at one of 100,000 that are in use", configuration: allAtOnce) {
        await WatchedAccounts(100_000, isHeld: true)
    } measure: { accounts, _ in
        await accounts.passPeriod()
    },
    Benchmark.memory("a store", comparedWith: ["an actor of a dictionary"], count: 100_000) { count in
        makeAccountGroup(count)
    },
    Benchmark.memory("an actor of a dictionary", count: 100_000) { count in
        ActorTable(count)
    },
    Benchmark.memory("a store that is observed with all others", count: 100_000) { count in
        let group = makeAccountGroup(count)
        return (group, group.values(of: \.balance))
    },
]

/// Actions by key.
private let sendBenchmarks = [
    Benchmark(
        "one action to each of 100,000 keys",
        comparedWith: ["one action to each of 100,000 stores", "one action to each of 100,000 actors"]
    ) {
        Keyed(makeAccountGroup(100_000), KeyOrder(scattered: 100_000))
    } measure: { group, count in
        group.step(count) { group, key in group.send(.book(1), to: key) }
    },
    Benchmark("one action to each of 100,000 stores") {
        Keyed(
            (0..<100_000).map { _ in Store(initialState: Account.State(), reducer: Account()) },
            KeyOrder(scattered: 100_000)
        )
    } measure: { stores, count in
        stores.step(count) { stores, key in stores[key].send(.book(1)) }
    },
    Benchmark("one action to each of 100,000 actors") {
        Keyed(ActorTable(100_000), KeyOrder(scattered: 100_000))
    } measure: { table, count in
        var keys = table.keys
        for _ in 0..<count {
            await table.subject[keys.next()].apply(.book(1))
            barrier()
        }
        table.keys = keys
    },
    Benchmark("send to a key", comparedWith: ["send to a store", "an actor of a dictionary, by key"]) {
        makeAccountGroup(100)
    } measure: { group, count in
        for _ in 0..<count {
            group.send(.book(1), to: 50)
            barrier()
        }
    },
    Benchmark("dispatch to a key", comparedWith: ["send to a store", "an actor of a dictionary, by key"]) {
        makeAccountGroup(100)
    } measure: { group, count in
        for _ in 0..<count {
            _ = try? await group.dispatch(.book(1), to: 50)
            barrier()
        }
    },
    Benchmark("send to a store") {
        Store(initialState: Account.State(), reducer: Account())
    } measure: { store, count in
        for _ in 0..<count {
            store.send(.book(1))
            barrier()
        }
    },
    Benchmark("an actor of a dictionary, by key") {
        ActorTable(100)
    } measure: { table, count in
        for _ in 0..<count {
            await table[50].apply(.book(1))
            barrier()
        }
    },
]

/// All stores observed together: each action changes one of them, and is seen as the next version.
private let observationBenchmarks = [1_000, 100_000].flatMap { keys in
    let parameters: Parameters = ["keys": .integer(keys)]
    return [
        Benchmark("one change, and the version with it", parameters: parameters) {
            await GroupFollower(keys)
        } measure: { following, count in
            for _ in 0..<count { await following.change() }
        },
        Benchmark("send while all are observed", parameters: parameters, comparedWith: ["send"]) {
            Keyed(await GroupFollower(keys), KeyOrder(scattered: keys))
        } measure: { following, count in
            following.step(count) { following, key in following.group.send(.book(1), to: key) }
        },
        Benchmark("send", parameters: parameters) {
            Keyed(makeAccountGroup(keys), KeyOrder(scattered: keys))
        } measure: { group, count in
            group.step(count) { group, key in group.send(.book(1), to: key) }
        },
    ]
}

/// The speed-up by another task, if both have their own keys.
private func independentKeys(tasks: Int) -> [Benchmark] {
    let parameters: Parameters = ["tasks": .integer(tasks)]
    let configuration = Configuration(sampleNanoseconds: 10_000_000, nanoseconds: 2_000_000_000)
    let producers: Producers = tasks == 1 ? .one : .tasks(tasks)
    return [
        Benchmark(
            "send to keys of one's own",
            parameters: parameters,
            comparedWith: ["send to stores of one's own", "actors of a dictionary of one's own keys"],
            configuration: configuration,
            producers: producers
        ) {
            OwnKeys(of: tasks, makeAccountGroup(10_000))
        } measure: { keys, count in
            let first = keys.first()
            for number in 0..<count {
                keys.all.send(.book(1), to: first + number % 1_000)
                barrier()
            }
        },
        Benchmark(
            "send to stores of one's own",
            parameters: parameters,
            configuration: configuration,
            producers: producers
        ) {
            OwnKeys(
                of: tasks,
                (0..<10_000).map { _ in Store(initialState: Account.State(), reducer: Account()) }
            )
        } measure: { keys, count in
            let first = keys.first()
            for number in 0..<count {
                keys.all[first + number % 1_000].send(.book(1))
                barrier()
            }
        },
        Benchmark(
            "actors of a dictionary of one's own keys",
            parameters: parameters,
            configuration: configuration,
            producers: producers
        ) {
            OwnKeys(of: tasks, ActorTable(10_000))
        } measure: { keys, count in
            let first = keys.first()
            for number in 0..<count {
                await keys.all[first + number % 1_000].apply(.book(1))
                barrier()
            }
        },
    ]
}

/// A thousand keys for each of some tasks.
private final class OwnKeys<All: Sendable>: Sendable {
    let all: All
    private let tasks: Int
    private let calls = Atomic<Int>(0)

    init(of tasks: Int, _ all: All) {
        self.tasks = tasks
        self.all = all
    }

    /// The first key of the requesting task, which each task requests once in a sample.
    func first() -> Int { calls.add(1, ordering: .relaxed).oldValue % tasks * 1_000 }
}

/// A group, and an iterator of its versions that has taken the first one.
private final class GroupFollower: @unchecked Sendable {
    // Sound: the harness sets up, measures and tears down in sequence.
    let group: AccountGroup
    private var keys: KeyOrder
    private var versions: StoreGroupValues<Int, Int>.Iterator

    init(_ keys: Int) async {
        self.keys = KeyOrder(scattered: keys)
        group = makeAccountGroup(keys)
        versions = group.values(of: \.balance).makeAsyncIterator()
        _ = await versions.next()
    }

    /// Changes one store, and waits for the version with the change.
    func change() async {
        group.send(.book(1), to: keys.next())
        blackHole(await versions.next())
    }
}
