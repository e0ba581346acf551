import ActorStore
import Benchmarking

/// Real departures, with an observer for each airport and each carrier; the figures are per event. Each sample
/// continues where the previous one ended, so that all events come in order.
///
/// - Parameter input: A file in the format of FlightBoard's; the month that comes with it if nil.
func flightSuite(input: String?) -> Suite {
    // Read once, at the first set-up.
    let events = Lazy { try FlightEvents(path: input) }
    return Suite(
        "flights",
        [
            Benchmark("send, observed by airport and carrier", comparedWith: ["an actor with streams"]) {
                try await inOrder(events.value) { FlightStore($0) }
            } tearDown: {
                await $0.subject.finish()
            } measure: { store, count in
                store.step(count) { store, number in store.send(number) }
            },
            Benchmark("send, observed by key", comparedWith: ["an actor with streams"]) {
                try await inOrder(events.value) { FlightTableStore($0) }
            } tearDown: {
                await $0.subject.finish()
            } measure: { store, count in
                store.step(count) { store, number in store.send(number) }
            },
            Benchmark("send to a tree, observed on each level", comparedWith: ["an actor with streams"]) {
                try await inOrder(events.value) { ObservedFlightTree($0) }
            } tearDown: {
                await $0.subject.finish()
            } measure: { tree, count in
                tree.step(count) { tree, number in tree.send(number) }
            },
            Benchmark("an actor with streams") {
                try await inOrder(events.value) { FlightActor($0) }
            } tearDown: {
                await $0.subject.finish()
            } measure: { actor, count in
                var numbers = actor.keys
                for _ in 0..<count { await actor.subject.apply(numbers.next()) }
                actor.keys = numbers
            },
            Benchmark("send, not observed", comparedWith: ["a bare actor, not observed"]) {
                try await inOrder(events.value) { events in
                    (events: events, store: Store(initialState: FlightCounts.State(), reducer: FlightCounts()))
                }
            } measure: { fixture, count in
                fixture.step(count) { fixture, number in fixture.store.send(fixture.events.actions[number]) }
            },
            Benchmark("send to a tree, not observed", comparedWith: ["a bare actor, not observed"]) {
                try await inOrder(events.value) { FlightTree($0) }
            } measure: { tree, count in
                tree.step(count) { tree, number in tree.send(number) }
            },
            Benchmark("a bare actor, not observed") {
                try await inOrder(events.value) { events in
                    (events: events, actor: BareActor(FlightCounts.State(), FlightCounts()))
                }
            } measure: { fixture, count in
                let (events, actor) = fixture.subject
                var numbers = fixture.keys
                for _ in 0..<count { await actor.apply(events.actions[numbers.next()]) }
                fixture.keys = numbers
            },
        ]
    )
}

private func inOrder<Subject: Sendable>(_ events: FlightEvents, _ make: (FlightEvents) -> Subject) -> Keyed<Subject> {
    Keyed(make(events), KeyOrder(ascending: events.actions.count))
}

/// A lazily created value.
private actor Lazy<Value: Sendable> {
    private let make: @Sendable () throws -> Value
    private var made: Value?

    init(_ make: @escaping @Sendable () throws -> Value) {
        self.make = make
    }

    var value: Value {
        get throws {
            if let made { return made }
            let value = try make()
            made = value
            return value
        }
    }
}

private struct FlightStore: Sendable {
    private let events: FlightEvents
    private let store = Store(initialState: FlightCounts.State(), reducer: FlightCounts())
    private let following: Following

    init(_ events: FlightEvents) {
        self.events = events
        let store = store
        let sequences =
            events.airports.map { store.values(of: \.[airport: $0]) }
            + events.carriers.map { store.values(of: \.[carrier: $0]) }
        following = Following(sequences.count) { place in
            for await tally in sequences[place] { blackHole(tally) }
        }
    }

    func send(_ number: Int) { store.send(events.actions[number]) }

    func finish() async {
        await store.shutdown(drain: .cancelEffects)
        await following.finish()
    }
}

/// The board with tables whose entries are observed by key.
private struct FlightTableStore: Sendable {
    private let events: FlightEvents
    private let store = Store(initialState: FlightTables.State(), reducer: FlightTables())
    private let following: Following

    init(_ events: FlightEvents) {
        self.events = events
        let store = store
        let sequences =
            events.airports.map { store.values(of: \.airports, key: $0) }
            + events.carriers.map { store.values(of: \.carriers, key: $0) }
        following = Following(sequences.count) { place in
            for await tally in sequences[place] { blackHole(tally) }
        }
    }

    func send(_ number: Int) { store.send(events.actions[number]) }

    func finish() async {
        await store.shutdown(drain: .cancelEffects)
        await following.finish()
    }
}

/// The board as a tree, with an observer for each airport and for each carrier at each airport.
private struct ObservedFlightTree: Sendable {
    private let tree: FlightTree
    private let following: Following

    init(_ events: FlightEvents) {
        tree = FlightTree(events)
        let sequences =
            tree.airports.map { $0.values(of: \.local) } + tree.carriers.values.map { $0.values(of: \.local) }
        following = Following(sequences.count) { place in
            for await tally in sequences[place] { blackHole(tally) }
        }
    }

    func send(_ number: Int) { tree.send(number) }

    func finish() async {
        await tree.root.shutdown(drain: .cancelEffects)
        await following.finish()
    }
}

/// A common first solution: each observer gets the whole state, and looks up its part.
private actor FlightActor {
    private let events: FlightEvents
    private var state = FlightCounts.State()
    private let continuations: [AsyncStream<FlightCounts.State>.Continuation]
    private let following: Following

    init(_ events: FlightEvents) {
        self.events = events
        let pairs = (0..<events.airports.count + events.carriers.count).map { _ in
            AsyncStream.makeStream(of: FlightCounts.State.self, bufferingPolicy: .bufferingNewest(1))
        }
        continuations = pairs.map(\.continuation)
        let streams = pairs.map(\.stream)
        let airports = events.airports
        let carriers = events.carriers
        following = Following(streams.count) { place in
            var last: FlightCounts.Tally?
            for await state in streams[place] {
                let tally =
                    place < airports.count
                    ? state[airport: airports[place]] : state[carrier: carriers[place - airports.count]]
                guard tally != last else { continue }
                last = tally
                blackHole(tally)
            }
        }
    }

    func apply(_ number: Int) {
        _ = FlightCounts().reduce(into: &state, action: events.actions[number])
        for continuation in continuations { continuation.yield(state) }
    }

    func finish() async {
        for continuation in continuations { continuation.finish() }
        await following.finish()
    }
}
