import ActorStore
import Testing

@testable import TestFixtures

@Suite("Whole-state observers on other executors", .timeLimit(.minutes(10)))
struct WholeStateObserverTests {
    typealias Action = GuestHouse.Action
    typealias Room = GuestHouse.Room

    private let house = GuestHouse.store()

    private actor Dashboard {
        func settle() {}
    }

    @Test("Whole-state observers on an executor or isolated to an actor do not keep the store alive")
    func lifetime() async {
        weak var observed: Store<GuestHouse, Action>?
        var tokens: [StoreObservation] = []
        let dashboard = Dashboard()
        do {
            let store = Store(initialState: GuestHouse()) { (_: inout GuestHouse, _: Action) in }
            tokens = [
                store.values(of: .everyAction).observe(on: globalConcurrentExecutor) { _ in },
                store.observe(.everyAction, isolatedTo: dashboard) { _, _ in },
            ]
            observed = store
        }
        #expect(observed == nil)
        for token in tokens { token.cancel() }
    }

    @Test("A whole-state observer that keeps the newest state receives the newest in the end")
    func newest() async {
        let executor = PatientExecutor()
        let guests = Collector<Int>()
        house.send(.openHall)
        let token = house.values(of: .everyAction).observe(on: executor) { guests.append($0.hall?.guests ?? -1) }
        executor.runAll()
        for _ in 1...3 { house.send(.hall(1)) }
        executor.runAll()
        #expect(guests.elements == [0, 3])
        token.cancel()
    }

    @Test("A whole-state observer isolated to a released actor ends with the next turn")
    func actorGone() async {
        var dashboard: Dashboard? = Dashboard()
        let calls = Collector<Int>()
        let token = dashboard.map {
            house.observe(.everyAction, isolatedTo: $0) { _, state in calls.append(state.rooms.count) }
        }
        await until { calls.elements == [0] }
        await dashboard?.settle()
        dashboard = nil
        await until {
            house.send(.openHall)
            return house.statistics.observers == 0
        }
        #expect(calls.elements.last == 0)
        withExtendedLifetime(token) {}
    }

    @Test("Whole-state observers of optional scopes, entries and children follow them, and end with them")
    func parts() async throws {
        let seen = Collector<String>()
        let child = house.child(
            initialState: 0,
            reducer: Reduce { (count: inout Int, step: Int) in count += step },
            action: { _ in nil }
        )
        let hall = house.scopeIfLet(state: \.hall) { Action.hall($0) }
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(contentsOf: [.openHall, .open(7)])
        _ = await house.state
        let tokens = [
            try #require(hall.store).observe(.everyAction, isolatedTo: MainActor.shared, buffering: .unbounded) {
                _,
                room in
                seen.append("hall \(room.guests)")
            },
            try #require(rooms[7]).observe(.everyAction, isolatedTo: MainActor.shared, buffering: .unbounded) {
                _,
                room in
                seen.append("room \(room.guests)")
            },
            child.observe(.everyAction, isolatedTo: MainActor.shared, buffering: .unbounded) { _, state in
                seen.append("child \(state.local)")
            },
        ]
        let idle = house.statistics.observers - tokens.count
        await until { seen.elements.count == 3 }
        house.send(.hall(2))
        house.send(.room(id: 7, action: 3))
        child.send(4)
        await until { ["hall 2", "room 3", "child 4"].allSatisfy(seen.elements.contains) }
        house.send(contentsOf: [.closeHall, .close(7)])
        await child.shutdown(drain: .cancelEffects)
        await until { house.statistics.observers <= idle }
        let before = seen.elements.count
        house.send(contentsOf: [.openHall, .open(7), .hall(9), .room(id: 7, action: 9)])
        _ = await house.state
        await MainActor.run {}
        #expect(seen.elements.count == before)
        for token in tokens { token.cancel() }
    }

    @Test("Whole-state observers begun before the loading begin with the loaded state")
    func loading() async throws {
        let latch = Latch()
        let store = Store(
            initialState: GuestHouse(),
            loading: {
                await latch.wait()
                return GuestHouse(hall: Room(guests: 5))
            },
            reducer: Reduce { (_: inout GuestHouse, _: Action) in }
        )
        let seen = Collector<Int?>()
        let tokens = [
            store.values(of: .everyAction, buffering: .unbounded).observe(on: globalConcurrentExecutor) {
                seen.append($0.hall?.guests)
            },
            store.observe(.everyAction, isolatedTo: MainActor.shared, buffering: .unbounded) { _, state in
                seen.append(state.hall?.guests)
            },
        ]
        latch.open()
        await until { seen.elements.count == 2 }
        #expect(seen.elements == [5, 5])
        for token in tokens { token.cancel() }
    }

    @MainActor
    private final class Display {
        var shown: [Int] = []
        func show(_ state: GuestHouse) { shown.append(state.rooms.count) }
    }

    @Test("A closure isolated to the main actor can call MainActor-isolated functions")
    @MainActor
    func mainActor() async {
        let display = Display()
        let token = house.observe(.everyAction, isolatedTo: MainActor.shared) { _, state in
            MainActor.assumeIsolated { display.show(state) }
        }
        house.send(.open(1))
        await until { display.shown.last == 1 }
        #expect(display.shown.count <= 2)
        token.cancel()
    }

    @Test("An observer of an optional part's coming and going is counted until it is cancelled")
    func comingAndGoing() async {
        let hall = house.scopeIfLet(state: \.hall) { Action.hall($0) }
        let before = house.statistics.observers
        let following = Task {
            var seen = 0
            for await store in hall.stores where store != nil { seen += 1 }
            return seen
        }
        await until { house.statistics.observers == before + 1 }
        following.cancel()
        _ = await following.value
        await until { house.statistics.observers == before }
    }

    @Test("A wait for an action in the scope of an entry ends when the entry goes")
    func waiting() async throws {
        let rooms = house.scopes(forEach: \.rooms) { Action.room(id: $0, action: $1) }
        house.send(.open(7))
        _ = await house.state
        let room = try #require(rooms[7])
        let before = house.statistics.observers
        let waiting = Task { () -> WaitError? in
            do throws(WaitError) {
                _ = try await room.take(.where { $0 == 3 })
                return nil
            } catch {
                return error
            }
        }
        await until { house.statistics.observers > before }
        house.send(.close(7))
        #expect(await waiting.value == .storeEnded)
    }

    @Test("An observer of errors more than 1,024 behind misses the oldest, and counts them")
    func errors() async throws {
        struct Failed: Error {}
        enum Step: Sendable { case fail }
        let store = Store(
            initialState: 0,
            reducer: Reduce { (_: inout Int, _: Step) in Effect<Step>.run { _ in throw Failed() } }
        )
        let errors = store.errors
        var iterator = errors.makeAsyncIterator()
        for _ in 0..<1_034 { _ = try? await store.dispatch(.fail).finish() }
        await until { store.statistics.failures == 1_034 }
        _ = await iterator.next()
        #expect(errors.droppedCount == 10)
    }

    @Test("Both halves of a child's state can be without bytes")
    func nothing() async throws {
        struct Nothing: Equatable, Sendable {}
        let parent = Store(initialState: Nothing()) { (_: inout Nothing, _: Int) in }
        let child = parent.child(
            initialState: Nothing(),
            reducer: Reduce { (_: inout Nothing, _: Int) in },
            action: { _ in nil }
        )
        let turns = Collector<ParentAndChild<Nothing, Nothing>>()
        let token = child.observe(.everyAction) { turns.append($0) }
        try await child.dispatch(1)
        #expect(turns.elements == [ParentAndChild(parent: Nothing(), local: Nothing())].cycled(2))
        token.cancel()
    }
}

extension Array {
    fileprivate func cycled(_ times: Int) -> [Element] { (0..<times).flatMap { _ in self } }
}
