import ActorStore
import Testing

@Suite("A scope of what has gone", .timeLimit(.minutes(10)))
struct GoneScopeTests {
    typealias Action = GuestHouse.Action
    typealias Room = GuestHouse.Room

    private let house = GuestHouse.store()

    private func expectRefusals(of scope: Store<Room, Int>) async {
        #expect(scope.send(1) == .refused(.shutDown))
        #expect(scope.send(contentsOf: [1, 2]) == .refused(.shutDown))
        #expect(scope.weak.send(1) == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await scope.dispatch(1) }
        await #expect(throws: StoreError.shutDown) { try await scope.perform(1) }
        await #expect(throws: StoreError.shutDown) { try await scope.dispatch(1, patience: .seconds(60)) }
        #expect("\(scope.phase)" == "ended" && !scope.weak.isAlive)
    }

    @Test("of an entry refuses what its successor would get, and so does a scope of the scope")
    func entry() async throws {
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let room = try #require(rooms[7])
        let inner = room.scope {
            $0
        } action: { (action: Int) in
            action
        }
        try await inner.dispatch(3)
        house.send(.close(7))
        house.send(.open(7))
        await expectRefusals(of: room)
        await expectRefusals(of: inner)
        #expect(room.snapshot.guests == 3 && house.snapshot.rooms[7] == Room())
        try await #require(rooms[7]).dispatch(5)
        #expect(house.snapshot.rooms[7]?.guests == 5)
    }

    @Test("of an entry that one batch replaces refuses, too")
    func batch() async throws {
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        let room = try #require(rooms[7])
        house.send(contentsOf: [.close(7), .open(7)])
        await expectRefusals(of: room)
    }

    @Test("of an optional part refuses what its successor would get")
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

    @Test("refuses also where only those have gone by whom it was found")
    func released() async throws {
        house.send(contentsOf: [.open(7), .openHall])
        let room = try #require(house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }[7])
        let hall = try #require(house.scopeIfLet(state: \.hall) { Action.hall($0) }.store)
        await expectRefusals(of: room)
        await expectRefusals(of: hall)
        #expect(house.snapshot.rooms[7] == Room() && house.snapshot.hall == Room())
    }

    @Test("gives the successor nothing of side effects that run by way of it")
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

    @Test("reduces what it had accepted before")
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
        let actions = house.actions(buffering: .unbounded)
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
