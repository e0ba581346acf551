import ActorStore
import ActorStoreViews
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("Actions of scopes that come and go", .timeLimit(.minutes(10)))
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

    @Test("The actions of a scope of an optional part are those of the part, whoever sent them, or all")
    func optionalPart() async throws {
        let own = hotel.scopeIfLet(state: \.guest, action: Action.guest)
        let any = hotel.scopeIfLet(\.guest)
        let (ownActions, allActions) = (try #require(own.store).actions, try #require(any.store).actions)
        hotel.send(.guest(.enter))
        hotel.send(.close)
        try await own.store?.dispatch(.leave)
        await hotel.shutdown(drain: .finishEffects)
        let seen = try await ownActions.all()
        #expect(seen.map(\.action) == [.enter, .leave] && seen.map(\.state) == [1, 0])
        #expect(try await allActions.all().map(\.action) == [.guest(.enter), .close, .guest(.leave)])
    }

    @Test("A case names the actions of a scope of an optional part")
    func optionalPartByCase() async throws {
        let guest = hotel.scopeIfLet(state: \.guest, action: .guest)
        let actions = try #require(guest.store).actions
        hotel.send(.guest(.enter))
        hotel.send(.close)
        try await guest.store?.dispatch(.leave)
        await hotel.shutdown(drain: .finishEffects)
        let seen = try await actions.all()
        #expect(seen.map(\.action) == [.enter, .leave] && seen.map(\.state) == [1, 0])
    }

    @Test("The actions of a scope of an entry are those of that entry, whoever sent them")
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
    @Test("A case with the entry's key names the actions of a scope of an entry")
    func entriesByCase() async throws {
        let rooms = hotel.scopes(forEach: \.rooms, action: .room)
        let actions = try #require(rooms["blue"]).actions
        hotel.send(.room("blue", .enter))
        hotel.send(.room("red", .enter))
        hotel.send(.close)
        try await rooms["blue"]?.dispatch(.leave)
        await hotel.shutdown(drain: .finishEffects)
        let seen = try await actions.all()
        #expect(seen.map(\.action) == [.enter, .leave] && seen.map(\.state) == [1, 0])
    }

    @Test("A case with the entry's key names the actions that children of entries hand on")
    func childrenByCase() async throws {
        let reducer = Reduce<Int, Visit> { visits, _ in visits += 1 }
        let rooms = hotel.children(forEach: \.rooms, initialState: { _, _ in 0 }, reducer: reducer, action: .room)
        try await rooms["blue"]?.dispatch(.enter)
        #expect(hotel.snapshot.rooms == ["blue": 1, "red": 0])
        #expect(rooms["blue"]?.snapshot == Joined(parent: 1, local: 1))
    }

    @Test("A case names the actions that a child hands on")
    func childByCase() async throws {
        let reducer = Reduce<Int, Visit> { visits, _ in visits += 1 }
        let guest = hotel.child(initialState: 0, reducer: reducer, action: .guest)
        let visits = hotel.child(initialState: 0, reducer: reducer, action: .guest) { hotel, visits in
            (hotel.guest ?? 0) + visits
        }
        try await guest.dispatch(.enter)
        #expect(guest.snapshot.parent.guest == 1 && guest.snapshot.local == 1)
        try await visits.dispatch(.enter)
        #expect(visits.snapshot == 3)
    }

    @Test("A case names the actions of a scope of what a closure makes, of the whole state, and of a window")
    func scopesAndViewsByCase() async throws {
        let computed = hotel.scope(state: { ($0.guest ?? 0) * 10 }, action: .guest)
        try await computed.dispatch(.enter)
        #expect(computed.snapshot == 10)
        try await hotel.scope(action: .guest).dispatch(.enter)
        hotel.view(state: \.guest, action: .guest).send(.enter)
        hotel.view(state: { $0.guest == nil }, action: .guest).send(.enter)
        hotel.view(action: .guest).send(.enter)
        hotel.view.view(state: \.guest, action: .guest).send(.enter)
        hotel.view.view(action: .guest).send(.enter)
        #expect(hotel.snapshot.guest == 7)
    }
}

extension CasePath where Root == ScopeActionTests.Action, Value == ScopeActionTests.Visit {
    fileprivate static var guest: Self {
        Self(embed: { .guest($0) }, extract: { if case .guest(let visit) = $0 { visit } else { nil } })
    }
}

extension CasePath where Root == ScopeActionTests.Action, Value == (id: String, action: ScopeActionTests.Visit) {
    fileprivate static var room: Self {
        Self(
            embed: { .room($0.id, $0.action) },
            extract: { if case .room(let id, let visit) = $0 { (id, visit) } else { nil } }
        )
    }
}
