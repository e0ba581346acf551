import ActorStore
import ActorStoreCommands
import ActorStoreViews
import Testing

@testable import TestFixtures

@Suite("Scopes of removed parts", .timeLimit(.minutes(10)))
struct GoneScopeTests {
    typealias Action = GuestHouse.Action
    typealias Room = GuestHouse.Room

    private let house = GuestHouse.store()

    private func expectRefusals(of scope: Store<Room, Int>) async {
        #expect(scope.send(1) == .refused(.shutDown))
        #expect(scope.send(contentsOf: [1, 2]) == .refused(.shutDown))
        #expect(scope.weak.send(1) == .refused(.shutDown))
        #expect(scope.binding(\.guests, send: { $0 }).send(1) == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await scope.dispatch(1) }
        await #expect(throws: StoreError.shutDown) { try await scope.perform(1) }
        await #expect(throws: StoreError.shutDown) { try await scope.dispatch(1, acceptanceTimeout: .seconds(60)) }
        #expect("\(scope.phase)" == "ended" && !scope.weak.isAlive)
    }

    @Test("A scope of a removed entry refuses actions instead of passing them to a successor, and so do scopes of it")
    func entry() async throws {
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let room = try #require(rooms[7])
        let inner = room.scope({ $0 })
        try await inner.dispatch(3)
        house.send(.close(7))
        house.send(.open(7))
        await expectRefusals(of: room)
        await expectRefusals(of: inner)
        #expect(room.snapshot.guests == 3 && house.snapshot.rooms[7] == Room())
        try await #require(rooms[7]).dispatch(5)
        #expect(house.snapshot.rooms[7]?.guests == 5)
    }

    @Test("A scope of an entry replaced by a batch refuses actions")
    func batch() async throws {
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let room = try #require(rooms[7])
        house.send(contentsOf: [.close(7), .open(7)])
        await expectRefusals(of: room)
    }

    @Test("A scope of a removed optional part refuses actions instead of passing them to a successor")
    func optional() async throws {
        let hall = house.scopeIfLet(state: \.hall) { Action.hall($0) }
        house.send(.openHall)
        let scope = try #require(hall.store)
        house.send(.closeHall)
        await expectRefusals(of: scope)
        house.send(.openHall)
        await expectRefusals(of: scope)
        #expect(house.snapshot.hall == Room())
    }

    @Test("A scope whose table or optional scope was released refuses actions, although its part exists")
    func released() async throws {
        house.send(contentsOf: [.open(7), .openHall])
        let room = try #require(house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }[7])
        let hall = try #require(house.scopeIfLet(state: \.hall) { Action.hall($0) }.store)
        await expectRefusals(of: room)
        await expectRefusals(of: hall)
        #expect(house.snapshot.rooms[7] == Room() && house.snapshot.hall == Room())
    }

    @Test("A scope of a removed part passes no actions of its running side effects to the successor")
    func sideEffects() async throws {
        struct Visit: SideEffect {
            let begun: Signal, goOn: Latch
            func run(_ context: SideEffectContext<Room, Int>) async throws {
                begun.fire()
                await goOn.wait()
                try await context.dispatch(1)
            }
        }
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let room = try #require(rooms[7])
        let visit = Visit(begun: Signal(), goOn: Latch())
        let running = Task { try await room.dispatch(visit) }
        await visit.begun.wait()
        house.send(contentsOf: [.close(7), .open(7)])
        visit.goOn.open()
        await #expect(throws: StoreError.shutDown) { try await running.value }
        #expect(house.snapshot.rooms[7] == Room())
    }

    @Test("A scope of a removed part begins no side effects")
    func newSideEffects() async throws {
        struct Visit: SideEffect {
            let begun = Collector<Int>()
            func run(_ context: SideEffectContext<Room, Int>) async throws { begun.append(1) }
        }
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let (room, visit) = (try #require(rooms[7]), Visit())
        house.send(.close(7))
        await #expect(throws: StoreError.shutDown) { try await room.dispatch(visit) }
        #expect(visit.begun.elements.isEmpty)
    }

    @Test("A scope of a removed part refuses a dispatch that is still in asynchronous interceptors")
    func asyncInterceptor() async throws {
        let (asked, answer) = (Signal(), Latch())
        let interception = house.use(
            AsyncInterceptor("asking") { action, _ in
                asked.fire()
                await answer.wait()
                return action
            }
        )
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let room = try #require(rooms[7])
        let dispatching = Task { try await room.dispatch(3) }
        await asked.wait()
        house.send(.close(7))
        house.send(.open(7))
        answer.open()
        await #expect(throws: StoreError.shutDown) { try await dispatching.value }
        await #expect(throws: StoreError.shutDown) { try await room.dispatch(3) }
        #expect(house.snapshot.rooms[7] == Room())
        withExtendedLifetime(interception) {}
    }

    @Test("A scope of a removed part refuses a dispatch that waits for room in the mailbox")
    func noRoom() async throws {
        let hold = Hold()
        let house = GuestHouse.store(StoreConfiguration(mailbox: .bounded(2, whenFull: .suspend)))
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let room = try #require(rooms[7])
        let token = house.observe(\.hall) { if $0 != nil { hold.enter() } }
        onThread { house.send(.openHall) }
        await hold.waitUntilEntered()
        #expect(house.send(.close(7)) == .accepted && house.send(.open(7)) == .accepted)
        let dispatching = Task { try await room.dispatch(3) }
        await until { house.statistics.suspendedDispatches == 1 }
        hold.release()
        await #expect(throws: StoreError.shutDown) { try await dispatching.value }
        #expect(house.snapshot.rooms[7] == Room())
        token.cancel()
    }

    @Test("A scope refuses actions of observers in the removing turn, and reports that it shuts down")
    func observersOfTheTurn() async throws {
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let room = try #require(rooms[7])
        let seen = Collector<String>()
        let token = house.observe(\.rooms) { [weak house] open in
            guard open.isEmpty else { return }
            house?.send(.open(7))
            seen.append("\(room.send(1)) \(room.phase) \(room.weak.isAlive)")
        }
        house.send(.close(7))
        #expect(seen.elements == ["refused(\(StoreError.shutDown)) shutting down false"])
        #expect(house.snapshot.rooms[7] == Room())
        token.cancel()
    }

    @Test("A replaced scope drops and counts accepted actions whose turn comes later, and awaiting callers get errors")
    func acceptedForAnother() async throws {
        let hold = Hold()
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let room = try #require(rooms[7])
        let token = house.observe(\.hall) { if $0 != nil { hold.enter() } }
        let house = house
        onThread { house.send(.openHall) }
        await hold.waitUntilEntered()
        house.send(.close(7))
        house.send(.open(7))
        #expect(room.send(1) == .accepted && room.send(contentsOf: [2, 3]) == .accepted)
        let dispatching = Task { try await room.dispatch(4) }
        await until { house.statistics.waitingActions == 6 }
        hold.release()
        await #expect(throws: StoreError.shutDown) { try await dispatching.value }
        #expect(await house.state.rooms[7] == Room())
        #expect(house.statistics.lateActions == 3)
        token.cancel()
    }

    @Test("A removed scope counts a waiting action of its driven effect once")
    func waitingFeedback() async throws {
        let (context, begun) = (LockedValue<SideEffectContext<Room, Int>?>(nil), Signal())
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let room = try #require(rooms[7])
        room.effect(onChange: \.guests) { _, _ in
            .run { own in
                context.withLock { $0 = own }
                begun.fire()
                await withTaskCancellationHandler {
                    try? await Task.sleep(for: .seconds(3_600))
                } onCancel: {
                }
            }
        }
        room.send(1)
        await begun.wait()
        let sent = Collector<Bool>()
        let token = house.observe(\.hall) { [weak house] hall in
            guard hall != nil else { return }
            house?.send(.close(7))
            sent.append(context.withLock { $0 }?.send(2).isAccepted == true)
        }
        house.send(.openHall)
        #expect(sent.elements == [true] && house.snapshot.rooms[7] == nil)
        #expect(house.statistics.lateActions == 1)
        token.cancel()
    }

    @Test("A scope gets no further actions of its own batch after the removal of its entry")
    func ownBatch() async throws {
        enum Step: Equatable, Sendable { case add, leave, enter }
        let store = Store(initialState: [7: 0]) { (rooms: inout [Int: Int], action: (id: Int, step: Step)) in
            switch action.step {
            case .add: rooms[action.id]? += 1
            case .leave: rooms[action.id] = nil
            case .enter: rooms[action.id] = 0
            }
        }
        let rooms = store.scopes(forEach: \.self) { (id: $0, step: $1) as (id: Int, step: Step) }
        let room = try #require(rooms[7])
        #expect(room.send(contentsOf: [.add, .leave, .enter, .add]) == .accepted)
        #expect(store.snapshot.isEmpty && room.snapshot == 1 && store.statistics.lateActions == 2)
    }

    @Test("A scope reduces the actions accepted before its removal")
    func accepted() async throws {
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let room = try #require(rooms[7])
        let token = house.observe(\.hall) { [weak house] hall in
            guard hall != nil else { return }
            // Both wait in the mailbox, in this order.
            #expect(room.send(4) == .accepted)
            house?.send(.close(7))
        }
        let actions = house.actions
        house.send(.openHall)
        var seen: [Action] = []
        for await (action, _) in actions {
            seen.append(action)
            if action == .close(7) { break }
        }
        #expect(seen == [.openHall, .room(id: 7, action: 4), .close(7)])
        token.cancel()
    }
}
