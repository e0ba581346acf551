import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import Dispatch
import Testing

@testable import TestFixtures

@Suite("Bodies of reducers", .timeLimit(.minutes(10)))
struct PreparedReducerTests {
    @Test("A store creates the bodies of its reducers once, at every level, and not for each action")
    func onceForEachStore() async throws {
        let made = Collector<String>()
        let store = Store(initialState: Town.State(), reducer: Town(made: made))
        #expect(made.elements.isEmpty)
        for number in 1...20 {
            try await store.dispatch(.street(.house(.room(id: number % 2, action: .record(1)))))
            store.send(.street(.built))
        }
        #expect(store.snapshot.street.house?.rooms[0].reading == 10)
        #expect(store.snapshot.street.built == 20)
        #expect(made.elements == ["town", "street", "house", "room"])
    }

    @Test("A body is created once also inside combined, chosen, repeated and dependency-overriding reducers")
    func onceBelowOthers() async throws {
        let made = Collector<String>()
        let room = Room(made: made)
        let store = Store(
            initialState: NumberedMeter.State(id: 1),
            reducer: Combine {
                Combine { room }
                if room.made === made { room } else { EmptyReducer() }
                for _ in 1...2 { room }
                room.on(Never.self) { _, _ in }
                room.dependency(\.number, 5)
                room.onChange(of: \.reading) { _, _ in EmptyReducer() }
                Scope(action: .identity) { room }
            }.dependency(\.number, 6)
        )
        for _ in 1...10 { store.send(.record(1)) }
        #expect(store.snapshot.reading == 80)
        #expect(made.elements.count == 8)
    }

    @Test("The bodies of children's reducers and of attached ones are created once")
    func onceForChildren() async throws {
        let made = Collector<String>()
        let plain = Store(initialState: NumberedMeter.State(id: 1), reducer: Room(made: made))
        let withDependencies = Store(initialState: NumberedMeter.State(id: 1), reducer: Room(made: made)) { values, _ in
            values.number = 2
        }
        for store in [plain, withDependencies] {
            let child = store.child(initialState: NumberedMeter.State(id: 2), reducer: Room(made: made))
            store.attach(reducer: Room(made: made), forKey: "room")
            for _ in 1...10 { try await child.dispatch(.record(1)) }
            #expect(child.snapshot.local.reading == 10 && store.snapshot.reading == 20)
        }
        #expect(made.elements.count == 6)
    }

    @Test("A body depends on the properties of its own reducer, in each store")
    func properties() async throws {
        struct Gain: Reducer {
            let factor: Int
            var body: some Reducer<Int, Int> {
                Reduce { total, amount in total += factor * amount }
                if factor > 2 { Reduce { total, _ in total += 1_000 } }
            }
        }
        let small = Store(initialState: 0, reducer: Gain(factor: 2))
        let large = Store(initialState: 0, reducer: Gain(factor: 3))
        let both = Store(
            initialState: 0,
            reducer: Combine {
                Gain(factor: 5)
                Gain(factor: 7)
            }
        )
        for amount in 1...2 {
            for store in [small, large, both] { try await store.dispatch(amount) }
        }
        #expect(small.snapshot == 6 && large.snapshot == 2_009 && both.snapshot == 4_036)
    }

    @Test("A body uses dependencies of the store's creation or of its surroundings, not the sender's")
    func dependencies() async throws {
        let chooser = Chooser()
        let created = withDependencies {
            $0.number = 3
        } operation: {
            Store(initialState: [], reducer: chooser)
        }
        let overridden = Store<[String], String>(initialState: [], reducer: Combine { chooser }.dependency(\.number, 4))
        let owning = Store(initialState: [], reducer: chooser) { values, _ in values.number = 5 }
        for store in [created, overridden, owning] {
            try await withDependencies {
                $0.number = 8
            } operation: {
                try await store.dispatch("first")
            }
            try await store.dispatch("second")
        }
        #expect(created.snapshot == ["first 3", "second 3"])
        #expect(overridden.snapshot == ["first 4", "second 4"])
        #expect(owning.snapshot == ["first 5", "second 5"])
    }

    @Test("Reducers created by a body keep the dependencies of the store's creation")
    func dependenciesOfNestedReducers() async throws {
        struct Outer: Reducer {
            var body: some Reducer<[Int], Noting.Action> { Noting() }
        }
        let store = withDependencies {
            $0.number = 3
        } operation: {
            Store(initialState: [], reducer: Outer())
        }
        try await store.dispatch(.note)
        let actions = store.values(of: \.self, buffering: .unbounded)
        store.send(.noteInAnEffect)
        #expect(try await actions.first(2).last == [3, 3])
    }

    @Test("A reducer can contain itself")
    func recursion() async throws {
        struct Branch: Reducer {
            struct State: Equatable, Identifiable, Sendable {
                let id: Int
                var weight = 0
                var branches: [State] = []
            }
            indirect enum Action: Sendable {
                case grow
                case branch(id: Int, action: Action)
            }
            var body: some Reducer<State, Action> {
                Reduce { state, action in
                    if case .grow = action { state.weight += 1 }
                }
                .forEach(
                    \.branches,
                    action: CasePath { (entry: (id: Int, action: Action)) in
                        Action.branch(id: entry.id, action: entry.action)
                    }
                ) { Branch() }
            }
        }
        let twig = Branch.State(id: 3)
        let tree = Branch.State(id: 1, branches: [Branch.State(id: 2, branches: [twig])])
        let store = Store(initialState: tree, reducer: Branch())
        try await store.dispatch(.branch(id: 2, action: .branch(id: 3, action: .grow)))
        #expect(store.snapshot.branches[0].branches[0].weight == 1)
    }

    @Test("Of two bodies created concurrently by threads, both threads use one")
    func concurrentMaking() async {
        let made = Collector<String>()
        let meeting = Meeting()
        let prepared = Slow(made: made, meeting: meeting).prepared()
        let results = Collector<Int>()
        let ended = [Signal(), Signal()]
        for signal in ended {
            onThread {
                var total = 0
                for _ in 1...3 { _ = prepared.reduce(into: &total, action: 1) }
                results.append(total)
                signal.fire()
            }
        }
        for signal in ended { await signal.wait() }
        #expect(results.elements == [3, 3] && made.elements.count == 2)
        var total = 0
        _ = prepared.reduce(into: &total, action: 1)
        #expect(total == 1 && made.elements.count == 2)
    }

    @Test("A wrapping reducer can prepare its reducer, and preparing a prepared one has no effect")
    func wrapping() async throws {
        struct Logged<Base: Reducer>: Reducer {
            let base: Base
            let log: Collector<String>

            func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
                log.append("\(action)")
                return base.reduce(into: &state, action: action)
            }

            func prepared() -> PreparedReducer<Base.State, Base.Action> {
                let logged = Logged<PreparedReducer<Base.State, Base.Action>>(base: base.prepared(), log: log)
                return PreparedReducer { logged.reduce(into: &$0, action: $1) }
            }
        }
        let (made, log) = (Collector<String>(), Collector<String>())
        let reducer = Logged(base: Room(made: made), log: log).prepared().prepared()
        let store = Store(initialState: NumberedMeter.State(id: 1), reducer: reducer)
        for _ in 1...3 { try await store.dispatch(.record(1)) }
        #expect(store.snapshot.reading == 3 && made.elements.count == 1 && log.elements.count == 3)
    }

    @Test("Children of a table share one body, whenever their entries come")
    func onceForATable() async throws {
        let made = Collector<String>()
        let store = Store(initialState: [1: 1, 2: 2]) { (rooms: inout [Int: Int], key: Int) in rooms[key] = key }
        let rooms = store.children(
            forEach: \.self,
            initialState: { key, _ in NumberedMeter.State(id: key) },
            reducer: Room(made: made)
        ) { _, _ in nil }
        for number in 3...5 { try await store.dispatch(number) }
        for number in 1...5 { try await rooms[number]?.dispatch(.record(number)) }
        #expect((1...5).map { rooms[$0]?.snapshot.local.reading } == [1, 2, 3, 4, 5])
        #expect(made.elements == ["room"])
    }
}

/// Four levels: a town, a street in it, a house that may be missing, its rooms. Each records the creation of its body.
private struct Town: Reducer {
    struct State: Sendable { var street = Street.State() }
    enum Action: Sendable { case street(Street.Action) }

    let made: Collector<String>

    var body: some Reducer<State, Action> {
        let _: Void = made.append("town")
        Scope(state: \.street, action: CasePath(Action.street)) { Street(made: made) }
    }
}

private struct Street: Reducer {
    struct State: Sendable {
        var house: House.State? = House.State()
        var built = 0
    }
    enum Action: Sendable {
        case house(House.Action)
        case built
    }

    let made: Collector<String>

    var body: some Reducer<State, Action> {
        let _: Void = made.append("street")
        Reduce { state, action in
            if case .built = action { state.built += 1 }
        }
        .ifLet(\.house, action: CasePath(Action.house)) { House(made: made) }
    }
}

private struct House: Reducer {
    struct State: Sendable { var rooms = [NumberedMeter.State(id: 0), NumberedMeter.State(id: 1)] }
    enum Action: Sendable { case room(id: Int, action: Meter.Action) }

    let made: Collector<String>

    var body: some Reducer<State, Action> {
        let _: Void = made.append("house")
        EmptyReducer().forEach(\.rooms, action: CasePath(Action.room)) { Room(made: made) }
    }
}

private struct Room: Reducer {
    let made: Collector<String>

    var body: some Reducer<NumberedMeter.State, Meter.Action> {
        let _: Void = made.append("room")
        NumberedMeter()
    }
}

/// Chooses its body by a dependency.
private struct Chooser: Reducer {
    @Dependency(\.number) var number

    var body: some Reducer<[String], String> {
        let chosen = number
        Reduce { state, action in state.append("\(action) \(chosen)") }
    }
}

/// A reducer whose body two threads have to create at the same time.
private struct Slow: Reducer {
    let made: Collector<String>
    let meeting: Meeting

    var body: some Reducer<Int, Int> {
        let _: Void = made.append("slow")
        let _: Void = meeting.wait()
        Reduce { total, amount in total += amount }
    }
}

/// A meeting point of two threads.
private final class Meeting: Sendable {
    private let arrivals = Collector<Void>()
    private let both = DispatchSemaphore(value: 0)

    func wait() {
        arrivals.append(())
        if arrivals.elements.count == 2 {
            both.signal()
            both.signal()
        }
        both.wait()
    }
}
