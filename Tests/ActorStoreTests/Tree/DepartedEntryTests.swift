import ActorStore
import Testing

@Suite("An entry that changes and goes among several actions of a turn", .timeLimit(.minutes(10)))
struct DepartedEntryTests {
    struct Hotel: Equatable, Sendable {
        var rooms = [7: 0]
        var suite: Int? = 0
    }

    struct State: Equatable, Sendable {
        var hotel = Hotel()
    }

    indirect enum Action: Sendable {
        case hotel(HotelAction)
        case setRoom(Int?)
        case setSuite(Int?)
        case split([Action])

        static func look(_ number: Int) -> Action { .hotel(.room(id: 7, number)) }
    }

    enum HotelAction: Sendable {
        case room(id: Int, Int)
        case suite(Int)
    }

    private let snapshots = Collector<Int>()
    private let reader = LockedClosure()
    private let store: Store<State, Action>
    private let hotel: Store<Hotel, HotelAction>

    init() {
        let reader = reader
        store = Store(
            initialState: State(),
            reducer: Reduce { state, action in
                switch action {
                case .setRoom(let guests): state.hotel.rooms[7] = guests
                case .setSuite(let guests): state.hotel.suite = guests
                case .hotel, .split: break
                }
                return .none
            },
            interceptors: [
                Interceptor("split") { action, _, next in
                    guard case .split(let actions) = action else {
                        try next(action)
                        return reader.call()
                    }
                    for action in actions {
                        try next(action)
                        reader.call()
                    }
                }
            ]
        )
        hotel = store.scope(
            state: \.hotel,
            action: CasePath(embed: Action.hotel) { if case .hotel(let action) = $0 { action } else { nil } }
        )
    }

    /// The stores of the rooms, below a scope that makes other actions of those of the store.
    private func makeRooms() -> StoreChildren<Int, Int, Int> {
        hotel.scopes(
            forEach: \.rooms,
            action: CasePath(embed: { (id: Int, number: Int) in .room(id: id, number) }) {
                if case .room(let id, let number) = $0 { (id, number) } else { nil }
            }
        )
    }

    private func makeSuite() -> OptionalScope<Int, Int> {
        hotel.scopeIfLet(
            state: \.suite,
            action: CasePath(embed: HotelAction.suite) { if case .suite(let number) = $0 { number } else { nil } }
        )
    }

    /// Sends several actions as one turn, in one of two ways.
    private func send(_ actions: [Action], asBatch: Bool) {
        if asBatch { store.send(contentsOf: actions) } else { store.send(.split(actions)) }
    }

    @Test(
        "Its observers are told no older value when it goes, although its actions are observed",
        arguments: [true, false]
    )
    func lastOfEntry(asBatch: Bool) async throws {
        let rooms = makeRooms()
        let room = try #require(rooms[7])
        let (values, actions) = (room.values(of: \.self, buffering: .unbounded), room.actions(buffering: .unbounded))
        send([.look(1), .setRoom(5)], asBatch: asBatch)
        store.send(.setRoom(nil))
        #expect(try await values.all() == [0, 5])
        #expect(try await actions.all().map(\.state) == [0])
        #expect(room.snapshot == 5)
    }

    @Test(
        "Observers of an optional part are told no older value when it goes, although its actions are observed",
        arguments: [true, false]
    )
    func lastOfOptional(asBatch: Bool) async throws {
        let part = makeSuite()
        let suite = try #require(part.store)
        let (values, actions) = (suite.values(of: \.self, buffering: .unbounded), suite.actions(buffering: .unbounded))
        send([.hotel(.suite(1)), .setSuite(5)], asBatch: asBatch)
        store.send(.setSuite(nil))
        #expect(try await values.all() == [0, 5])
        #expect(try await actions.all().map(\.state) == [0])
        #expect(suite.snapshot == 5)
    }

    @Test(
        "Observers of its actions are told none that come after it, to nobody or to its successor",
        arguments: [true, false]
    )
    func actionsOfSuccessor(asBatch: Bool) async throws {
        let rooms = makeRooms()
        let room = try #require(rooms[7])
        let (actions, transitions) = (
            room.actions(buffering: .unbounded), room.transitions(buffering: .unbounded)
        )
        send([.look(1), .setRoom(5), .look(2), .setRoom(nil), .look(3), .setRoom(100), .look(4)], asBatch: asBatch)
        let told = try await actions.all()
        #expect(told.map(\.action) == [1, 2] && told.map(\.state) == [0, 5])
        #expect(try await transitions.all().map(\.action) == [1, 2])
        #expect(room.snapshot == 5 && store.snapshot.hotel.rooms == [7: 100])
    }

    @Test(
        "Its snapshot shows no older value between the actions, observed or not",
        arguments: [true, false],
        [true, false]
    )
    func snapshots(isObserved: Bool, asBatch: Bool) async throws {
        let rooms = makeRooms()
        let room = try #require(rooms[7])
        let child = room.child(initialState: 0) { (_: inout Int, _: Int) in }
        let observation = isObserved ? room.observe(\.self) { _ in } : nil
        let snapshots = snapshots
        reader.set {
            snapshots.append(room.snapshot)
            snapshots.append(child.snapshot.parent)
        }
        send([.setRoom(1), .setRoom(nil), .setRoom(100)], asBatch: asBatch)
        reader.set {}
        #expect(snapshots.elements == [1, 1, 1, 1, 1, 1])
        #expect(room.snapshot == 1 && child.snapshot.parent == 1)
        withExtendedLifetime(observation) {}
    }
}

/// A closure that another one takes the place of.
private final class LockedClosure: Sendable {
    private let closure = Guarded<@Sendable () -> Void>({})

    func set(_ new: @escaping @Sendable () -> Void) { closure.withLock { $0 = new } }

    func call() { closure.withLock { $0 }() }
}
