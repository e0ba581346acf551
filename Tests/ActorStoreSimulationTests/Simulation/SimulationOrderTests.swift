import ActorStore
import ActorStoreGroups
import ActorStoreSimulation
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("The order of ends and notifications in a simulation", .timeLimit(.minutes(10)))
struct SimulationOrderTests {
    @Test("A seed is one run, with any concurrent cancellations, ends and notifications", arguments: OrderScenario.all)
    func oneRun(_ scenario: OrderScenario) async throws {
        for seed in 0..<4 as Range<UInt64> {
            var traces: Set<SimulationTrace> = []
            var logs: Set<[String]> = []
            for _ in 0..<8 {
                let simulation = Simulation(seed: seed)
                let log = Collector<String>()
                try await simulation.run { try await scenario.body($0, log) }
                traces.insert(simulation.trace)
                logs.insert(log.elements)
            }
            #expect(traces.count == 1, "Seed \(seed)")
            #expect(logs.count == 1, "Seed \(seed)")
            #expect(logs.first?.isEmpty == false)
        }
    }

    @Test("Effects are cancelled in the order of their requests", arguments: OrderScenario.cancellations)
    func orderOfCancellations(_ scenario: OrderScenario) async throws {
        let log = Collector<String>()
        try await Simulation(seed: 1).run { try await scenario.body($0, log) }
        #expect(log.elements == scenario.log)
    }

    @Test("Observers of entries are notified in the order in which the entries were first observed", arguments: [3, 6])
    func orderOfEntries(count: Int) async {
        let store = Store(initialState: Bedrooms(), reducer: Dormitory(clock: ContinuousClock()) { _ in })
        let log = Collector<Int>()
        let order = [4, 0, 5, 2, 1, 3].prefix(count)
        let tokens = order.map { key in store.observe(.entry(of: \.rooms, key: key)) { _ in log.append(key) } }
        let others = order.map { key in
            store.observe(.entry(of: \.names, key: Bedrooms.name(key))) { _ in log.append(10 + key) }
        }
        store.send(.count)
        store.send(.count)
        let round = order + order.map { 10 + $0 }
        #expect(log.elements == Array(round + round + round))
        withExtendedLifetime((tokens, others)) {}
    }
}

/// An operation that ends or notifies several things at once, and logs their order.
struct OrderScenario: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The log for every seed, if that is known.
    let log: [String]
    let body: @Sendable (Simulation, Collector<String>) async throws -> Void

    init(
        _ description: String,
        logs log: [String] = [],
        _ body: @escaping @Sendable (Simulation, Collector<String>) async throws -> Void
    ) {
        (testDescription, self.log, self.body) = (description, log, body)
    }

    static let all = cancellations + ends + children + entries + tables + groups
}

// MARK: Effects

extension OrderScenario {
    private static let logOfSix = (0..<6).map(String.init)
    private static let logOfGroups = [0, 1, 2, 10, 11, 12, 20, 21, 22].map(String.init)

    static let cancellations = [
        OrderScenario("a shutdown cancels effects", logs: logOfSix) { simulation, log in
            let store = dormitory(simulation, log)
            try await store.dispatch(.sleep(6))
            await simulation.quiet()
            await store.shutdown(drain: .cancelEffects)
        },
        OrderScenario("a shutdown cancels effects when its time is over", logs: logOfSix) { simulation, log in
            let store = dormitory(simulation, log)
            try await store.dispatch(.sleep(6))
            await simulation.quiet()
            await store.shutdown(drain: .finishEffects, within: .seconds(5), clock: simulation.clock)
        },
        OrderScenario("a task of a store is cancelled", logs: logOfSix) { simulation, log in
            let store = dormitory(simulation, log)
            let task = try await store.dispatch(.sleep(6))
            await simulation.quiet()
            task.cancel()
            await simulation.quiet()
        },
        OrderScenario("a store with effects is released", logs: logOfSix) { simulation, log in
            do {
                let store = dormitory(simulation, log)
                try await store.dispatch(.sleep(6))
                await simulation.quiet()
            }
            await simulation.quiet()
        },
        OrderScenario("groups of effects are cancelled", logs: logOfGroups) { simulation, log in
            let store = dormitory(simulation, log)
            try await store.dispatch(.sleepInGroups)
            await simulation.quiet()
            await store.shutdown(drain: .cancelEffects)
        },
        OrderScenario(
            "a task with effects of a child and its root is cancelled",
            logs: (0..<3).map { "child \($0)" } + (0..<3).map(String.init)
        ) { simulation, log in
            let store = dormitory(simulation, log)
            let sleeper = Sleeper(clock: simulation.clock) { log.append("child \($0)") }
            let child = store.child(initialState: 0, reducer: sleeper)
            let task = try await child.dispatch(.sleep(3))
            await simulation.quiet()
            task.cancel()
            await simulation.quiet()
        },
    ]
}

// MARK: Ends

extension OrderScenario {
    private static let ends = [
        OrderScenario("effects do not end in time") { simulation, log in
            let store = dormitory(simulation, log)
            let errors = store.errors
            let reader = simulation.start("errors") {
                for await failure in errors { log.append("\(failure.origin)") }
            }
            let parked = Collector<UnsafeContinuation<Void, Never>>()
            try await store.dispatch(.park(6, parked))
            await simulation.quiet()
            let report = await store.shutdown(drain: .cancelEffects, within: .seconds(5), clock: simulation.clock)
            for effect in report.unfinishedEffects { log.append(effect.id.map { "\($0)" } ?? "") }
            try await reader.value
            for continuation in parked.elements { continuation.resume() }
        }
    ]
}

// MARK: Children

extension OrderScenario {
    private static let children = [
        OrderScenario("children end with their root") { simulation, log in
            let store = dormitory(simulation, log)
            let children = sleepers(of: store, simulation, log)
            let loops = children.enumerated().map { number, child in
                followToEnd(child.values(of: \.local), "\(number)", simulation, log)
            }
            await simulation.quiet()
            await store.shutdown(drain: .finishEffects)
            for loop in loops { try await loop.value }
        },
        OrderScenario("effects of children are cancelled with their root") { simulation, log in
            let store = dormitory(simulation, log)
            let children = sleepers(of: store, simulation, log)
            for child in children { child.send(.sleep(1)) }
            await simulation.quiet()
            await store.shutdown(drain: .cancelEffects)
        },
    ]

    private static func sleepers(
        of store: Store<Bedrooms, Dormitory.Action>,
        _ simulation: Simulation,
        _ log: Collector<String>
    ) -> [Store<ParentAndChild<Bedrooms, Int>, Dormitory.Action>] {
        (0..<6).map { number in
            store.child(initialState: 0, reducer: Sleeper(clock: simulation.clock) { log.append("\(number): \($0)") })
        }
    }
}

// MARK: Entries

extension OrderScenario {
    private static let entries = [3, 6].flatMap { count in
        [
            OrderScenario("closures observe \(count) entries of a dictionary") { simulation, log in
                let store = dormitory(simulation, log)
                let tokens = (0..<count).map { key in
                    store.observe(.entry(of: \.names, key: Bedrooms.name(key))) { log.append("\(key): \($0 ?? 0)") }
                }
                store.send(.count)
                store.send(.count)
                await store.shutdown(drain: .finishEffects)
                withExtendedLifetime(tokens) {}
            },
            OrderScenario("sequences observe \(count) entries of a dictionary") { simulation, log in
                let store = dormitory(simulation, log)
                let loops = (0..<count).map { key in
                    let values = store.values(of: \.names, key: Bedrooms.name(key))
                    return simulation.start("\(key)") {
                        for await value in values { log.append("\(key): \(value ?? 0)") }
                        log.append("end of \(key)")
                    }
                }
                await simulation.quiet()
                store.send(.count)
                await simulation.quiet()
                store.send(.count)
                await store.shutdown(drain: .finishEffects)
                for loop in loops { try await loop.value }
            },
            OrderScenario("sequences of \(count) entries of a tree dictionary end") { simulation, log in
                let store = dormitory(simulation, log)
                let loops = (0..<count).map { key in
                    followToEnd(store.values(of: \.rooms, key: key), "\(key)", simulation, log)
                }
                await simulation.quiet()
                await store.shutdown(drain: .finishEffects)
                for loop in loops { try await loop.value }
            },
        ]
    }
}

// MARK: Tables of stores

extension OrderScenario {
    private static let tables = [
        OrderScenario("the scopes of a table end with their root") { simulation, log in
            let store = dormitory(simulation, log)
            let scopes = store.scopes(forEach: \.rooms) { (_: Int, action: Dormitory.Action) in action }
            let loops = scopes.keys.compactMap { key in
                scopes[key].map { followToEnd($0.values(of: \.self), "\(key)", simulation, log) }
            }
            await simulation.quiet()
            await store.shutdown(drain: .finishEffects)
            for loop in loops { try await loop.value }
        },
        OrderScenario("the children of a table end when it is released") { simulation, log in
            let store = dormitory(simulation, log)
            var loops: [Task<Void, any Error>] = []
            do {
                let children = store.children(
                    forEach: \.rooms,
                    initialState: { _, _ in 0 },
                    reducer: Sleeper(clock: simulation.clock) { log.append("\($0)") }
                ) { (_: Int, action: Dormitory.Action) in action }
                for key in children.keys {
                    guard let child = children[key] else { continue }
                    log.append("\(key)")
                    child.send(.sleep(1))
                    loops.append(followToEnd(child.values(of: \.local), "\(key)", simulation, log))
                }
                await simulation.quiet()
            }
            for loop in loops { try await loop.value }
        },
    ]
}

// MARK: Groups

extension OrderScenario {
    private static let groups = [
        OrderScenario("a group is released whose stores continue") { simulation, log in
            let configuration = StoreConfiguration(executor: simulation.executor)
            var group: StoreGroup<Int, Int, Int>? = StoreGroup(configuration: configuration) { (_: Int) in
                Store(initialState: 0, configuration: configuration) { (sum: inout Int, step: Int) in sum += step }
            }
            let stores = (0..<4).map { group?[$0] }
            let loops = (0..<3).compactMap { number in
                group.map { followToEnd($0.values(of: \.self), "\(number)", simulation, log) }
            }
            await simulation.quiet()
            group = nil
            for loop in loops { try await loop.value }
            withExtendedLifetime(stores) {}
        }
    ]
}

// MARK: Participants

private func dormitory(_ simulation: Simulation, _ log: Collector<String>) -> Store<Bedrooms, Dormitory.Action> {
    Store(
        initialState: Bedrooms(),
        reducer: Dormitory(clock: simulation.clock) { log.append("\($0)") },
        configuration: StoreConfiguration(executor: simulation.executor)
    )
}

/// A task that waits for the end of a sequence, and logs it.
private func followToEnd<Values: AsyncSequence & Sendable>(
    _ values: Values,
    _ name: String,
    _ simulation: Simulation,
    _ log: Collector<String>
) -> Task<Void, any Error> {
    simulation.start(name) {
        for try await _ in values {}
        log.append("end of \(name)")
    }
}

private struct Bedrooms: Equatable, Sendable {
    var rooms: TreeDictionary<Int, Int> = TreeDictionary(uniqueKeysWithValues: (0..<6).map { ($0, 0) })
    var names: [String: Int] = Dictionary(uniqueKeysWithValues: (0..<6).map { (Bedrooms.name($0), 0) })

    static func name(_ number: Int) -> String { "room \(number)" }
}

private struct Dormitory: Reducer {
    enum Action: Sendable {
        case count, sleep(Int), sleepInGroups, park(Int, Collector<UnsafeContinuation<Void, Never>>)
    }

    let clock: any Clock<Duration>
    /// Called with the number of an effect that was cancelled.
    let log: @Sendable (Int) -> Void

    func reduce(into state: inout Bedrooms, action: Action) -> Effect<Action> {
        switch action {
        case .count:
            for number in 0..<6 {
                state.rooms[number, default: 0] += 1
                state.names[Bedrooms.name(number), default: 0] += 1
            }
            return .none
        case .sleep(let count):
            return .merge((0..<count).map { sleep($0, clock, log) })
        case .park(let count, let parked):
            return .merge(
                (0..<count).map { number in
                    .run(id: number) { _ in await withUnsafeContinuation { parked.append($0) } }
                }
            )
        case .sleepInGroups:
            return .merge(
                (0..<3).map { group in
                    .concatenate(.merge((0..<3).map { sleep(10 * group + $0, clock, log) }), sleep(100, clock, log))
                }
            )
        }
    }
}

private struct Sleeper: Reducer {
    let clock: any Clock<Duration>
    let log: @Sendable (Int) -> Void

    func reduce(into state: inout Int, action: Dormitory.Action) -> Effect<Dormitory.Action> {
        state += 1
        guard case .sleep(let count) = action else { return .none }
        return .merge((0..<count).map { sleep($0, clock, log) })
    }
}

private func sleep(
    _ number: Int,
    _ clock: any Clock<Duration>,
    _ log: @escaping @Sendable (Int) -> Void
) -> Effect<Dormitory.Action> {
    .run { _ in
        try await withTaskCancellationHandler {
            try await clock.sleep(for: .seconds(1_000 + number))
        } onCancel: {
            log(number)
        }
    }
}
