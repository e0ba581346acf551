import ActorStore
import Testing

@testable import TestFixtures

/// The listings of the article "Observing a store".
@Suite("The article about observers", .timeLimit(.minutes(10)))
struct ObservingAStoreTests {
    struct Price: Equatable, Sendable {
        var cents: Int
        var note = ""
    }

    struct User: Equatable, Sendable {
        var id: Int
        var name: String
    }

    struct Auction: Sendable {
        var price = Price(cents: 1)
        var level = 0
        var progress = 0.0
        var user = User(id: 1, name: "Ada")
        var bids: [Int] = []
        var items: [Int: String] = [3: "three"]
    }

    actor Gauge {
        var levels: [Int] = []

        func show(_ change: Change<Int>) { levels.append(change.new) }
    }

    private func makeStore() -> Store<Auction, Command> {
        Store(initialState: Auction()) { (state: inout Auction, command: Command) in command.change(&state) }
    }

    struct Command: Sendable {
        let change: @Sendable (inout Auction) -> Void
    }

    private func set<Value: Sendable>(
        _ path: WritableKeyPath<Auction, Value> & Sendable,
        _ value: Value
    ) -> Command {
        Command { $0[keyPath: path] = value }
    }

    @Test("Parts are observed by a part of them, from the next change on, and up to a value")
    func parts() async throws {
        let store = makeStore()
        let gauge = Gauge()
        let shown = Collector<String>()
        let show: @Sendable (Any) -> Void = { shown.append("\($0)") }
        let changes = Task {
            try await store.dispatch(set(\.price, Price(cents: 1, note: "the same")))
            try await store.dispatch(set(\.price, Price(cents: 2)))
            try await store.dispatch(set(\.level, 7))
            try await store.dispatch(set(\.progress, 1))
        }
        let prices = store.observe(.part(\.price, removeDuplicates: .by(\.cents))) { price in show(price) }
        let levels = store.observe(.changes(of: \.level).replay(.none), isolatedTo: gauge) { gauge, change in
            gauge.show(change)
        }
        for await progress in store.values(of: .part(\.progress).until { $0 == 1 }) { show(progress) }
        try await changes.value
        #expect(shown.elements.last == "1.0")
        withExtendedLifetime((prices, levels)) {}
    }

    @Test("A scope has a comparison of its own for all its observers")
    func scopes() async throws {
        let store = makeStore()
        let names = Collector<String>()
        let show: @Sendable (String) -> Void = { names.append($0) }
        try await {
            let users = store.scope(\.user, removeDuplicates: { $0.id == $1.id })
            let names = users.observe(\.name) { show($0) }  // the name now, and that of each other user
            let same = users.readOnly.scope(\.name).observe(\.self) { show($0) }  // the same
            try await store.dispatch(set(\.user, User(id: 1, name: "Ada Lovelace")))
            try await store.dispatch(set(\.user, User(id: 2, name: "Bob")))
            withExtendedLifetime((names, same)) {}
        }()
        #expect(names.elements == ["Ada", "Ada", "Bob", "Bob"])
    }

    @Test("Longer computations are done where values are iterated")
    func computed() async throws {
        let store = makeStore()
        let shown = Collector<[Int]>()
        let show: @Sendable ([Int]) -> Void = { shown.append($0) }
        @Sendable func ranking(of bids: [Int]) -> [Int] { bids.sorted(by: >) }
        let display = Task {
            for await ranking in store.values(of: \.bids).map({ ranking(of: $0) }) { show(ranking) }
        }
        try await store.dispatch(set(\.bids, [1, 3, 2]))
        await until { shown.elements.last == [3, 2, 1] }
        await store.shutdown(drain: .finishEffects)
        await display.value
    }

    @Test("An entry is observed while it exists, and when it disappears")
    func entries() async throws {
        let store = makeStore()
        let shown = Collector<String?>()
        let show: @Sendable (String?) -> Void = { shown.append($0) }
        let third = store.observe(.entry(of: \.items, key: 3)) { item in show(item) }
        try await store.dispatch(set(\.items, [:]))
        #expect(shown.elements == ["three", nil])
        withExtendedLifetime(third) {}
    }
}
