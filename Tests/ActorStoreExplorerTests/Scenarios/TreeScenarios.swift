import ActorStore
import ActorStoreComposition

/// A state with parts that come and go.
struct Hall: Equatable, Sendable {
    enum Action: Sendable {
        case open(Int), close(Int), invite, dismiss
        case room(Int, Int)
        case guest(Int)
    }

    var rooms = [1: 0]
    var guest: Int?
    /// The actions of rooms.
    var steps = 0
}

extension Stage {
    fileprivate func hall() -> Store<Hall, Hall.Action> {
        Store(initialState: Hall(), configuration: configuration) { (hall: inout Hall, action: Hall.Action) in
            switch action {
            case .open(let room): hall.rooms[room] = hall.rooms[room] ?? 0
            case .close(let room): hall.rooms[room] = nil
            case .invite: hall.guest = hall.guest ?? 0
            case .dismiss: hall.guest = nil
            case .room(let room, let step):
                if let count = hall.rooms[room] { hall.rooms[room] = count + step }
                hall.steps += step
            case .guest(let step):
                if let guest = hall.guest { hall.guest = guest + step }
                hall.steps += step
            }
        }
    }
}

private typealias Rooms = StoreChildren<Int, ParentAndChild<Int, Int>, Int>

extension Store where State == Hall, Action == Hall.Action {
    /// The rooms, each of which counts its actions.
    nonisolated fileprivate func countingRooms(_ effect: Effect<Int> = .none) -> Rooms {
        children(
            forEach: \.rooms,
            initialState: { _, _ in 0 },
            reducer: Reduce<Int, Int> { count, step in
                count += step
                return effect
            },
            action: { .room($0, $1) }
        )
    }
}

extension Scenario {
    /// Children, tables of them, and optional parts, which come and go while their root is busy.
    static let trees: [Scenario] = [
        Scenario("Actions accepted by a child of a table are reduced, or counted when its entry goes") { stage in
            let root = stage.hall()
            let rooms = root.countingRooms()
            let accepted = Shared(0)
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    for _ in 1...2 where rooms[1]?.send(1).isAccepted == true { accepted.value += 1 }
                    if rooms[1]?.send(contentsOf: [1, 1]).isAccepted == true { accepted.value += 2 }
                }
            }
            stage.thread("owner") {
                root.send(.close(1))
                root.send(.open(1))
            }
            stage.atEnd {
                stage.expect(
                    root.snapshot.steps + root.statistics.lateActions,
                    is: accepted.value,
                    "what was reduced or came too late"
                )
                withExtendedLifetime(rooms) {}
            }
        },
        Scenario("A dispatch to a child of a table returns if it was reduced, and throws if its entry went before") {
            stage in
            let root = stage.hall()
            let rooms = root.countingRooms()
            let reduced = Shared(0)
            for number in 1...2 {
                stage.task("dispatcher \(number)") {
                    for _ in 1...2 {
                        guard let room = rooms[1] else { continue }
                        do {
                            try await room.dispatch(1)
                            reduced.value += 1
                        } catch {
                            stage.expect(error, isAmong: [StoreError.shutDown])
                        }
                    }
                }
            }
            stage.thread("owner") { root.send(contentsOf: [.close(1), .open(1)]) }
            stage.thread("second owner") {
                root.send(.close(1))
                root.send(.open(1))
            }
            stage.atEnd {
                stage.expect(root.snapshot.steps, is: reduced.value, "the reduced actions")
                withExtendedLifetime(rooms) {}
            }
        },
        Scenario("Actions accepted by the children of a table are reduced although the table is released") { stage in
            let root = stage.hall()
            let rooms = Shared<Rooms?>(root.countingRooms())
            let accepted = Shared(0)
            let held = rooms.value?[1]
            stage.thread("sender") {
                for _ in 1...2 where rooms.value?[1]?.send(1).isAccepted == true { accepted.value += 1 }
            }
            stage.thread("holder") { for _ in 1...2 where held?.send(1).isAccepted == true { accepted.value += 1 } }
            stage.thread("root's sender") { root.send(.open(2)) }
            stage.thread("owner") { rooms.value = nil }
            stage.atEnd {
                let late = root.statistics.lateActions
                stage.expect(root.snapshot.steps + late, is: accepted.value, "what was reduced or came too late")
                stage.expect(late, is: 0, "what came too late")
                stage.expect(held?.snapshot.local, is: accepted.value, "what the child has reduced")
                stage.expect(held?.send(1).isAccepted, is: false, "whether the child still accepts actions")
            }
        },
        Scenario("A child of a table ends with its entry: its effects, its observers, and all that they retain") {
            stage in
            let root = stage.hall()
            let ends = Shared(0)
            let begun = Shared(0)
            let rooms = Shared<Rooms?>(
                root.countingRooms(
                    .run { _ in
                        begun.value += 1
                        let payload = Payload { ends.value += 1 }
                        try? await stage.clock.sleep(until: VirtualClock.never, tolerance: nil)
                        withExtendedLifetime(payload) {}
                    }
                )
            )
            if let room = rooms.value?[1] {
                let values = room.values(of: \.local)
                stage.task("observer") {
                    for await value in values { stage.expect(value <= 3, "The value is \(value)") }
                }
            }
            stage.thread("sender") { for _ in 1...2 { rooms.value?[1]?.send(1) } }
            stage.task("dispatcher") { try? await rooms.value?[1]?.dispatch(1).finish() }
            stage.thread("closer") {
                root.send(.close(1))
                root.send(.open(1))
            }
            stage.thread("owner") { rooms.value = nil }
            stage.atEnd {
                stage.expect(ends.value, is: begun.value, "how many effects have ended")
                stage.expect(root.statistics.runningEffects, is: 0, "the number of effects that run")
                stage.expect(root.statistics.observers, is: 0, "the number of observers")
            }
        },
        Scenario("An observer of an entry gets its last value, and ends when it goes") { stage in
            let root = stage.hall()
            let rooms = root.scopes(forEach: \.rooms) { .room($0, $1) }
            guard let values = rooms[1]?.values(of: \.self, buffering: .unbounded) else { return }
            stage.task("observer") {
                var last = -1
                for await value in values {
                    stage.expect(value > last, "After \(last) came \(value)")
                    last = value
                }
                stage.expect(last >= 2, "The last value is \(last)")
            }
            stage.thread("owner") {
                root.send(.room(1, 1))
                root.send(.room(1, 1))
                root.send(.close(1))
            }
            stage.thread("sender") { rooms[1]?.send(1) }
            stage.keep(rooms)
        },
        Scenario("An optional part comes and goes in turn for its observers, and ends with its scope") { stage in
            let root = stage.hall()
            let scope = Shared<OptionalScope<Int, Hall.Action>?>(root.scopeIfLet(state: \.guest, action: { $0 }))
            let (log, token) = (Shared<[Bool]>([]), Shared<StoreObservation?>(nil))
            token.value = scope.value?.observe { _ in
                log.value.append(true)
            } onNil: {
                log.value.append(false)
            }
            if let stores = scope.value?.stores {
                stage.task("observer") {
                    for await store in stores { store?.send(.guest(1)) }
                }
            }
            stage.thread("host") { for _ in 1...2 { root.send(.invite); root.send(.dismiss) } }
            stage.thread("sender") { for _ in 1...2 { scope.value?.store?.send(.guest(1)) } }
            stage.thread("owner") { scope.value = nil }
            stage.task("closer") {
                await root.shutdown(drain: .finishEffects)
                token.value = nil
            }
            stage.atEnd {
                stage.expect(
                    zip(log.value, log.value.dropFirst()).allSatisfy { $0 != $1 },
                    "The part came and went so: \(log.value)"
                )
                stage.expect(root.statistics.observers, is: 0, "the number of observers")
            }
        },
        Scenario("A busy observer of an optional part never gets nil twice in a row") { stage in
            let root = stage.hall()
            let scope = root.scopeIfLet(state: \.guest, action: { $0 })
            let stores = scope.stores
            stage.task("observer") {
                var last: Bool?
                for await store in stores {
                    stage.expect(store != nil || last != false, "Nothing came twice in a row")
                    last = store != nil
                }
            }
            stage.thread("host") {
                root.send(.invite)
                root.send(.dismiss)
            }
            stage.task("closer") { await root.shutdown(drain: .finishEffects) }
            stage.keep(scope)
        },
        Scenario("A grandchild ends with the child between, and all three reduce accepted actions") { stage in
            let root = stage.counter()
            let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            let grandchild = child.child(
                initialState: 0,
                reducer: Reduce { (count: inout Int, step: Int) in count += step }
            )
            let accepted = Shared(0)
            let values = grandchild.values(of: \.local)
            stage.task("observer") {
                var last = -1
                for await value in values { last = value }
                stage.expect(last, is: grandchild.snapshot.local, "the last value")
            }
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    for _ in 1...2 where grandchild.send(1).isAccepted { accepted.value += 1 }
                }
            }
            stage.task("dispatcher") {
                guard (try? await grandchild.dispatch(1)) != nil else { return }
                accepted.value += 1
            }
            stage.task("closer") { await child.shutdown(drain: .finishEffects) }
            stage.atEnd {
                let counts = [root.snapshot, child.snapshot.local, grandchild.snapshot.local]
                stage.expect(counts, is: Array(repeating: accepted.value, count: 3), "the reduced actions")
                stage.expect(root.send(1).isAccepted, "The root is closed")
            }
        },
        Scenario("A grandchild retains the child between, and their accepted actions are reduced at their release") {
            stage in
            let root = stage.counter()
            let (accepted, reduced) = (Shared(0), Shared(0))
            let child = Shared<Store<ParentAndChild<Int, Int>, Int>?>(
                root.child(
                    initialState: 0,
                    reducer: Reduce { (count: inout Int, step: Int) in
                        count += step
                        reduced.value += 1
                    }
                )
            )
            let grandchild = Shared<Store<ParentAndChild<ParentAndChild<Int, Int>, Int>, Int>?>(
                child.value?.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            )
            stage.thread("sender") {
                for _ in 1...2 where grandchild.value?.send(1).isAccepted == true { accepted.value += 1 }
            }
            stage.thread("child's sender") {
                for _ in 1...2 where child.value?.send(1).isAccepted == true { accepted.value += 1 }
            }
            stage.thread("root's sender") { root.send(1) }
            stage.thread("owner") { child.value = nil }
            stage.thread("second owner") { grandchild.value = nil }
            stage.atEnd {
                stage.expect(reduced.value, is: accepted.value, "what the child has reduced")
                stage.expect(root.snapshot, is: accepted.value + 1, "what the root has reduced")
            }
        },
        Scenario("Stores below an optional part end with it, and count every lost action") { stage in
            let root = stage.hall()
            root.send(.invite)
            let scope = root.scopeIfLet(state: \.guest, action: { $0 })
            let (accepted, reduced) = (Shared(0), Shared(0))
            let below = scope.store?.child(
                initialState: 0,
                reducer: Reduce { (count: inout Int, _: Hall.Action) in
                    count += 1
                    reduced.value += 1
                }
            )
            guard let below else { return stage.expect(false, "There is no scope") }
            let values = below.values(of: \.local)
            stage.task("observer") { for await value in values { stage.expect(value <= 2, "The value is \(value)") } }
            stage.thread("sender") { for _ in 1...2 where below.send(.guest(1)).isAccepted { accepted.value += 1 } }
            stage.task("waiter") {
                do {
                    _ = try await below.condition(\.local, clock: stage.clock) { $0 > 10 }
                    stage.expect(false, "A wait that nothing satisfies is over")
                } catch {
                    stage.expect(error, isAmong: [WaitError.storeEnded])
                }
            }
            stage.thread("host") { root.send(.dismiss) }
            stage.atEnd {
                stage.expect(!below.send(.guest(1)).isAccepted, "A store accepts an action after its end")
                stage.expect(below.snapshot.local, is: reduced.value, "what it shows of its own state")
                stage.expect(
                    reduced.value + root.statistics.lateActions,
                    is: accepted.value,
                    "what was reduced or came too late"
                )
                withExtendedLifetime(scope) {}
            }
        },
        Scenario("A weak store's actions are reduced or refused while its store is released") { stage in
            let reduced = Shared(0)
            let store = Shared<Store<Int, Int>?>(
                Store(initialState: 0, configuration: stage.configuration) { (count: inout Int, step: Int) in
                    count += step
                    reduced.value += step
                }
            )
            guard let weak = store.value?.weak, let values = store.value?.values(of: \.self) else { return }
            let (accepted, last) = (Shared(0), Shared(0))
            stage.task("observer") { for await value in values { last.value = value } }
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    if weak.send(1).isAccepted { accepted.value += 1 }
                    if weak.send(contentsOf: [1, 1]).isAccepted { accepted.value += 2 }
                    if let count = weak.snapshot { stage.expect(count <= 8, "The state is \(count)") }
                }
            }
            stage.task("dispatcher") {
                do {
                    try await weak.dispatch(1)
                    accepted.value += 1
                } catch {
                    stage.expect(error, isAmong: [StoreError.shutDown])
                }
                _ = await weak.state
            }
            stage.thread("owner") { store.value = nil }
            stage.atEnd {
                stage.expect(reduced.value, is: accepted.value, "the reduced actions")
                stage.expect(last.value, is: reduced.value, "the last value")
                stage.expect(!weak.isAlive && weak.snapshot == nil, "The store is still there")
            }
        },
        Scenario("A weak store of a child sends actions that are reduced or refused while the child is released") {
            stage in
            let root = stage.counter()
            let reduced = Shared(0)
            let child = Shared<Store<ParentAndChild<Int, Int>, Int>?>(
                root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in reduced.value += step })
            )
            guard let weak = child.value?.weak else { return }
            let accepted = Shared(0)
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    if weak.send(1).isAccepted { accepted.value += 1 }
                    if weak.send(contentsOf: [1, 1]).isAccepted { accepted.value += 2 }
                }
            }
            stage.thread("root's sender") { root.send(1) }
            stage.thread("owner") { child.value = nil }
            stage.atEnd {
                let late = root.statistics.lateActions
                stage.expect(reduced.value + late, is: accepted.value, "what was reduced or came too late")
                stage.expect(late, is: 0, "what came too late")
                stage.expect(root.snapshot, is: accepted.value + 1, "what the root has reduced")
            }
        },
    ]
}
