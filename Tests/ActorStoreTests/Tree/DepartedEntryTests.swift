import ActorStore
import Testing

@testable import TestFixtures

@Suite("Entries that change and go in one turn", .timeLimit(.minutes(10)))
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
        static let leave = look(0)
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
                case .hotel(.room(let id, 0)): state.hotel.rooms[id] = nil
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
            action: Action.hotel,
            extract: { if case .hotel(let action) = $0 { action } else { nil } }
        )
    }

    /// The stores of the rooms, below a scope that maps the actions of the store.
    private func makeRooms() -> StoreChildren<Int, Int, Int> {
        hotel.scopes(
            forEach: \.rooms,
            action: HotelAction.room,
            extract: { if case .room(let id, let number) = $0 { (id, number) } else { nil } }
        )
    }

    private func makeSuite() -> OptionalScope<Int, Int> {
        hotel.scopeIfLet(
            state: \.suite,
            action: HotelAction.suite,
            extract: { if case .suite(let number) = $0 { number } else { nil } }
        )
    }

    /// Sends several actions as one turn, in one of two ways.
    private func send(_ actions: [Action], asBatch: Bool) {
        if asBatch { store.send(contentsOf: actions) } else { store.send(.split(actions)) }
    }

    @Test(
        "Observers of a removed entry get no older value, although its actions are observed",
        arguments: [true, false]
    )
    func lastOfEntry(asBatch: Bool) async throws {
        let rooms = makeRooms()
        let room = try #require(rooms[7])
        let (values, actions) = (room.values(of: \.self, buffering: .unbounded), room.actions)
        send([.look(1), .setRoom(5)], asBatch: asBatch)
        store.send(.setRoom(nil))
        #expect(try await values.all() == [0, 5])
        #expect(try await actions.all().map(\.state) == [0])
        #expect(room.snapshot == 5)
    }

    @Test(
        "Observers of a removed optional part get no older value, although its actions are observed",
        arguments: [true, false]
    )
    func lastOfOptional(asBatch: Bool) async throws {
        let part = makeSuite()
        let suite = try #require(part.store)
        let (values, actions) = (suite.values(of: \.self, buffering: .unbounded), suite.actions)
        send([.hotel(.suite(1)), .setSuite(5)], asBatch: asBatch)
        store.send(.setSuite(nil))
        #expect(try await values.all() == [0, 5])
        #expect(try await actions.all().map(\.state) == [0])
        #expect(suite.snapshot == 5)
    }

    @Test(
        "Observers of a removed entry's actions get none sent later, to no entry or to its successor",
        arguments: [true, false]
    )
    func actionsOfSuccessor(asBatch: Bool) async throws {
        let rooms = makeRooms()
        let room = try #require(rooms[7])
        let (actions, transitions) = (
            room.actions, room.transitions(buffering: .unbounded)
        )
        send([.look(1), .setRoom(5), .look(2), .setRoom(nil), .look(3), .setRoom(100), .look(4)], asBatch: asBatch)
        let told = try await actions.all()
        #expect(told.map(\.action) == [1, 2] && told.map(\.state) == [0, 5])
        #expect(try await transitions.all().map(\.action) == [1, 2])
        #expect(room.snapshot == 5 && store.snapshot.hotel.rooms == [7: 100])
    }

    @Test(
        "The removing action of a deduplicated entry carries its actual last state, delivered or not",
        arguments: [true, false]
    )
    func lastOfDeduplicated(isBatch: Bool) async throws {
        let rooms = store.scope(\.hotel, removeDuplicates: { $0.rooms.count == $1.rooms.count }).scopes(
            forEach: \.rooms
        ) { id, number in
            Action.hotel(.room(id: id, number))
        }
        let room = try #require(rooms[7])
        let actions = room.actions
        let turn = [Action.setRoom(1), .look(1), .setRoom(2), .look(2), .leave]
        if isBatch { store.send(contentsOf: turn) } else { for action in turn { store.send(action) } }
        let told = try await actions.all()
        #expect(told.map(\.action) == [1, 2, 0] && told.map(\.state) == [1, 2, 2])
    }

    @Test("The removing action of an entry carries its last state, including what its `==` ignores")
    func lastOfCoarse() async throws {
        struct Note: Equatable, Sendable {
            var text = ""
            static func == (left: Note, right: Note) -> Bool { true }
        }
        let store = Store(initialState: [7: Note()]) { (notes: inout [Int: Note], action: (id: Int, text: String?)) in
            if let text = action.text { notes[action.id]?.text = text } else { notes[action.id] = nil }
        }
        let notes = store.scopes(forEach: \.self) { id, text in
            (id: id, text: text)
        } extract: {
            ($0.id, $0.text)
        }
        let note = try #require(notes[7])
        let actions = note.actions
        note.send("x")
        note.send(nil)
        #expect(try await actions.all().map(\.state.text) == ["x", "x"])
        #expect(note.snapshot.text == "x")
    }

    @Test("An optional part that changes and changes back in a turn has its actual state at its removal")
    func changedBack() async throws {
        let part = makeSuite()
        let suite = try #require(part.store)
        let actions = suite.actions
        store.send(contentsOf: [.setSuite(5), .hotel(.suite(1)), .setSuite(0)])
        store.send(.setSuite(nil))
        #expect(suite.snapshot == 0)
        #expect(try await actions.all().map(\.state) == [5])
    }

    @Test("A child's action that an interceptor multiplies is observed without the successor of an entry")
    func splitOfChild() async throws {
        let child = store.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in .none },
            action: { number in Action.split([.look(number), .setRoom(nil), .setRoom(100)]) }
        )
        let rooms = child.scopes(
            forEach: \.parent.hotel.rooms,
            action: { _, number in number },
            extract: { (7, $0) }
        )
        let room = try #require(rooms[7])
        let actions = room.actions
        child.send(1)
        #expect(try await actions.all().map(\.state) == [0])
        #expect(room.snapshot == 0 && store.snapshot.hotel.rooms == [7: 100])
    }

    @Test(
        "The snapshot of an entry shows no older value between the actions, observed or not",
        arguments: [true, false],
        [true, false]
    )
    func snapshots(isObserved: Bool, asBatch: Bool) async throws {
        let rooms = makeRooms()
        let room = try #require(rooms[7])
        let child = room.child(initialState: 0, reducer: EmptyReducer())
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

/// A closure that is replaced by another one.
private final class LockedClosure: Sendable {
    private let closure = LockedValue<@Sendable () -> Void>({})

    func set(_ new: @escaping @Sendable () -> Void) { closure.withLock { $0 = new } }

    func call() { closure.withLock { $0 }() }
}
