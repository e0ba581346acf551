import ActorStore
import ActorStoreViews
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("Actions of optional scopes and entries", .timeLimit(.minutes(10)))
struct ScopeActionTests {
    struct Hotel: Equatable, Sendable {
        var guest: Int? = 0
        var rooms: TreeDictionary<String, Int> = ["blue": 0, "red": 0]
    }

    enum Action: Sendable, Equatable {
        case guest(Visit)
        case room(String, Visit)
        case close
    }

    enum Visit: Sendable, Equatable { case enter, leave }

    private let hotel = Store(initialState: Hotel()) { (hotel: inout Hotel, action: Action) in
        switch action {
        case .guest(let visit): hotel.guest? += visit == .enter ? 1 : -1
        case .room(let key, let visit): hotel.rooms[key]? += visit == .enter ? 1 : -1
        case .close: break
        }
    }

    @Test("The actions of an optional scope are those of the part, whatever their sender, or all")
    func optionalPart() async throws {
        let own = hotel.scopeIfLet(state: \.guest, action: Action.guest)
        let any = hotel.scopeIfLet(state: \.guest, action: { $0 })
        let (ownActions, allActions) = (try #require(own.store).actions, try #require(any.store).actions)
        hotel.send(.guest(.enter))
        hotel.send(.close)
        try await own.store?.dispatch(.leave)
        await hotel.shutdown(drain: .finishEffects)
        let seen = try await ownActions.all()
        #expect(seen.map(\.action) == [.enter, .leave] && seen.map(\.state) == [1, 0])
        #expect(try await allActions.all().map(\.action) == [.guest(.enter), .close, .guest(.leave)])
    }

    @Test(
        "A function extracts the actions of an optional scope where reflection cannot find them"
    )
    func extractedActionsOfOptionalPart() async throws {
        let guest = hotel.scopeIfLet(
            state: \.guest,
            action: { $0 == .out ? .guest(.leave) : .guest(.enter) },
            extract: Door.init
        )
        let actions = try #require(guest.store).actions
        hotel.send(.guest(.enter))
        hotel.send(.close)
        try await guest.store?.dispatch(.out)
        await hotel.shutdown(drain: .finishEffects)
        let seen = try await actions.all()
        #expect(seen.map(\.action) == [.in, .out] && seen.map(\.state) == [1, 0])
    }

    /// An action that reflection does not find in those of the hotel.
    enum Door: Sendable, Equatable {
        case `in`, out

        init?(_ action: Action) {
            guard case .guest(let visit) = action else { return nil }
            self = visit == .enter ? .in : .out
        }
    }

    @Test("A function extracts the actions of a scope where reflection cannot find them")
    func extractedActions() async throws {
        let embed: @Sendable (Door) -> Action = { .guest($0 == .in ? .enter : .leave) }
        let found = hotel.scope(state: \.guest, action: embed, extract: Door.init).actions
        let reflected = hotel.scope(state: \.guest, action: embed).actions
        hotel.send(.guest(.leave))
        hotel.send(.close)
        await hotel.shutdown(drain: .finishEffects)
        #expect(try await found.all().map(\.action) == [.out])
        #expect(try await reflected.all().isEmpty)
    }

    @Test("The actions of a scope with an identity mapping are those of the store")
    func unchangedActions() async throws {
        let actions = hotel.scope(state: \.guest, action: { $0 }).actions
        hotel.send(.guest(.leave))
        hotel.send(.close)
        await hotel.shutdown(drain: .finishEffects)
        #expect(try await actions.all().map(\.action) == [.guest(.leave), .close])
        let counter = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let (same, others) = (
            counter.scope(state: \.self, action: { $0 }).actions,
            counter.scope(state: \.self, action: { max($0, 2) }).actions
        )
        counter.send(contentsOf: [1, 2, 3])
        await counter.shutdown(drain: .finishEffects)
        #expect(try await same.all().map(\.action) == [1, 2, 3])
        #expect(try await others.all().map(\.action) == [2, 3])
    }

    @Test(
        "The actions of an identity scope include actions unequal to themselves, and none that only describe themselves"
    )
    func incomparableActions() async throws {
        let gauge = Store(initialState: 0.0) { (value: inout Double, reading: Double) in value = reading }
        let readings = gauge.scope(state: \.self, action: { $0 }).actions
        gauge.send(contentsOf: [.nan, 1])
        await gauge.shutdown(drain: .finishEffects)
        #expect(try await readings.all().map(\.action.isNaN) == [true, false])
        struct Opaque: Sendable, CustomReflectable {
            var number: Int
            var customMirror: Mirror { Mirror(self, children: []) }
        }
        let store = Store(initialState: 0) { (sum: inout Int, action: Opaque) in sum += action.number }
        let others = store.scope(state: \.self, action: { (action: Opaque) in Opaque(number: action.number + 1) })
            .actions
        store.send(Opaque(number: 1))
        await store.shutdown(drain: .finishEffects)
        #expect(try await others.all().isEmpty)
    }

    @Test("The actions of an entry's scope are those of the entry, whatever their sender")
    func entries() async throws {
        let rooms = hotel.scopes(forEach: \.rooms) { key, visit in Action.room(key, visit) }
        let actions = try #require(rooms["blue"]).actions
        hotel.send(.room("blue", .enter))
        hotel.send(.room("red", .enter))
        hotel.send(.close)
        try await rooms["blue"]?.dispatch(.leave)
        await hotel.shutdown(drain: .finishEffects)
        let seen = try await actions.all()
        #expect(seen.map(\.action) == [.enter, .leave] && seen.map(\.state) == [1, 0])
    }

    @Test("The actions of an entry's scope are found wherever its function puts the key and the action")
    func entriesWithinCases() async throws {
        enum House: Sendable {
            case visit(hotel: Int, Visit, room: String)
            case nested(id: String, Wrapped)
            enum Wrapped: Sendable { case visit(Visit) }
        }
        let store = Store(initialState: Hotel()) { (_: inout Hotel, _: House) in }
        let first = store.scopes(forEach: \.rooms) { key, visit in House.visit(hotel: 1, visit, room: key) }
        let second = store.scopes(forEach: \.rooms) { key, visit in House.nested(id: key, .visit(visit)) }
        let actions = try [#require(first["blue"]).actions, #require(second["blue"]).actions]
        store.send(.visit(hotel: 1, .enter, room: "blue"))
        store.send(.visit(hotel: 2, .enter, room: "blue"))
        store.send(.visit(hotel: 1, .leave, room: "red"))
        store.send(.nested(id: "blue", .visit(.leave)))
        store.send(.nested(id: "red", .visit(.enter)))
        await store.shutdown(drain: .finishEffects)
        #expect(try await actions[0].all().map(\.action) == [.enter])
        #expect(try await actions[1].all().map(\.action) == [.leave])
    }

    @Test("A function extracts the actions of an entry's scope and their key")
    func extractedActionsOfEntries() async throws {
        let rooms = hotel.scopes(forEach: \.rooms) { key, isIn in
            Action.room(key, isIn ? .enter : .leave)
        } extract: { action in
            if case .room(let key, let visit) = action { (key, visit == .enter) } else { nil }
        }
        let actions = try #require(rooms["blue"]).actions
        hotel.send(.room("blue", .enter))
        hotel.send(.room("red", .enter))
        hotel.send(.close)
        try await rooms["blue"]?.dispatch(false)
        await hotel.shutdown(drain: .finishEffects)
        let seen = try await actions.all()
        #expect(seen.map(\.action) == [true, false] && seen.map(\.state) == [1, 0])
    }

    @Test("A case maps the actions of children of entries")
    func childrenByCase() async throws {
        let reducer = Reduce<Int, Visit> { visits, _ in visits += 1 }
        let rooms = hotel.children(
            forEach: \.rooms,
            initialState: { _, _ in 0 },
            reducer: reducer,
            action: Action.room
        )
        try await rooms["blue"]?.dispatch(.enter)
        #expect(hotel.snapshot.rooms == ["blue": 1, "red": 0])
        #expect(rooms["blue"]?.snapshot == ParentAndChild(parent: 1, local: 1))
    }

    @Test("A case maps the actions of a child")
    func childByCase() async throws {
        let reducer = Reduce<Int, Visit> { visits, _ in visits += 1 }
        let guest = hotel.child(initialState: 0, reducer: reducer, action: Action.guest)
        try await guest.dispatch(.enter)
        #expect(guest.snapshot.parent.guest == 1 && guest.snapshot.local == 1)
    }

    @Test("A case maps the actions of a computed scope, of the whole state, and of a window")
    func scopesAndViewsByCase() async throws {
        let computed = hotel.scope { ($0.guest ?? 0) * 10 }.scope(state: \.self, action: Action.guest)
        try await computed.dispatch(.enter)
        #expect(computed.snapshot == 10)
        try await hotel.scope(state: \.self, action: Action.guest).dispatch(.enter)
        hotel.view(state: \.guest, action: Action.guest).send(.enter)
        hotel.view(action: Action.guest).send(.enter)
        hotel.view.view(state: \.guest, action: Action.guest).send(.enter)
        hotel.view.view(action: Action.guest).send(.enter)
        #expect(hotel.snapshot.guest == 6)
    }
}
