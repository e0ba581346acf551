import ActorStoreComposition
import ActorStoreViews
import Testing

@testable import ActorStore
@testable import TestFixtures

/// Each observer has its own deduplication, which begins with the snapshot.
@Suite("Deduplicated scopes", .timeLimit(.minutes(10)))
struct DeduplicatedScopeTests {
    struct User: Equatable, Sendable {
        var id = 1
        var name = "a"
        var level = 0
        var rooms: [String: String] = ["r": "a"]
        var guest: String?
        var capitals: String { name.uppercased() }
    }

    struct App: Sendable {
        var user = User()
        var visits = 0
    }

    typealias Step = @Sendable (inout App) -> Void
    typealias Body = @Sendable (_ name: String) -> Void

    let store = Store(initialState: App()) { (state: inout App, step: Step) in step(&state) }

    /// Users of one identity are equal.
    var users: Store<User, Step> { store.scope(\.user) { $0.id == $1.id } }

    func rename(_ name: String, id: Int) async throws {
        try await store.dispatch { state in
            (state.user.id, state.user.name) = (id, name)
            state.user.rooms = ["r": name]
            state.user.guest = name
        }
    }

    /// The ways to observe a scope, each of which delivers names.
    enum Consumer: String, CaseIterable {
        case part, computedPart, selection, selector, ownDeduplication, everyAction, owner, replay, view
        case untilLast, executor, values, stream, entry, entryValues, changes

        /// Begins, and returns a closure that waits for the values delivered until the end of the store.
        func begin(_ users: Store<User, Step>) -> () async throws -> [String] {
            let (told, executor, object) = (Collector<String>(), ThreadExecutor(), Token())
            let tell: Body = { told.append($0) }
            var observation: StoreObservation?
            switch self {
            case .part: observation = users.observe(\.name, tell)
            case .computedPart: observation = users.observe(\.capitals) { tell($0.lowercased()) }
            case .selection:
                let values = users.values(of: .selecting { $0.name }, buffering: .unbounded)
                return { try await values.all() }
            case .selector: observation = users.observe(.selector(StateSelector(\User.name) { $0 }), tell)
            case .ownDeduplication: observation = users.observe(.part(\.name, removeDuplicates: .equal), tell)
            case .everyAction: observation = users.observe(.part(\.name, removeDuplicates: .everyAction), tell)
            case .owner: observation = users.observe(\.name) { name in tell(name) }.bound(to: object)
            case .replay: observation = users.observe(.part(\.name).replay(.current), tell)
            case .view: observation = users.view.observe(\.name, tell)
            case .untilLast: observation = users.observe(.part(\.name).until { _ in false }, tell)
            case .executor: observation = users.values(of: \.name, buffering: .unbounded).observe(on: executor, tell)
            case .values:
                let values = users.values(of: \.name, buffering: .unbounded)
                return { try await values.all() }
            case .stream:
                return { [stream = users.stream(of: \.name, buffering: .unbounded)] in
                    for await name in stream { told.append(name) }
                    return told.elements
                }
            case .entry: observation = users.observe(.entry(of: \.rooms, key: "r")) { tell($0 ?? "none") }
            case .entryValues:
                let values = users.values(of: \.rooms, key: "r", buffering: .unbounded)
                return { try await values.all().map { $0 ?? "none" } }
            case .changes: observation = users.observe(.changes(of: \.name)) { tell($0.new) }
            }
            return { [observation] in
                await until { self != .executor || told.elements.count >= 2 }
                withExtendedLifetime((observation, object, executor)) {}
                return told.elements
            }
        }
    }

    @Test(
        "A new observer of a deduplicated scope begins with the snapshot, and others are not notified of it",
        arguments: Consumer.allCases
    )
    func beginning(_ consumer: Consumer) async throws {
        let users = users
        let former = consumer.begin(users)
        try await rename("b", id: 1)
        let told = consumer.begin(users)
        try await rename("c", id: 1)
        try await rename("d", id: 2)
        await store.shutdown(drain: .finishEffects)
        #expect(try await former() == ["a", "d"])
        #expect(try await told() == ["b", "d"])
    }

    @Test("Each iterator of a sequence of a deduplicated scope begins with the snapshot")
    func iterators() async throws {
        let sequence = users.values(of: \.level)
        var first = sequence.makeAsyncIterator()
        #expect(await first.next() == 0)
        try await store.dispatch { $0.user.level = 1 }
        var second = sequence.makeAsyncIterator()
        #expect(await second.next() == 1)
        try await store.dispatch { $0.user = User(id: 2, level: 2) }
        #expect(await first.next() == 2)
        #expect(await second.next() == 2)
    }

    @Test("The changes of a table in a deduplicated scope begin with the entries of the snapshot")
    func tableChanges() async throws {
        let users = users
        let former = users.changes(of: \.rooms)
        try await rename("b", id: 1)
        var changes = users.changes(of: \.rooms).makeAsyncIterator()
        #expect(await changes.next()?.inserted.map(\.value) == ["b"])
        try await rename("c", id: 2)
        let change = try #require(await changes.next()?.updated.first)
        #expect(change.oldValue == "b" && change.newValue == "c")
        withExtendedLifetime(former) {}
    }

    @Test("A condition of a deduplicated scope begins with the snapshot, while others observe the scope")
    func conditions() async throws {
        let users = users
        let observer = users.observe(\.self) { _ in }
        try await rename("b", id: 1)
        #expect(try await users.condition(timeout: .seconds(60)) { $0.name == "b" }.name == "b")
        #expect(try await users.condition(\.name, timeout: .seconds(60)) { $0 == "b" } == "b")
        #expect(try await users.readOnly.condition(\.name, timeout: .seconds(60)) { $0 == "b" } == "b")
        observer.cancel()
    }

    @Test("A condition of a deduplicated scope sees only changed states after its first one")
    func laterConditions() async throws {
        let condition = Task { [users] in try await users.condition { $0.name != "a" } }
        await until { store.statistics.observers != 0 }
        _ = await store.state
        try await rename("b", id: 1)
        try await rename("c", id: 2)
        #expect(try await condition.value.name == "c")
    }

    @Test("take gets the actions of a deduplicated scope whether the state counts as changed or not")
    func takes() async throws {
        let store = Store(initialState: "a") { (name: inout String, new: String) in name = new }
        let scope = store.scope(\.self) { _, _ in true }
        #expect(try await scope.take(.where { _ in true }) { try await scope.dispatch("b") } == "b")
        #expect(scope.snapshot == "b")
    }

    @Test("Each observer of a deduplicated scope compares with its own last value")
    func ownMemories() async throws {
        let scope = store.scope(\.user) { abs($0.level - $1.level) < 10 }
        let (first, second) = (Collector<Int>(), Collector<Int>())
        let former = scope.observe(\.level) { first.append($0) }
        try await store.dispatch { $0.user.level = 9 }
        let latter = scope.observe(\.level) { second.append($0) }
        for level in [10, 18, 19, 20] { try await store.dispatch { $0.user.level = level } }
        #expect(first.elements == [0, 10, 20])
        #expect(second.elements == [9, 19])
        withExtendedLifetime((former, latter)) {}
    }

    @Test("An observer added to a deduplicated scope after the end of all others begins with the snapshot")
    func afterOthers() async throws {
        let users = users
        users.observe(\.self) { _ in }.cancel()
        try await rename("b", id: 1)
        let told = Collector<String>()
        let observation = users.observe(\.name) { told.append($0) }
        #expect(told.elements == ["b"])
        observation.cancel()
    }

    /// Stores derived from a deduplicated scope.
    enum Way: String, CaseIterable {
        case itself, readOnly, view, part, computedPart, closure, actions, scopeOfScope, otherSameness, optional
        case child, scopeOfChild, combinedChild, grandchild, readOnlyChild

        func observe(_ users: Store<User, Step>, _ tell: @escaping Body) -> [any Sendable] {
            switch self {
            case .itself: return [users.observe(\.name, tell)]
            case .readOnly: return [users.readOnly.observe(\.name, tell)]
            case .view: return [users.view(state: \.name).observe(\.self, tell)]
            case .part: return [users.scope(\.name).observe(\.self, tell)]
            case .computedPart: return [users.scope(\.capitals).observe(\.self) { tell($0.lowercased()) }]
            case .closure: return [users.scope { $0.name }.observe(\.self, tell)]
            case .actions:
                return [users.scope(state: \.self, action: { (step: @escaping Step) in step }).observe(\.name, tell)]
            case .scopeOfScope: return [users.scope(\.self).scope(\.name).scope(\.self).observe(\.self, tell)]
            case .otherSameness: return [users.scope(\.name, removeDuplicates: ==).observe(\.self, tell)]
            case .optional:
                return [users.scope { Optional($0) }.scope(\.?.name).observe(\.self) { tell($0 ?? "none") }]
            default: break
            }
            let child = users.child(initialState: 0, reducer: EmptyReducer())
            switch self {
            case .child: return [child, child.observe(\.parent.name, tell)]
            case .scopeOfChild: return [child, child.scope(\.parent).scope(\.name).observe(\.self, tell)]
            case .combinedChild:
                let reducer = Reduce<Int, Step> { _, _ in .none }
                let combined = users.child(initialState: 0, reducer: reducer)
                    .scope { $0.parent.name + "\($0.local)" }
                return [combined, combined.observe(\.self) { tell(String($0.dropLast())) }]
            case .grandchild:
                let grandchild = child.child(initialState: 0, reducer: EmptyReducer())
                return [grandchild, grandchild.observe(\.parent.parent.name, tell)]
            default: return [child, child.readOnly.observe(\.parent.name, tell)]
            }
        }
    }

    @Test(
        "Scopes and children of a deduplicated scope notify only of states that count as changed",
        arguments: Way.allCases
    )
    func derivedStores(_ way: Way) async throws {
        let (users, former, told) = (users, Collector<String>(), Collector<String>())
        let first = way.observe(users) { former.append($0) }
        try await rename("b", id: 1)
        let second = way.observe(users) { told.append($0) }
        try await rename("c", id: 1)
        try await rename("d", id: 2)
        #expect(former.elements == ["a", "d"])
        #expect(told.elements == ["b", "d"])
        withExtendedLifetime((first, second)) {}
    }

    @Test("A scope of a deduplicated scope shows the current state")
    func snapshots() async throws {
        let users = users
        let child = users.child(initialState: 0, reducer: EmptyReducer())
        try await rename("b", id: 1)
        #expect(users.snapshot.name == "b" && users.readOnly.snapshot.name == "b")
        #expect(users.scope(\.name).snapshot == "b" && users.scope { $0.name }.snapshot == "b")
        #expect(child.snapshot.parent.name == "b" && users.binding(\.name) { _ in { _ in } }.value == "b")
        #expect(await users.readOnly.state.name == "b")
    }

    @Test("Nested deduplications compare from the outside in")
    func twoNotions() async throws {
        let scope = users.scope(\.level) { abs($0 - $1) < 10 }
        let told = Collector<Int>()
        let observation = scope.observe(\.self) { told.append($0) }
        for (id, level) in [(1, 100), (2, 5), (3, 10), (3, 50), (4, 15)] {
            try await store.dispatch { $0.user = User(id: id, level: level) }
        }
        #expect(told.elements == [0, 10])
        withExtendedLifetime(observation) {}
    }

    @Test("A child of a deduplicated scope notifies of its own state at once, and of its parent's as deduplicated")
    func ownStateOfAChild() async throws {
        let child = users.child(initialState: 0, reducer: Reduce { (steps: inout Int, _: Step) in steps += 1 })
        let (both, own) = (Collector<String>(), Collector<Int>())
        let tokens = [
            child.observe(\.self) { both.append("\($0.parent.name)\($0.local)") },
            child.observe(\.local) { own.append($0) },
        ]
        try await rename("b", id: 1)
        try await child.dispatch { _ in }
        try await rename("c", id: 2)
        try await child.dispatch { $0.user.name = "d" }
        #expect(both.elements == ["a0", "a1", "c1", "c2"])
        #expect(own.elements == [0, 1, 2])
        withExtendedLifetime(tokens) {}
    }

    @Test("Stores of entries and optional parts of a deduplicated scope notify only of changed states")
    func elements() async throws {
        try await rename("a", id: 1)
        let users = users
        let rooms = users.scopes(forEach: \.rooms) { (_: String, step: @escaping Step) in step }
        let children = users.children(
            forEach: \.rooms,
            initialState: { _, _ in 0 },
            reducer: Reduce<Int, Step> { _, _ in .none }
        ) { _, step in step }
        let guest = users.scopeIfLet(state: \.guest, action: { $0 })
        let stores = (try #require(rooms["r"]), try #require(children["r"]), try #require(guest.store))
        func begin() -> (Collector<String>, [StoreObservation]) {
            let told = Collector<String>()
            let tokens = [
                stores.0.observe(\.self) { told.append("room \($0)") },
                stores.1.observe(\.parent) { told.append("child \($0)") },
                stores.2.observe(\.self) { told.append("guest \($0)") },
            ]
            return (told, tokens)
        }
        func all(_ name: String) -> [String] { ["room \(name)", "child \(name)", "guest \(name)"] }
        let former = begin()
        try await rename("b", id: 1)
        #expect(stores.0.snapshot == "b" && stores.1.snapshot.parent == "b" && stores.2.snapshot == "b")
        let latter = begin()
        try await rename("c", id: 1)
        try await rename("d", id: 2)
        #expect(former.0.elements == all("a") + all("d"))
        #expect(latter.0.elements == all("b") + all("d"))
    }

    /// A user with a table and an optional part, which contains a table again.
    struct Customer: Equatable, Sendable {
        struct Cart: Equatable, Sendable {
            var items = 0
            var lines = ["l": 0]
        }
        var id = 1
        var cart: Cart? = Cart()
        var orders = [7: Cart()]
    }

    typealias CustomerStep = @Sendable (inout Customer) -> Void

    let customers = Store(initialState: Customer()) { (state: inout Customer, step: CustomerStep) in step(&state) }

    /// Changes the cart and the order, which does not count as a change.
    func fill(_ count: Int) async throws {
        try await customers.dispatch { state in
            state.cart?.items = count
            state.cart?.lines["l"] = count
            state.orders[7]?.items = count
            state.orders[7]?.lines["l"] = count
        }
    }

    /// Removes both, which counts as a change.
    func leave() async throws {
        try await customers.dispatch { state in
            (state.id, state.cart) = (2, nil)
            state.orders[7] = nil
        }
    }

    @Test("A removed element of a deduplicated scope keeps its actual last state, not the deduplicated one")
    func lastOfElements() async throws {
        let customer = customers.scope(\.self) { $0.id == $1.id }
        let cart = customer.scopeIfLet(state: \.cart) { (step: @escaping CustomerStep) in step }
        let orders = customer.scopes(forEach: \.orders) { (_: Int, step: @escaping CustomerStep) in step }
        let stores = [try #require(cart.store), try #require(orders[7])]
        let lines = try stores.map { store in
            let table = store.scopes(forEach: \.lines) { (_: String, step: @escaping CustomerStep) in step }
            return (table, try #require(table["l"]))
        }
        for count in 1...17 { try await fill(count) }
        let (told, waits) = (
            Collector<Int>(),
            stores.map { store in
                let states = store.values(of: \.self, buffering: .unbounded)
                return Task { await states.first { $0.items == 0 }?.items }
            }
        )
        let observations = stores.map { $0.observe(\.items) { told.append($0) } }
        #expect(told.elements == [17, 17])
        try await leave()
        #expect(told.elements == [17, 17])
        #expect(stores.map(\.snapshot.items) == [17, 17])
        #expect(lines.map { $0.1.snapshot } == [17, 17])
        for wait in waits { #expect(await wait.value == nil) }
        withExtendedLifetime((observations, lines)) {}
    }

    @Test("A nested element of a deduplicated scope that is removed alone keeps its actual last state")
    func lastOfInnerElement() async throws {
        let customer = customers.scope(\.self) { $0.id == $1.id }
        let orders = customer.scopes(forEach: \.orders) { (_: Int, step: @escaping CustomerStep) in step }
        let order = try #require(orders[7])
        let lines = order.scopes(forEach: \.lines) { (_: String, step: @escaping CustomerStep) in step }
        let line = try #require(lines["l"])
        for count in 1...17 { try await fill(count) }
        try await customers.dispatch { state in
            state.id = 2
            state.orders[7]?.lines = [:]
        }
        #expect(lines["l"] == nil && orders[7] != nil)
        #expect(line.snapshot == 17)
    }

    @Test("Removed elements in the parent's state of a deduplicated element's child keep their actual last state")
    func lastBelowChildren() async throws {
        let customer = customers.scope(\.self) { $0.id == $1.id }
        let reducer = Reduce<Int, CustomerStep> { _, _ in .none }
        let orders = customer.children(forEach: \.orders, initialState: { _, _ in 0 }, reducer: reducer) { _, step in
            step
        }
        let cart = customer.scopeIfLet(state: \.cart) { (step: @escaping CustomerStep) in step }
        let ofCart = try #require(cart.store).child(initialState: 0, reducer: reducer) {
            (step: @escaping CustomerStep) in step
        }
        let tables = try [#require(orders[7]), ofCart].map { child in
            child.scopes(forEach: \.parent.lines) { (_: String, step: @escaping CustomerStep) in step }
        }
        let lines = try tables.map { try #require($0["l"]) }
        for count in 1...17 { try await fill(count) }
        let told = Collector<Int>()
        let observations = lines.map { $0.observe(\.self) { told.append($0) } }
        try await customers.dispatch { state in
            state.id = 2
            state.cart?.lines = [:]
            state.orders[7]?.lines = [:]
        }
        #expect(tables.allSatisfy { $0["l"] == nil })
        #expect(told.elements == [17, 17])
        #expect(lines.map(\.snapshot) == [17, 17])
        withExtendedLifetime(observations) {}
    }

    /// A child's derivation of a customer, and of its chosen orders.
    struct Desk: Equatable, Sendable {
        var orders: [Int: Customer.Cart]
        var first: Customer.Cart?

        init(_ customer: Customer, _ chosen: Set<Int>) {
            orders = customer.orders.filter { chosen.contains($0.key) }
            first = orders[7]
        }
    }

    enum DeskAction: Sendable { case choose(Set<Int>) }

    @Test(
        "Elements of a deduplicated scope's child keep their actual last state, though observers get others"
    )
    func lastOfCombinedElements() async throws {
        let customer = customers.scope(\.self) { $0.id == $1.id }
        let reducer = Reduce<Set<Int>, DeskAction> { chosen, action in
            switch action {
            case .choose(let keys): chosen = keys
            }
            return .none
        }
        let desk = customer.child(
            initialState: Set<Int>(),
            reducer: reducer,
            action: { (_: DeskAction) in nil }
        ).scope { Desk($0.parent, $0.local) }
        let orders = desk.scopes(forEach: \.orders) { (_: Int, action: DeskAction) in action }
        let first = desk.scopeIfLet(state: \.first) { (action: DeskAction) in action }
        try await fill(17)
        try await desk.dispatch(.choose([7]))
        let stores = [try #require(orders[7]), try #require(first.store)]
        #expect(stores.map(\.snapshot.items) == [17, 17])
        let told = Collector<Int>()
        let observations = stores.map { $0.observe(\.items) { told.append($0) } }
        try await desk.dispatch(.choose([]))
        #expect(orders[7] == nil && first.store == nil)
        #expect(stores.map(\.snapshot.items) == [17, 17])
        #expect(told.elements == [17, 17])
        withExtendedLifetime(observations) {}
    }

    /// The first chosen orders of a customer, and their number of items.
    struct Choice: Equatable, Sendable {
        var order: Int
        var items: Int

        static func of(_ customer: Customer, _ order: Int) -> Choice? {
            customer.orders[order].map { Choice(order: order, items: $0.items) }
        }
    }

    /// Replaces the present orders by others.
    func place(_ orders: [Int: Int], id: Int = 1) async throws {
        try await customers.dispatch { state in
            state.id = id
            state.orders = orders.mapValues { Customer.Cart(items: $0) }
        }
    }

    @Test("An observer of a child's part of a deduplicated scope never goes back, and gets its actual last state")
    func chosenElements() async throws {
        try await place([7: 1, 8: 1])
        let customer = customers.scope(\.self) { $0.id == $1.id }
        func begin() throws -> (Store<Choice?, Int>, OptionalScope<Choice, Int>, Store<Choice, Int>) {
            let child = customer.child(
                initialState: 7,
                reducer: Reduce<Int, Int> { order, next in
                    order = next
                    return .none
                },
                action: { (_: Int) in nil }
            ).scope { Choice.of($0.parent, $0.local) }
            let scope = child.scopeIfLet(state: \.self) { (order: Int) in order }
            return (child, scope, try #require(scope.store))
        }
        let (went, came) = (try begin(), try begin())
        let told = (Collector<Choice>(), Collector<Choice>())
        // Order 7 has actually gone, and 9 has actually come.
        try await place([8: 2, 9: 2])
        let first = went.2.observe(\.self) { told.0.append($0) }
        try await place([7: 3, 8: 3, 9: 3])
        let second = came.2.observe(\.self) { told.1.append($0) }
        try await place([7: 4, 8: 4])
        try await went.0.dispatch(8)
        try await came.0.dispatch(9)
        #expect(told.0.elements == [Choice(order: 7, items: 1), Choice(order: 8, items: 2)])
        // Nothing is visible there, so the store has ended with the choice of that time.
        #expect(came.1.store == nil && came.2.snapshot == Choice(order: 7, items: 4))
        #expect(told.1.elements == [Choice(order: 7, items: 3), Choice(order: 7, items: 4)])
        try await place([7: 5, 8: 5], id: 2)
        #expect(told.0.elements.last == Choice(order: 8, items: 5))
        withExtendedLifetime((first, second)) {}
    }

    @Test(
        "An observer added after the unobserved removal of a deduplicated element gets no unobserved changes"
    )
    func goneUnseen() async throws {
        let customer = customers.scope(\.self) { $0.id == $1.id }
        let child = customer.child(initialState: 0, reducer: Reduce<Int, CustomerStep> { _, _ in .none }) {
            (step: @escaping CustomerStep) in step
        }
        let orders = child.scopes(forEach: \.parent.orders) { (_: Int, step: @escaping CustomerStep) in step }
        let order = try #require(orders[7])
        try await place([:])
        let told = Collector<Int>()
        let observation = order.observe(\.items) { told.append($0) }
        try await place([7: 3])
        try await place([7: 4])
        #expect(told.elements == [0] && order.snapshot.items == 4)
        try await place([7: 5], id: 2)
        #expect(told.elements == [0, 5])
        withExtendedLifetime(observation) {}
    }

    @Test(
        "A condition of a deduplicated element does not hold for states from long before its removal"
    )
    func conditionOfElement() async throws {
        let customer = customers.scope(\.self) { $0.id == $1.id }
        let orders = customer.scopes(forEach: \.orders) { (_: Int, step: @escaping CustomerStep) in step }
        let order = try #require(orders[7])
        for count in 1...3 { try await fill(count) }
        let before = customers.statistics.observers
        let wait = Task { try await order.condition { $0.items == 0 } }
        await until { customers.statistics.observers != before }
        _ = await customers.state
        try await leave()
        await #expect(throws: WaitError.storeEnded) { try await wait.value }
    }

    @Test("A child of a deduplicated entry shows, after its removal, the entry with the child's own state of then")
    func childOfElement() async throws {
        let customer = customers.scope(\.self) { $0.id == $1.id }
        let children = customer.children(
            forEach: \.orders,
            initialState: { _, _ in 0 },
            reducer: Reduce<Int, CustomerStep> { count, _ in
                count += 1
                return .none
            }
        ) { _, step in step }
        let child = try #require(children[7])
        for count in 1...5 { try await child.dispatch { $0.orders[7]?.items = count } }
        try await leave()
        #expect(child.snapshot.parent.items == 5 && child.snapshot.local == 5)
    }

    @Test("Observers of an entry of a deduplicated scope end with the entry, when its removal counts as a change")
    func endOfAnElement() async throws {
        let rooms = users.scopes(forEach: \.rooms) { (_: String, step: @escaping Step) in step }
        let room = try #require(rooms["r"])
        let values = room.values(of: \.self, buffering: .unbounded)
        try await store.dispatch { $0.user.rooms = [:] }
        #expect(rooms["r"] != nil && room.snapshot == "a")
        try await store.dispatch { $0.user.id = 2 }
        #expect(rooms["r"] == nil)
        #expect(try await values.all() == ["a"])
    }

    @Test("A mirror of a deduplicated scope shows the snapshot first, and then changed states")
    @MainActor
    func mirror() async throws {
        let users = users
        let observer = users.observe(\.self) { _ in }
        try await rename("b", id: 1)
        let mirror = ObservableStore(users.readOnly)
        #expect(mirror.name == "b")
        try await rename("c", id: 1)
        try await rename("d", id: 2)
        await until { mirror.name != "b" }
        #expect(mirror.name == "d")
        observer.cancel()
    }

    @Test("Values kept by an observer of a deduplicated scope are released after the turn, and by its end")
    func releases() async throws {
        struct Parcel: Sendable {
            var number = 0
            var token = Token()
        }
        let store = Store(initialState: Parcel()) { (parcel: inout Parcel, new: Parcel) in parcel = new }
        let scope = store.scope(\.self, removeDuplicates: { $0.number == $1.number })
        let (tokens, releases) = AsyncStream.makeStream(of: Bool.self)
        var areInTurn = tokens.makeAsyncIterator()
        let observation = scope.observe(\.number) { _ in }
        func parcel(_ number: Int) -> Parcel {
            let token = Token { [weak root = store.root] in releases.yield(root?.gate.isOwnedByThisThread ?? true) }
            return Parcel(number: number, token: token)
        }
        try await store.dispatch(parcel(1))
        try await store.dispatch(Parcel(number: 2))
        #expect(await areInTurn.next() == false)
        try await store.dispatch(parcel(3))
        try await store.dispatch(Parcel(number: 3))
        observation.cancel()
        #expect(await areInTurn.next() == false)
    }
}
