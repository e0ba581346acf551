import ActorStore
import ActorStoreGroups
import ActorStoreTesting
import Testing
import TreeCollections

@testable import TestFixtures

/// The listings of the article "Many stores".
@Suite("The article about many stores", .timeLimit(.minutes(10)))
struct ManyStoresTests {
    struct Room: Reducer {
        struct State: Equatable, Sendable {
            var name: String
            var guests: Set<String> = []
            var lines: [String] = []
        }

        enum Action: Sendable, Equatable {
            case enter(String)
            case say(String)
        }

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .enter(let guest): state.guests.insert(guest)
            case .say(let line): state.lines.append(line)
            }
            return .none
        }
    }

    struct Hotel: Sendable, Equatable {
        var rooms: TreeDictionary<String, Room.State> = [:]
        var actions = 0
    }

    enum HotelAction: Sendable {
        case open(String)
        case close(String)
        case room(id: String, action: Room.Action)
    }

    /// Where rooms are that have no store at the moment.
    actor Archive {
        private var rooms: [String: Room.State] = [:]

        func save(_ state: Room.State, for id: String) { rooms[id] = state }
        func load(_ id: String) -> Room.State { rooms[id] ?? Room.State(name: id) }
    }

    @Test("A group creates a store for each key, saves its state at eviction, and loads it again")
    func group() async throws {
        let archive = Archive()
        let clock = ManualClock()
        let rooms = StoreGroup(
            eviction: .afterIdle(.seconds(300), clock: clock) { id, state in await archive.save(state, for: id) }
        ) { (id: String) in
            Store(initialState: Room.State(name: id), loading: { await archive.load(id) }, reducer: Room())
        }
        try await rooms.dispatch(.enter("ada"), to: "lobby")
        rooms.send(.say("hello"), to: "lobby")
        #expect(await rooms["lobby"].read(\.lines) == ["hello"])
        await clock.waitForSleepers()
        for _ in 0..<3 {
            clock.advance(by: .seconds(300))
            await clock.waitForSleepers()
        }
        #expect(rooms.existing("lobby") == nil)
        #expect(await rooms["lobby"].read(\.guests) == ["ada"])
    }

    @Test("A test with a manual executor evicts stores by advancing its clock")
    func testedEviction() async throws {
        let clock = TestClock()
        let executor = ManualExecutor()
        let rooms = StoreGroup(
            reducer: Room(),
            configuration: StoreConfiguration(executor: executor),
            eviction: .afterIdle(.seconds(300), clock: clock)
        ) { (id: String) in
            Room.State(name: id)
        }
        try await rooms.dispatch(.enter("ada"), to: "lobby")
        executor.runUntilIdle()  // From here on the group waits on the clock.
        await clock.advance(by: .seconds(600))
        #expect(rooms.existing("lobby") == nil)
    }

    @Test("A shutdown of a group keeps the last states, which the program saves")
    func shutdownOfGroup() async throws {
        let archive = Archive()
        let rooms = StoreGroup(
            eviction: .afterIdle(.seconds(300)) { id, state in await archive.save(state, for: id) }
        ) { (id: String) in
            Store(initialState: Room.State(name: id), loading: { await archive.load(id) }, reducer: Room())
        }
        try await rooms.dispatch(.enter("ada"), to: "lobby")
        await rooms.shutdown(drain: .finishEffects, within: .seconds(25))
        for id in rooms.ids {
            if let room = rooms.existing(id) { await archive.save(room.snapshot, for: id) }
        }
        #expect(await archive.load("lobby").guests == ["ada"])
    }

    @Test("All rooms of a group are observed together")
    func observation() async throws {
        let rooms = StoreGroup(reducer: Room()) { (id: String) in Room.State(name: id) }
        try await rooms.dispatch(.enter("ada"), to: "lobby")
        try await rooms.dispatch(.enter("emmy"), to: "bar")
        for await sizes in rooms.values(of: \.guests.count) {
            #expect(sizes == ["lobby": 1, "bar": 1])
            break
        }
        let lobby = rooms["lobby"]
        let guests = lobby.values(of: \.guests)
        #expect(try await guests.first(1) == [["ada"]])
    }

    @Test("Rooms in one state have children, which come and go with them")
    func children() async throws {
        let hotel = Store(
            initialState: Hotel(),
            reducer: Reduce<Hotel, HotelAction> { state, action in
                switch action {
                case .open(let id): state.rooms[id] = Room.State(name: id)
                case .close(let id): state.rooms[id] = nil
                case .room: state.actions += 1
                }
                return .none
            }
            .forEach(\.rooms, action: CasePath(HotelAction.room)) { Room() }
        )
        let rooms = hotel.scopes(forEach: \.rooms) { id, action in HotelAction.room(id: id, action: action) }
        try await hotel.dispatch(.open("lobby"))
        try await rooms["lobby"]?.dispatch(.enter("ada"))
        #expect(hotel.snapshot.rooms["lobby"]?.guests == ["ada"] && hotel.snapshot.actions == 1)
        try await hotel.dispatch(.close("lobby"))
        #expect(rooms["lobby"] == nil)
    }
}
