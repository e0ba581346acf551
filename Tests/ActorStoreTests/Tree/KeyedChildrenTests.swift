import ActorStore
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("Keyed children of a collection", .timeLimit(.minutes(10)))
struct KeyedChildrenTests {
    struct Room: Equatable, Sendable {
        var topic = ""
        var guests = 0
    }

    struct Hotel: Equatable, Sendable {
        var rooms: TreeDictionary<String, Room> = [:]
        var log: [String] = []
    }

    enum HotelAction: Sendable, Equatable {
        case open(String)
        case close(String)
        case enter(String)
        case room(String, RoomAction)
    }

    enum RoomAction: Sendable, Equatable {
        case greet
        case work
        case worked
    }

    struct Session: Equatable, Sendable {
        var greetings = 0
    }

    private let hotel = Store(initialState: Hotel()) { (state: inout Hotel, action: HotelAction) in
        switch action {
        case .open(let key): state.rooms[key] = Room(topic: key)
        case .close(let key): state.rooms[key] = nil
        case .enter(let key): state.rooms[key]?.guests += 1
        case .room(let key, let action): state.log.append("\(key) \(action)")
        }
    }

    private func sessions(
        effect: Effect<RoomAction> = .none
    ) -> StoreChildren<String, ParentAndChild<Room, Session>, RoomAction> {
        let reducer = Reduce<Session, RoomAction> { state, action in
            switch action {
            case .greet, .worked: state.greetings += 1
            case .work: return effect
            }
            return .none
        }
        return hotel.children(
            forEach: \.rooms,
            initialState: { _, room in Session(greetings: room.guests) },
            reducer: reducer,
            action: { .room($0, $1) }
        )
    }

    @Test("Each entry has a child, which shows the entry and its own state, and whose actions go up")
    func comeAndGo() async throws {
        try await hotel.dispatch(.open("blue"))
        let sessions = sessions()
        #expect(sessions.keys == ["blue"])
        try await hotel.dispatch(.open("red"))
        #expect(sessions.keys == ["blue", "red"])
        #expect(sessions.count == 2)
        let blue = try #require(sessions["blue"])
        try await blue.dispatch(.greet)
        try await hotel.dispatch(.enter("blue"))
        #expect(blue.snapshot == ParentAndChild(parent: Room(topic: "blue", guests: 1), local: Session(greetings: 1)))
        #expect(hotel.snapshot.log == ["blue greet"])
        try await hotel.dispatch(.close("blue"))
        #expect(sessions["blue"] == nil)
        #expect(sessions.keys == ["red"])
    }

    @Test("The child of a removed entry ends its observers, refuses actions, and shows its last state")
    func gone() async throws {
        let sessions = sessions()
        try await hotel.dispatch(.open("blue"))
        let blue = try #require(sessions["blue"])
        let guests = blue.values(of: \.parent.guests, buffering: .unbounded)
        let greetings = blue.values(of: \.local.greetings, buffering: .unbounded)
        let both = blue.scope { $0.parent.guests * 10 + $0.local.greetings }.values(of: \.self, buffering: .unbounded)
        try await hotel.dispatch(.enter("blue"))
        try await blue.dispatch(.greet)
        try await hotel.dispatch(.close("blue"))
        #expect(try await guests.all() == [0, 1])
        #expect(try await greetings.all() == [0, 1])
        #expect(try await both.all() == [0, 10, 11])
        #expect(blue.send(.greet) == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await blue.dispatch(.greet) }
        #expect(blue.snapshot.parent == Room(topic: "blue", guests: 1))
        // An entry of the same key that comes again has a new child.
        try await hotel.dispatch(.open("blue"))
        #expect(sessions["blue"]?.snapshot == ParentAndChild(parent: Room(topic: "blue"), local: Session()))
        #expect(await hotel.observerRecords.count == 1)
    }

    @Test("Waiting changes of an added entry reach its child and scope, which keep the last state after removal")
    func changesThatWait() async throws {
        let sessions = sessions()
        let rooms = hotel.scopes(forEach: \.rooms) { key, action in HotelAction.room(key, action) }
        let children = Collector<Store<ParentAndChild<Room, Session>, RoomAction>>()
        let scopes = Collector<Store<Room, RoomAction>>()
        let hotel = hotel
        let observer = hotel.observe(.part(\.rooms).replay(.none)) { new in
            if new["blue"] == nil, children.elements.isEmpty {
                for action in [.open("blue"), .enter("blue"), .enter("blue"), .close("blue")] as [HotelAction] {
                    hotel.send(action)
                }
            } else if let child = sessions["blue"], let scope = rooms["blue"], children.elements.isEmpty {
                children.append(child)
                scopes.append(scope)
            }
        }
        try await hotel.dispatch(.open("red"))
        #expect(await hotel.state.rooms["blue"] == nil)
        #expect(children.elements.map(\.snapshot.parent.guests) == [2])
        #expect(scopes.elements.map(\.snapshot.guests) == [2])
        observer.cancel()
    }

    @Test("The effects of a child are cancelled with its entry, and their later actions are dropped")
    func effects() async throws {
        let (begun, cancelled) = (Signal(), Signal())
        let sessions = sessions(
            effect: .run { send in
                begun.fire()
                await withTaskCancellationHandler {
                    await cancelled.wait()
                } onCancel: {
                    cancelled.fire()
                }
                send(.worked)
            }
        )
        try await hotel.dispatch(.open("blue"))
        let task = try await sessions["blue"]?.dispatch(.work)
        await begun.wait()
        try await hotel.dispatch(.close("blue"))
        try await task?.finish()
        #expect(hotel.snapshot.log == ["blue work"])
        #expect(hotel.statistics.lateActions == 1)
    }

    @Test("An entry removed and re-added by a batch is a new one with a new child, as with single actions")
    func replacedInABatch() async throws {
        let begun = Signal()
        let cancelled = Signal()
        let sessions = sessions(
            effect: .run { _ in
                begun.fire()
                await withTaskCancellationHandler {
                    await cancelled.wait()
                } onCancel: {
                    cancelled.fire()
                }
            }
        )
        let rooms = hotel.scopes(forEach: \.rooms) { HotelAction.room($0, $1) }
        for key in ["blue", "red"] { try await hotel.dispatch(.open(key)) }
        let (child, scope, other) = (
            try #require(sessions["blue"]), try #require(rooms["blue"]), try #require(sessions["red"])
        )
        try await child.dispatch(.greet)
        try await other.dispatch(.greet)
        let task = try await child.dispatch(.work)
        await begun.wait()
        let (greetings, topics) = (child.values(of: \.local.greetings), scope.values(of: \.topic))
        // The table is equal before and after the batch.
        hotel.send(contentsOf: [.close("blue"), .enter("red"), .open("blue")])
        #expect(child.send(.greet) == .refused(.shutDown))
        try await task.finish()
        #expect(try await greetings.all() == [1])
        #expect(try await topics.all() == ["blue"])
        let successor = try #require(sessions["blue"])
        #expect(successor !== child && rooms["blue"] !== scope)
        #expect(successor.snapshot == ParentAndChild(parent: Room(topic: "blue"), local: Session()))
        #expect(sessions["red"] === other && other.snapshot.local.greetings == 1)
        try await successor.dispatch(.greet)
        #expect(successor.snapshot.local.greetings == 1)
    }

    @Test("An entry removed by a batch keeps its last state, whatever the batch puts in its place")
    func lastOfABatch() async throws {
        let sessions = sessions()
        try await hotel.dispatch(.open("blue"))
        let child = try #require(sessions["blue"])
        hotel.send(contentsOf: [.enter("blue"), .close("blue"), .open("blue"), .enter("blue"), .enter("blue")])
        #expect(child.snapshot.parent.guests == 1)
        #expect(sessions["blue"]?.snapshot == ParentAndChild(parent: Room(topic: "blue", guests: 2), local: Session()))
        hotel.send(contentsOf: [.enter("blue"), .close("blue")])
        #expect(sessions["blue"] == nil && sessions.count == 0)
        hotel.send(contentsOf: [.open("blue"), .close("blue"), .open("blue"), .enter("blue")])
        #expect(
            sessions["blue"]?.snapshot
                == ParentAndChild(parent: Room(topic: "blue", guests: 1), local: Session(greetings: 1))
        )
    }

    @Test("An entry removed and re-added by one action has only changed, and keeps its child")
    func replacedInAnAction() async throws {
        let store = Store(initialState: Hotel(rooms: ["blue": Room(topic: "old")])) {
            (hotel: inout Hotel, key: String) in
            hotel.rooms[key] = nil
            hotel.rooms[key] = Room(topic: "new")
        }
        let reducer = Reduce<Int, Int> { count, step in count += step }
        let rooms = store.children(forEach: \.rooms, initialState: { _, _ in 0 }, reducer: reducer) { _, _ in nil }
        let room = try #require(rooms["blue"])
        try await room.dispatch(3)
        try await store.dispatch("blue")
        #expect(rooms["blue"] === room && room.snapshot == ParentAndChild(parent: Room(topic: "new"), local: 3))
    }

    @Test("An observer of one entry is not notified of the others")
    func scopedWakeUps() async throws {
        let sessions = sessions()
        for key in ["a", "b", "c"] { try await hotel.dispatch(.open(key)) }
        let told = Collector<String>()
        let tokens = ["a", "b", "c"].compactMap { key in
            sessions[key]?.observe(\.parent.guests) { told.append("\(key)\($0)") }
        }
        try await hotel.dispatch(.enter("b"))
        #expect(told.elements == ["a0", "b0", "c0", "b1"])
        withExtendedLifetime(tokens) {}
    }

    @Test("Scopes for each entry have no state of their own, and the store reduces their actions")
    func scopes() async throws {
        let rooms = hotel.scopes(forEach: \.rooms) { key, action in HotelAction.room(key, action) }
        try await hotel.dispatch(.open("blue"))
        let blue = try #require(rooms["blue"])
        let topics = blue.values(of: \.topic)
        try await blue.dispatch(.greet)
        #expect(blue.snapshot == Room(topic: "blue"))
        #expect(hotel.snapshot.log == ["blue greet"])
        try await hotel.dispatch(.close("blue"))
        #expect(try await topics.all() == ["blue"])
        #expect(rooms.count == 0)
    }

    @Test("Dictionaries and arrays have keyed children")
    func otherTables() async throws {
        struct State: Sendable {
            var list: [Int] = []
            var names: [String: Int] = [:]
        }
        let store = Store(initialState: State()) { (state: inout State, number: Int) in
            state.list.append(number)
            state.names["\(number)"] = number
        }
        let elements = store.scopes(forEach: \.list) { _, number in number }
        let names = store.scopes(forEach: \.names) { _, number in number }
        try await store.dispatch(5)
        try await store.dispatch(6)
        #expect(elements[1]?.snapshot == 6)
        #expect(names["5"]?.snapshot == 5)
        #expect(elements[2] == nil)
    }

    @Test("The observers behind keyed children are listed with the place of their creation")
    func places() async throws {
        try await hotel.dispatch(.open("blue"))
        let line = UInt(#line) + 1
        let rooms = hotel.scopes(forEach: \.rooms) { key, action in HotelAction.room(key, action) }
        try await hotel.dispatch(.open("red"))
        let observers = await hotel.observerRecords
        #expect(observers.count == 1)
        #expect(observers.allSatisfy { $0.source?.fileID == #fileID && $0.source?.line == line })
        let login = Store(initialState: OptionalScopeTests.App()) { (_: inout OptionalScopeTests.App, _: Int) in }
        let scope = login.scopeIfLet(state: \.login, action: { $0 })
        #expect(await login.observerRecords.map(\.source?.line) == [UInt(#line) - 1])
        let sessions = sessions()
        #expect(await hotel.observerRecords.allSatisfy { $0.source?.fileID == #fileID })
        withExtendedLifetime((rooms, scope, sessions)) {}
    }

    @Test("Keyed children end with their owner, and with the store")
    func lifetimes() async throws {
        var sessions: StoreChildren<String, ParentAndChild<Room, Session>, RoomAction>? = sessions()
        try await hotel.dispatch(.open("blue"))
        weak let blue = sessions?["blue"]
        #expect(blue != nil)
        let values = try #require(blue?.values(of: \.local.greetings))
        sessions = nil
        #expect(blue == nil)
        #expect(try await values.all() == [0])
        #expect(await hotel.observerRecords.isEmpty)
        let others = self.sessions()
        await hotel.shutdown(drain: .finishEffects)
        #expect(others["blue"]?.send(.greet) == .refused(.shutDown))
    }

    @Test("Retained children end with the owner of their table: their sequences end, and they refuse actions")
    func held() async throws {
        var sessions: StoreChildren<String, ParentAndChild<Room, Session>, RoomAction>? = sessions()
        var rooms: StoreChildren<String, Room, RoomAction>? = hotel.scopes(forEach: \.rooms) { .room($0, $1) }
        try await hotel.dispatch(.open("blue"))
        let blue = try #require(sessions?["blue"])
        let room = try #require(rooms?["blue"])
        let guests = blue.values(of: \.parent.guests, buffering: .unbounded)
        let topics = room.values(of: \.topic, buffering: .unbounded)
        let observer = room.observe(\.guests) { _ in }
        (sessions, rooms) = (nil, nil)
        // They end in a turn.
        _ = await hotel.state
        #expect(blue.phase.description == "ended")
        #expect(blue.send(.greet) == .refused(.shutDown))
        #expect(try await guests.all() == [0])
        #expect(try await topics.all() == ["blue"])
        #expect(try await room.values(of: \.guests).all() == [0])
        #expect(await hotel.observerRecords.isEmpty)
        #expect(room.send(.greet) == .refused(.shutDown) && hotel.snapshot.log.isEmpty)
        withExtendedLifetime(observer) {}
    }

    @Test("New observations of a removed entry's scope get its last state, and end")
    func late() async throws {
        let rooms = hotel.scopes(forEach: \.rooms) { HotelAction.room($0, $1) }
        try await hotel.dispatch(.open("blue"))
        let blue = try #require(rooms["blue"])
        try await hotel.dispatch(.close("blue"))
        #expect(try await blue.values(of: \.topic).all() == ["blue"])
        #expect(try await blue.scope(\.guests).values(of: \.self).all() == [0])
    }

    @Test("A removed entry keeps its last state, also when a new entry has the same key")
    func another() async throws {
        let sessions = sessions()
        let rooms = hotel.scopes(forEach: \.rooms) { HotelAction.room($0, $1) }
        try await hotel.dispatch(.open("blue"))
        try await hotel.dispatch(.enter("blue"))
        let (child, scope) = (try #require(sessions["blue"]), try #require(rooms["blue"]))
        let part = scope.scope(\.guests)
        try await hotel.dispatch(.close("blue"))
        try await hotel.dispatch(.open("blue"))
        #expect(child.snapshot.parent.guests == 1)
        #expect(scope.snapshot.guests == 1)
        #expect(part.snapshot == 1)
        #expect(await scope.state.guests == 1)
        #expect(rooms["blue"]?.snapshot.guests == 0)
    }

    @Test("A child that removes its own entry notifies of that action and of its last state, and ends")
    func leaving() async throws {
        let root = Store(initialState: Hotel(rooms: ["blue": Room()])) { (hotel: inout Hotel, key: String) in
            hotel.rooms[key] = nil
        }
        let rooms = root.children(
            forEach: \.rooms,
            initialState: { _, _ in 0 },
            reducer: Reduce<Int, String> { count, _ in
                count += 1
                return .none
            },
            action: { _, action in action == "leave" ? "blue" : nil }
        )
        let room = try #require(rooms["blue"])
        let (counts, actions) = (room.values(of: \.local, buffering: .unbounded), room.actions)
        let doubled = room.scope { $0.local * 2 }.values(of: \.self, buffering: .unbounded)
        let told = Collector<Int>()
        let token = room.observe(\.local) { told.append($0) }
        // An observer notified of the change after the child's removal can no longer send to it.
        let outcomes = Collector<SendOutcome>()
        let sender = root.observe(\.rooms) { rooms in
            if rooms.isEmpty { outcomes.append(room.send("late")) }
        }
        let observers = root.statistics.observers
        async let taken = room.take(.where { $0 == "leave" })
        async let left = room.condition(\.local) { $0 == 2 }
        await until { root.statistics.observers == observers + 2 }
        try await room.dispatch("stay")
        try await room.dispatch("leave")
        #expect(rooms["blue"] == nil && room.send("stay") == .refused(.shutDown))
        #expect(try await counts.all() == [0, 1, 2])
        #expect(try await doubled.all() == [0, 2, 4])
        #expect(try await actions.all().map(\.action) == ["stay", "leave"])
        #expect(told.elements == [0, 1, 2])
        #expect(outcomes.elements == [.refused(.shutDown)] && root.statistics.lateActions == 0)
        #expect(try await taken == "leave")
        #expect(try await left == 2)
        withExtendedLifetime((token, sender)) {}
    }

    @Test("Optional scopes below an entry's child keep their last state, of the child's own and of the entry's")
    func optionalPartsBelow() async throws {
        struct Local: Equatable, Sendable {
            var draft: Int? = 1
        }
        struct Owned: Equatable, Sendable {
            var draft: Int? = 2
        }
        struct Owner: Equatable, Sendable {
            var rooms: TreeDictionary<String, Owned> = ["blue": Owned()]
        }
        let root = Store(initialState: Owner()) { (owner: inout Owner, key: String) in owner.rooms[key] = nil }
        let rooms = root.children(
            forEach: \.rooms,
            initialState: { _, _ in Local() },
            reducer: EmptyReducer<Local, String>(),
            action: { _, _ in nil }
        )
        let child = try #require(rooms["blue"])
        let (own, entry) = (
            child.scopeIfLet(state: \.local.draft, action: { $0 }),
            child.scopeIfLet(state: \.parent.draft, action: { $0 })
        )
        try await root.dispatch("blue")
        #expect(own.store?.snapshot == 1 && entry.store?.snapshot == 2)
        #expect(child.send("late") == .refused(.shutDown))
    }

    @Test("Children and tables below the store of an entry end with it")
    func below() async throws {
        struct City: Equatable, Sendable {
            var hotels: TreeDictionary<String, Hotel> = [:]
        }
        let city = Store(initialState: City()) { (city: inout City, name: String) in
            city.hotels[name] = city.hotels[name] == nil ? Hotel(rooms: ["blue": Room(topic: "sea")]) : nil
        }
        let reducer = Reduce<Int, Int> { _, _ in .run { _ in try await Task.sleep(for: .seconds(3_600)) } }
        let children = city.children(forEach: \.hotels, initialState: { _, _ in 0 }, reducer: reducer) { _, _ in nil }
        let scopes = city.scopes(forEach: \.hotels) { _, name in name }
        try await city.dispatch("Ritz")
        let panel = try #require(children["Ritz"]?.child(initialState: 0, reducer: reducer) { _ in nil })
        let rooms = try #require(
            scopes["Ritz"]?.children(forEach: \.rooms, initialState: { _, _ in 0 }, reducer: reducer) { _, _ in nil }
        )
        let blue = try #require(rooms["blue"])
        for store in [panel.phase, blue.phase] { #expect(store.description == "ready") }
        try await panel.dispatch(1)
        try await blue.dispatch(1)
        let (own, part) = (panel.values(of: \.local), blue.values(of: \.parent.topic))
        try await city.dispatch("Ritz")
        #expect(panel.send(1) == .refused(.shutDown) && blue.send(1) == .refused(.shutDown))
        #expect(try await own.all() == [0])
        #expect(try await part.all() == ["sea"])
        await until { city.statistics.runningEffects == 0 }
    }

    @Test("A scope of a removed entry is not counted as observed, although an owner is still bound to it")
    func owned() async throws {
        let rooms = hotel.scopes(forEach: \.rooms) { HotelAction.room($0, $1) }
        try await hotel.dispatch(.open("blue"))
        let owner = Token()
        let before = hotel.statistics.observers
        rooms["blue"]?.observe(\.topic) { _ in }.bound(to: owner)
        #expect(hotel.statistics.observers == before + 1)
        try await hotel.dispatch(.close("blue"))
        // Only the table's is left.
        #expect(hotel.statistics.observers == 1)
        withExtendedLifetime(owner) {}
    }
}

@Suite("Optional scopes", .timeLimit(.minutes(10)))
struct OptionalScopeTests {
    struct App: Equatable, Sendable {
        var login: Login?
    }

    struct Login: Equatable, Sendable {
        var name: String
    }

    enum Action: Sendable {
        case show(String?)
        case login(String)
    }

    private let store = Store(initialState: App()) { (state: inout App, action: Action) in
        switch action {
        case .show(let name): state.login = name.map { Login(name: $0) }
        case .login(let name): state.login?.name = name
        }
    }

    @Test("An optional scope has a store while its part is present, and its coming and going can be observed")
    func presence() async throws {
        let login = store.scopeIfLet(state: \.login, action: Action.login)
        let seen = Collector<String>()
        let token = login.observe { scope in
            seen.append(scope.snapshot.name)
        } onNil: {
            seen.append("nil")
        }
        #expect(login.store == nil)
        try await store.dispatch(.show("Ann"))
        let scope = try #require(login.store)
        try await scope.dispatch("Bea")
        #expect(scope.snapshot.name == "Bea")
        try await store.dispatch(.show(nil))
        #expect(login.store == nil)
        try await store.dispatch(.show("Cid"))
        #expect(seen.elements == ["nil", "Ann", "nil", "Cid"])
        withExtendedLifetime(token) {}
    }

    @Test("Observers of a scope's actions get the one that removes its part, and no later ones")
    func lastAction() async throws {
        struct Whole: Equatable, Sendable {
            var part: Int? = 1
            var count = 0
        }
        enum Change: Equatable, Sendable { case close, count(Int) }
        let store = Store(initialState: Whole()) { (state: inout Whole, change: Change) in
            switch change {
            case .close: state.part = nil
            case .count(let step): state.count += step
            }
        }
        let scope = store.scopeIfLet(state: \.part, action: { $0 })
        let part = try #require(scope.store)
        let (actions, observers) = (part.actions, store.statistics.observers)
        async let taken = part.take(.where { _ in true })
        await until { store.statistics.observers == observers + 1 }
        try await store.dispatch(.close)
        #expect(try await actions.all().map(\.action) == [.close])
        #expect(try await taken == .close)
        try await store.dispatch(.count(1))
        let (later, transitions, others) = (store.actions, store.transitions(), store.statistics.observers)
        async let next = store.take(.where { _ in true })
        await until { store.statistics.observers == others + 1 }
        try await store.dispatch(.count(2))
        await store.shutdown(drain: .finishEffects)
        #expect(try await later.all().map(\.action) == [.count(2)])
        #expect(try await transitions.all().map(\.old.count) == [1])
        #expect(try await next == .count(2))
    }

    @Test("A scope of a removed part shows its last state, and its sequences end")
    func gone() async throws {
        let login = store.scopeIfLet(state: \.login, action: { $0 })
        try await store.dispatch(.show("Ann"))
        let scope = try #require(login.store)
        let names = scope.values(of: \.name, buffering: .unbounded)
        try await store.dispatch(.login("Bea"))
        try await store.dispatch(.show(nil))
        #expect(scope.snapshot.name == "Bea")
        #expect(try await names.all() == ["Ann", "Bea"])
    }

    @Test("All observations of a scope end with its part, and get nothing of the next part")
    func others() async throws {
        let login = store.scopeIfLet(state: \.login, action: Action.login)
        try await store.dispatch(.show("Ann"))
        let ann = try #require(login.store)
        let capitals = ann.scope { $0.name.uppercased() }
        let made = capitals.values(of: \.self, buffering: .unbounded)
        let distinct = ann.scope(\.name, removeDuplicates: ==).values(of: \.self, buffering: .unbounded)
        let actions = ann.actions
        let transitions = ann.transitions(buffering: .unbounded)
        try await ann.dispatch("Bea")
        try await store.dispatch(.show(nil))
        try await store.dispatch(.show("Cid"))
        try await login.store?.dispatch("Dan")
        #expect(ann.snapshot.name == "Bea" && capitals.snapshot == "BEA")
        #expect(try await made.all() == ["ANN", "BEA"])
        #expect(try await distinct.all() == ["Ann", "Bea"])
        #expect(try await actions.all().map(\.action) == ["Bea"])
        #expect(try await transitions.all().map(\.new.name) == ["Bea"])
        // Later observations end at once.
        #expect(try await ann.values(of: \.name).all() == ["Bea"])
        #expect(try await ann.scope { $0.name }.values(of: \.self).all() == ["Bea"])
        #expect(try await ann.actions.all().isEmpty)
    }

    @Test("The token of an observation retains its optional scope")
    func temporary() async throws {
        let seen = Collector<String>()
        let token = store.scopeIfLet(state: \.login, action: Action.login).observe { scope in
            seen.append(scope.snapshot.name)
        } onNil: {
            seen.append("nil")
        }
        try await store.dispatch(.show("Ann"))
        try await store.dispatch(.show(nil))
        #expect(seen.elements == ["nil", "Ann", "nil"])
        token.cancel()
        #expect(store.statistics.observers == 0)
    }

    @Test("A scope ends with the owner of its optional scope, also if it is retained elsewhere")
    func held() async throws {
        var login: OptionalScope<Login, Action>? = store.scopeIfLet(state: \.login, action: { $0 })
        try await store.dispatch(.show("Ann"))
        let scope = try #require(login?.store)
        let names = scope.values(of: \.name, buffering: .unbounded)
        login = nil
        #expect(try await names.all() == ["Ann"])
        #expect(store.statistics.observers == 0)
    }

    @Test("The stores of an optional scope as a sequence: the present one first, and an end with the store")
    func sequence() async throws {
        let login = store.scopeIfLet(state: \.login, action: { $0 })
        var stores = login.stores.makeAsyncIterator()
        #expect(try #require(await stores.next()).map(\.name) == nil)
        try await store.dispatch(.show("Ann"))
        #expect(await stores.next()??.snapshot.name == "Ann")
        try await store.dispatch(.show(nil))
        #expect(try #require(await stores.next()).map(\.name) == nil)
        await store.shutdown(drain: .finishEffects)
        #expect(await stores.next().map { $0?.name } == nil)
    }

    // MARK: Scopes of optional parts below others

    private struct Desk: Equatable, Sendable {
        var bell: Int?
        var keys: TreeDictionary<String, Int> = ["blue": 1]
    }

    private struct Lobby: Equatable, Sendable {
        var desk: Desk?
        var desks: TreeDictionary<String, Desk> = ["night": Desk(bell: 1)]
    }

    private enum LobbyAction: Sendable {
        case open
        case close
    }

    private func lobby(
        _ state: Lobby = Lobby(desk: Desk(bell: 1)),
        executor: (any TaskExecutor)? = nil
    ) -> Store<Lobby, LobbyAction> {
        Store(initialState: state, configuration: StoreConfiguration(executor: executor)) {
            (lobby: inout Lobby, action: LobbyAction) in
            lobby.desk = action == .open ? Desk(bell: 1) : nil
        }
    }

    /// Records the coming and going of a bell.
    private func note<Action>(_ bell: OptionalScope<Int, Action>, in seen: Collector<String>) -> StoreObservation {
        bell.observe { _ in
            seen.append("bell")
        } onNil: {
            seen.append("nil")
        }
    }

    @Test("An optional scope in a removed part becomes nil, and its observers are notified")
    func nested() async throws {
        let lobby = lobby()
        let desk = lobby.scopeIfLet(state: \.desk, action: { $0 })
        let scope = try #require(desk.store)
        let bells = [
            scope.scopeIfLet(state: \.bell, action: { $0 }),
            scope.scope { Desk(bell: $0.bell) }.scopeIfLet(state: \.bell, action: { $0 }),
            scope.child(initialState: 0, reducer: EmptyReducer()).scopeIfLet(state: \.parent.bell, action: { $0 }),
        ]
        for bell in bells {
            #expect(bell.store?.snapshot == 1)
        }
        let seen = Collector<String>()
        let tokens = bells.map { note($0, in: seen) }
        var sequences = bells.map { $0.stores.makeAsyncIterator() }
        for index in sequences.indices { #expect(await sequences[index].next()??.snapshot == 1) }
        try await lobby.dispatch(.close)
        for bell in bells { #expect(bell.store == nil) }
        #expect(seen.elements == ["bell", "bell", "bell", "nil", "nil", "nil"])
        for index in sequences.indices {
            let none = await sequences[index].next()
            #expect(try #require(none) == nil)
            #expect(await sequences[index].next() == nil)
        }
        // Stores derived from a removed part show nothing either.
        #expect(scope.scopeIfLet(state: \.bell, action: { $0 }).store == nil)
        try await lobby.dispatch(.open)
        for bell in bells { #expect(bell.store == nil) }
        #expect(desk.store?.scopeIfLet(state: \.bell, action: { $0 }).store?.snapshot == 1)
        withExtendedLifetime(tokens) {}
    }

    @Test("A nested optional scope keeps its last state when the store or a child ends")
    func nestedAtTheEnd() async throws {
        let lobby = lobby()
        let child = lobby.child(initialState: Lobby(desk: Desk(bell: 2)), reducer: EmptyReducer())
        let grandchild = child.child(initialState: 0, reducer: EmptyReducer())
        let (desk, own) = (
            lobby.scopeIfLet(state: \.desk, action: { $0 }), child.scopeIfLet(state: \.local.desk, action: { $0 })
        )
        let above = grandchild.scopeIfLet(state: \.parent.local.desk, action: { $0 })
        let bells = try [desk, own, above].map { try #require($0.store).scopeIfLet(state: \.bell, action: { $0 }) }
        let seen = Collector<String>()
        let tokens = bells.map { note($0, in: seen) }
        await child.shutdown(drain: .finishEffects)
        await lobby.shutdown(drain: .finishEffects)
        #expect(bells.map { $0.store?.snapshot } == [1, 2, 2])
        #expect(seen.elements == ["bell", "bell", "bell"])
        withExtendedLifetime(tokens) {}
    }

    @Test("A table of stores in a removed part is empty")
    func tableBelow() async throws {
        let lobby = lobby()
        let desk = lobby.scopeIfLet(state: \.desk, action: { $0 })
        let scope = try #require(desk.store)
        let keys = scope.scopes(forEach: \.keys) { _, action in action }
        let blue = try #require(keys["blue"])
        try await lobby.dispatch(.close)
        #expect(keys["blue"] == nil && keys.count == 0)
        #expect(blue.snapshot == 1)
        let late = scope.scopes(forEach: \.keys) { (_: String, action: LobbyAction) in action }
        #expect(late.keys.isEmpty)
    }

    @Test("Releasing a scope or a table of scopes calls no observer of a scope below it", arguments: [false, true])
    func releasedAbove(isTable: Bool) async throws {
        let executor = PatientExecutor()
        let lobby = lobby(executor: executor)
        var owner: (any Sendable)?
        let scope: Store<Desk, LobbyAction>
        if isTable {
            let desks = lobby.scopes(forEach: \.desks) { (_: String, action: LobbyAction) in action }
            scope = try #require(desks["night"])
            owner = desks
        } else {
            let desk = lobby.scopeIfLet(state: \.desk, action: { $0 })
            scope = try #require(desk.store)
            owner = desk
        }
        #expect(owner != nil)
        let bell = scope.scopeIfLet(state: \.bell, action: { $0 })
        let digit = try #require(bell.store).scope { Optional($0) }.scopeIfLet(state: \.self, action: { $0 })
        let (seen, cancelled, late) = (Collector<String>(), Collector<String>(), Collector<String>())
        let tokens = [note(bell, in: seen), note(digit, in: seen)]
        let token = note(bell, in: cancelled)
        var stores = bell.stores.makeAsyncIterator()
        #expect(await stores.next()??.snapshot == 1)
        owner = nil
        // The thread that has notified the iterator may still have the turn.
        await until { bell.store == nil && digit.store == nil }
        #expect(seen.elements == ["bell", "bell"])
        // New observers find nothing, and ended ones are not notified.
        let lateToken = note(bell, in: late)
        await until { late.elements == ["nil"] }
        token.cancel()
        executor.runAll()
        #expect(seen.elements == ["bell", "bell", "nil", "nil"])
        #expect(cancelled.elements == ["bell"] && late.elements == ["nil"])
        let none = await stores.next()
        #expect(try #require(none) == nil)
        #expect(await stores.next() == nil)
        withExtendedLifetime((tokens, lateToken)) {}
    }

    @Test("An observer is notified of the release of a scope also if the store ends meanwhile")
    func releasedBeforeTheEnd() async throws {
        let executor = PatientExecutor()
        var lobby: Store<Lobby, LobbyAction>? = lobby(executor: executor)
        var desk = lobby?.scopeIfLet(state: \.desk, action: { $0 })
        let bell = try #require(desk?.store).scopeIfLet(state: \.bell, action: { $0 })
        let seen = Collector<String>()
        let token = note(bell, in: seen)
        desk = nil
        lobby = nil
        executor.runAll()
        #expect(seen.elements == ["bell", "nil"])
        withExtendedLifetime((desk, token)) {}
    }

    // MARK: Scopes of optional parts of a child

    private typealias Child = Store<ParentAndChild<Lobby, Int>, LobbyAction>

    private func child(of lobby: Store<Lobby, LobbyAction>) -> Child {
        lobby.child(initialState: 0, reducer: EmptyReducer())
    }

    @Test("An observation of an optional part of a child retains the child only while the part is present")
    func tellingOfPartsOfChildren() async throws {
        let lobby = lobby(Lobby())
        let seen = Collector<String>()
        for isShown in [false, true] {
            var child: Child? = child(of: lobby)
            let (values, handle) = (child!.values(of: \.local), child!.weak)
            let stores = child!.scopeIfLet(state: \.parent.desk, action: { $0 }).stores
            let token = child!.scopeIfLet(state: \.parent.desk, action: { $0 }).observe { _ in
                seen.append("desk")
            } onNil: {
                seen.append("nil")
            }
            if isShown {
                try await lobby.dispatch(.open)
                child = nil
                #expect(handle.isAlive)
                try await lobby.dispatch(.close)
                await until { !handle.isAlive }
            }
            child = nil
            try #require(!handle.isAlive)
            #expect(try await values.all() == [0])
            #expect(try await stores.all().allSatisfy { $0 == nil })
            withExtendedLifetime(token) {}
        }
        #expect(seen.elements == ["nil", "nil", "desk", "nil"])
        #expect(lobby.statistics.observers == 0)
    }

    @Test("A child's scope may be released before its part is present, as long as the child is in use")
    func releasedScopeOfChild() async throws {
        let lobby = lobby(Lobby())
        let child = child(of: lobby)
        var stores = child.scope(\.parent).scope(\.self).scopeIfLet(state: \.desk, action: { $0 }).stores
            .makeAsyncIterator()
        #expect(try #require(await stores.next()) == nil)
        try await lobby.dispatch(.open)
        #expect(await stores.next()??.snapshot.bell == 1)
        withExtendedLifetime(child) {}
    }

    @Test("A retained scope of a child's optional part keeps the child in use, and so does a table of stores")
    func holdersOfChildren() throws {
        let lobby = lobby(Lobby())
        var child: Child? = child(of: lobby)
        var handle = try #require(child?.weak)
        var desk = child?.scopeIfLet(state: \.parent.desk, action: { $0 })
        child = nil
        #expect(handle.isAlive && desk != nil)
        desk = nil
        #expect(!handle.isAlive)
        child = self.child(of: lobby)
        handle = try #require(child?.weak)
        var desks = child?.scopes(forEach: \.parent.desks) { (_: String, action: LobbyAction) in action }
        var sessions = child?.children(
            forEach: \.parent.desks,
            initialState: { _, _ in 0 },
            reducer: Reduce<Int, LobbyAction> { _, _ in .none }
        ) { _, action in action }
        child = nil
        desks = nil
        #expect(handle.isAlive && desks == nil && sessions?.count == 1)
        sessions = nil
        #expect(!handle.isAlive)
    }
}
