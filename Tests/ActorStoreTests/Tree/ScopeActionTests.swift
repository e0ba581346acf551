import ActorStore
import Testing
import TreeCollections

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
}
