import ActorStore
import Testing

@testable import TestFixtures

@Suite("Children of scopes", .timeLimit(.minutes(10)))
struct GoneScopeChildTests {
    typealias Action = GuestHouse.Action
    typealias Room = GuestHouse.Room
    typealias Child = Store<ParentAndChild<Room, Int>, Int>

    private let house = GuestHouse.store()

    /// A child that adds up its actions, with a waiting effect for 100, and a response to 200.
    private func child(of scope: Store<Room, Int>, _ work: HeldWork = HeldWork()) -> Child {
        let reducer = Reduce<Int, Int> { sum, action in
            sum += action
            return switch action {
            case 100:
                .run { send in
                    await work.run("child")
                    send(1)
                }
            case 200: .send(2)
            default: .none
            }
        }
        return scope.child(initialState: 0, reducer: reducer) { $0 }
    }

    private func expectEnd(of child: Child, _ sum: Int) async {
        #expect("\(child.phase)" == "ended" && !child.weak.isAlive)
        #expect(child.send(1) == .refused(.shutDown) && child.send(contentsOf: [1, 2]) == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await child.dispatch(1) }
        #expect(child.snapshot.local == sum)
    }

    @Test("A child of an entry's scope ends with the entry, and its effects with it", arguments: [false, true])
    func entry(isBatch: Bool) async throws {
        let work = HeldWork()
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let child = child(of: try #require(rooms[7]), work)
        let values = child.values(of: \.local, buffering: .unbounded)
        try await child.dispatch(100)
        await work.waitUntilBegun()
        if isBatch {
            house.send(contentsOf: [.close(7), .open(7)])
        } else {
            house.send(.close(7))
            house.send(.open(7))
        }
        await work.waitUntilCancelled()
        await expectEnd(of: child, 100)
        #expect(try await values.all() == [0, 100])
        await until { house.statistics.runningEffects == 0 }
        #expect(house.snapshot.rooms[7] == Room())
    }

    @Test("A child of an optional scope ends with the part")
    func part() async throws {
        let hall = house.scopeIfLet(state: \.hall) { Action.hall($0) }
        house.send(.openHall)
        let child = child(of: try #require(hall.store))
        try await child.dispatch(3)
        house.send(.closeHall)
        await expectEnd(of: child, 3)
        house.send(.openHall)
        await expectEnd(of: child, 3)
        #expect(child.snapshot.parent == Room(guests: 3) && house.snapshot.hall == Room())
    }

    @Test("A child of a removed or unretained scope ends at once")
    func tooLate() async throws {
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(contentsOf: [.open(7), .openHall])
        let room = try #require(rooms[7])
        house.send(.close(7))
        await expectEnd(of: child(of: room), 0)
        await expectEnd(of: child(of: try #require(house.scopeIfLet(state: \.hall) { Action.hall($0) }.store)), 0)
    }

    @Test("A child of a nested scope ends with the outer scope")
    func nested() async throws {
        struct Hall: Equatable, Sendable { var room: Room? = Room() }
        let store = Store(initialState: Hall?.some(Hall())) { (hall: inout Hall?, guests: Int) in
            if guests == 0 { hall = nil } else { hall?.room?.guests += guests }
        }
        let hall = store.scopeIfLet(state: \.self) { (guests: Int) in guests }
        let room = try #require(hall.store).scopeIfLet(state: \.room) { (guests: Int) in guests }
        let child = child(of: try #require(room.store))
        try await child.dispatch(3)
        store.send(0)
        await expectEnd(of: child, 3)
        withExtendedLifetime((hall, room)) {}
    }

    @Test("A child of a scope gets no further actions of its own batch after the removal of the entry")
    func batch() async throws {
        let store = Store(initialState: [7: Room()]) { (rooms: inout [Int: Room], guests: Int) in
            if guests == 0 { rooms[7] = nil } else { rooms[7, default: Room()].guests += guests }
        }
        let rooms = store.scopes(forEach: \.self) { _, guests in guests }
        let child = child(of: try #require(rooms[7]))
        #expect(child.send(contentsOf: [1, 0, 2, 3]) == .accepted)
        await expectEnd(of: child, 1)
        #expect(store.snapshot.isEmpty && store.statistics.lateActions == 2)
    }

    @Test("A child of a scope counts accepted actions that it could no longer reduce")
    func accepted() async throws {
        let hold = Hold()
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let child = child(of: try #require(rooms[7]))
        let token = house.observe(\.hall) { if $0 != nil { hold.enter() } }
        let house = house
        onThread { house.send(.openHall) }
        await hold.waitUntilEntered()
        #expect(child.send(1) == .accepted)
        house.send(.close(7))
        house.send(.open(7))
        #expect(child.send(1) == .accepted && child.send(contentsOf: [2, 3]) == .accepted)
        hold.release()
        #expect(await house.state.rooms[7] == Room())
        await expectEnd(of: child, 1)
        #expect(house.statistics.lateActions == 3)
        token.cancel()
    }

    @Test("A child released before its scope leaves nothing behind in the scope")
    func release() async throws {
        final class Witness: Sendable {}
        weak var witness: Witness?
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let room = try #require(rooms[7])
        do {
            let captured = Witness()
            witness = captured
            let reducer = Reduce<Int, Int> { _, _ in withExtendedLifetime(captured) { .none } }
            let child = room.child(initialState: 0, reducer: reducer) { $0 }
            try await child.dispatch(1)
        }
        await until { witness == nil }
        try await room.dispatch(1)
        #expect(house.snapshot.rooms[7] == Room(guests: 2))
    }
}
