import ActorStore
import Dispatch
import Synchronization
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("Last states of entries and optional parts", .timeLimit(.minutes(10)))
struct ElementEndTests {
    private struct Desk: Equatable, Sendable {
        var visits: TreeDictionary<Int, Int> = [1: 0]
        var login: Int? = 0
    }

    private enum DeskAction: Sendable {
        case hold(Hold)
        case correct(Int)
        case visit(Int, Step)
        case login(Step)
    }

    private enum Step: Sendable { case add, finish }

    private typealias Actions<State: Sendable> = StoreSequence<(action: Step, state: State)>

    private let desk = Store(initialState: Desk()) { (desk: inout Desk, action: DeskAction) in
        switch action {
        case .hold(let hold): hold.enter()
        case .correct(let count): desk.visits[1] = count
        case .visit(let key, .add): desk.visits[key]? += 1
        case .visit(let key, .finish): desk.visits[key] = nil
        case .login(.add): desk.login? += 1
        case .login(.finish): desk.login = nil
        }
    }

    private func children(
        initialState: @escaping @Sendable () -> Int = { 0 }
    ) -> StoreChildren<Int, ParentAndChild<Int, Int>, Step> {
        let reducer = Reduce<Int, Step> { count, _ in
            count += 1
            return .none
        }
        return desk.children(forEach: \.visits, initialState: { _, _ in initialState() }, reducer: reducer) {
            .visit($0, $1)
        }
    }

    @Test("Actions accepted before the release of stores of entries reach them; children refuse later ones")
    func acceptedBeforeRelease() async throws {
        var children: StoreChildren<Int, ParentAndChild<Int, Int>, Step>? = children()
        var scopes: StoreChildren<Int, Int, Step>? = desk.scopes(forEach: \.visits) { .visit($0, $1) }
        var login: OptionalScope<Int, Step>? = desk.scopeIfLet(state: \.login) { .login($0) }
        let (child, scope) = (try #require(children?[1]), try #require(scopes?[1]))
        let part = try #require(login?.store)
        let childValues = child.values(of: \.self, buffering: .unbounded)
        let (scopeValues, partValues) = (
            scope.values(of: \.self, buffering: .unbounded), part.values(of: \.self, buffering: .unbounded)
        )
        let hold = Hold()
        let desk = desk
        onThread { desk.send(.hold(hold)) }
        await hold.waitUntilEntered()
        #expect([child.send(.add), scope.send(.add), part.send(.add)] == [.accepted, .accepted, .accepted])
        (children, scopes, login) = (nil, nil, nil)
        #expect(child.send(.add) == .refused(.shutDown))
        hold.release()
        #expect(await desk.state == Desk(visits: [1: 2], login: 1))
        #expect(child.snapshot == ParentAndChild(parent: 2, local: 1))
        #expect(scope.snapshot == 2 && part.snapshot == 1)
        #expect(try await childValues.all().last == ParentAndChild(parent: 2, local: 1))
        #expect(try await scopeValues.all() == [0, 1, 2])
        #expect(try await partValues.all() == [0, 1])
        #expect(desk.statistics.lateActions == 0)
    }

    @Test("A table of children released before its turn creates no children")
    func releasedBeforeItsTurn() async throws {
        let made = Collector<Int>()
        let hold = Hold()
        let desk = desk
        onThread { desk.send(.hold(hold)) }
        await hold.waitUntilEntered()
        _ = children {
            made.append(1)
            return 0
        }
        hold.release()
        _ = await desk.state
        #expect(made.elements.isEmpty)
    }

    @Test("The action that removes an entry or a part carries the state before it", arguments: [false, true])
    func lastAction(isBatch: Bool) async throws {
        func finish(_ store: Store<some Sendable, Step>) {
            let steps = [Step.add, .add, .finish]
            if isBatch { store.send(contentsOf: steps) } else { for step in steps { store.send(step) } }
        }
        let login = desk.scopeIfLet(state: \.login) { DeskAction.login($0) }
        let part = try #require(login.store)
        let (partActions, partTransitions) = (part.actions, part.transitions())
        finish(part)
        #expect(try await partActions.all().map(\.state) == [1, 2, 2])
        #expect(try await partTransitions.all().map { [$0.old, $0.new] } == [[0, 1], [1, 2], [2, 2]])
        #expect(part.snapshot == 2)

        let scopes = desk.scopes(forEach: \.visits) { DeskAction.visit($0, $1) }
        let scope = try #require(scopes[1])
        let (actions, transitions) = (scope.actions, scope.scope { $0 * 10 }.transitions())
        finish(scope)
        #expect(try await actions.all().map(\.state) == [1, 2, 2])
        #expect(try await transitions.all().map { [$0.old, $0.new] } == [[0, 10], [10, 20], [20, 20]])
        #expect(scope.snapshot == 2)

        desk.send(.correct(0))
        let children = children()
        let child = try #require(children[1])
        let childActions = child.actions
        finish(child)
        #expect(try await childActions.all().map(\.state.parent) == [1, 2, 2])
        #expect(child.snapshot.parent == 2)
    }

    @Test("The action of a batch that removes an entry carries the state made by the batch's other actions")
    func lastActionOfBatch() async throws {
        let scopes = desk.scopes(forEach: \.visits) { DeskAction.visit($0, $1) }
        let scope = try #require(scopes[1])
        let actions = scope.actions
        desk.send(contentsOf: [.visit(1, .add), .correct(7), .visit(1, .finish)])
        #expect(try await actions.all().map(\.state) == [1, 7])
        #expect(scope.snapshot == 7)
    }

    @Test("The scope of an entry replaced by a batch shows its last state")
    func successorInABatch() async throws {
        let scopes = desk.scopes(forEach: \.visits) { DeskAction.visit($0, $1) }
        let scope = try #require(scopes[1])
        let actions = scope.actions
        desk.send(contentsOf: [.visit(1, .add), .visit(1, .finish), .correct(7), .visit(1, .add)])
        // The last one is for the successor.
        #expect(try await actions.all().map(\.state) == [1, 1])
        #expect(scope.snapshot == 1 && scopes[1]?.snapshot == 8)
    }

    @Test(
        "A child whose batch changes and removes its entry keeps both of its states as they were together",
        arguments: [false, true]
    )
    func batchOfChild(isObserved: Bool) async throws {
        let children = children()
        let child = try #require(children[1])
        let values = child.values(of: \.self, buffering: .unbounded)
        let parents = child.values(of: \.parent, buffering: .unbounded)
        let actions = isObserved ? child.actions : nil
        child.send(contentsOf: [.add, .add, .finish])
        let late = child.values(of: \.parent, buffering: .unbounded)
        #expect(child.snapshot == ParentAndChild(parent: 2, local: 3))
        #expect(try await values.all() == [ParentAndChild(parent: 0, local: 0), ParentAndChild(parent: 2, local: 3)])
        #expect(try await parents.all() == [0, 2])
        #expect(try await late.all() == [2])
        withExtendedLifetime((children, actions)) {}
    }

    @Test("A child of an optional part keeps the part before the last action of a batch, with its own state")
    func batchOfChildOfPart() async throws {
        let login = desk.scopeIfLet(state: \.login) { DeskAction.login($0) }
        let part = try #require(login.store)
        let count = Reduce<Int, Step> { count, _ in
            count += 1
            return .none
        }
        let child = part.child(initialState: 0, reducer: count) { $0 }
        child.send(contentsOf: [.add, .add, .finish])
        #expect(child.snapshot == ParentAndChild(parent: 2, local: 3))
    }

    @Test("An interceptor that passes on several actions leaves a child with the entry of its own state")
    func severalActions() async throws {
        let children = children()
        let child = try #require(children[1])
        let interception = child.use(
            Interceptor("adding") { action, _, next in
                if action == .finish { try next(.add) }
                try next(action)
            }
        )
        try await child.dispatch(.finish)
        #expect(child.snapshot == ParentAndChild(parent: 1, local: 2))
        withExtendedLifetime((children, interception)) {}
    }

    @Test(
        "Removals of an optional part, and of the part around it, by a batch take effect in that turn",
        arguments: [false, true]
    )
    func endsWithin(isOptional: Bool) async throws {
        struct Part: Equatable, Sendable {
            var visits: TreeDictionary<Int, Int> = [1: 0]
            var login: Int? = 0
        }
        struct Hall: Sendable { var part: Part? = Part() }
        let hall = Store(initialState: Hall()) { (hall: inout Hall, step: Step) in
            switch step {
            case .add:
                hall.part?.visits[1] = nil
                hall.part?.login = nil
            case .finish: hall.part = nil
            }
        }
        let scope = hall.scopeIfLet(state: \.part) { (step: Step) in step }
        let part = try #require(scope.store)
        let count = Reduce<Int, Step> { count, _ in
            count += 1
            return .none
        }
        let child = part.child(initialState: 0, reducer: count) { $0 }
        let visits = part.children(forEach: \.visits, initialState: { _, _ in 0 }, reducer: count) { _, _ in
            nil as Step?
        }
        let login = part.scopeIfLet(state: \.login) { (step: Step) in step }
        let visit = try #require(visits[1])
        let (visitValues, loginValues) = (visit.values(of: \.self), try #require(login.store).values(of: \.self))
        child.send(contentsOf: [.add, .finish])
        #expect(visit.send(.add) == .refused(.shutDown))
        #expect(try await visitValues.all() == [ParentAndChild(parent: 0, local: 0)])
        #expect(try await loginValues.all() == [0])
        withExtendedLifetime((scope, child, visits, login)) {}
    }

    @Test(
        "An observer of every action is notified once of a removal, and not of a release"
    )
    func everyAction() async throws {
        for isRelease in [false, true] {
            var desk: Store<Desk, DeskAction>? = Store(initialState: Desk()) { (desk: inout Desk, _: DeskAction) in
                desk = Desk(visits: [:], login: nil)
            }
            var scopes = desk?.scopes(forEach: \.visits) { DeskAction.visit($0, $1) }
            var login = desk?.scopeIfLet(state: \.login) { DeskAction.login($0) }
            let told = Collector<String>()
            let observers = [
                scopes?[1]?.observe(.part(\.self, removeDuplicates: .everyAction)) { _ in told.append("visit") },
                login?.store?.observe(.part(\.self, removeDuplicates: .everyAction)) { _ in told.append("login") },
            ]
            #expect(told.elements == ["visit", "login"])
            if isRelease {
                (scopes, login) = (nil, nil)
                await desk?.shutdown(drain: .cancelEffects)
                desk = nil
                #expect(told.elements.count == 2)
            } else {
                try await desk?.dispatch(.correct(0))
                #expect(told.elements.dropFirst(2).sorted() == ["login", "visit"])
            }
            withExtendedLifetime((scopes, login, observers)) {}
        }
    }

    @Test("A child shows its entry's last state in a batch, and no intermediate one")
    func changedBack() async throws {
        let desk = Store(initialState: Desk()) { (desk: inout Desk, action: DeskAction) in
            switch action {
            case .visit(_, .add): desk.visits[1] = desk.visits[1] == 0 ? 1 : 0
            case .visit(_, .finish): desk.visits[1] = nil
            default: break
            }
        }
        let count = Reduce<Int, Step> { count, _ in
            count += 1
            return .none
        }
        let children = desk.children(forEach: \.visits, initialState: { _, _ in 0 }, reducer: count) {
            .visit($0, $1)
        }
        let child = try #require(children[1])
        let parents = child.values(of: \.parent, buffering: .unbounded)
        child.send(contentsOf: [.add, .add])
        child.send(.finish)
        #expect(child.snapshot == ParentAndChild(parent: 0, local: 3))
        #expect(try await parents.all() == [0])
        withExtendedLifetime(children) {}
    }

    @Test("The store of an entry removed and re-added by a batch delivers its final state")
    func cameAgain() async throws {
        func expect<Shown: Sendable>(
            _ stores: StoreChildren<Int, Shown, Step>,
            _ entry: KeyPath<Shown, Int> & Sendable
        ) async throws {
            desk.send(contentsOf: [.visit(1, .finish), .correct(7), .correct(0)])
            let store = try #require(stores[1])
            #expect(store.snapshot[keyPath: entry] == 0)
            let told = Collector<Int>()
            let observer = store.observe(entry) { told.append($0) }
            let values = store.values(of: entry, buffering: .unbounded)
            desk.send(.correct(1))
            desk.send(.correct(0))
            #expect(told.elements == [0, 1, 0])
            desk.send(contentsOf: [.visit(1, .finish), .correct(7), .correct(0)])
            #expect(told.elements == [0, 1, 0])
            #expect(store.snapshot[keyPath: entry] == 0)
            #expect(try await values.all() == [0, 1, 0])
            withExtendedLifetime(observer) {}
        }
        try await expect(children(), \.parent)
        try await expect(desk.scopes(forEach: \.visits) { .visit($0, $1) }, \.self)
    }

    @Test("The store of an entry removed and re-added by a batch keeps the entry's last state")
    func cameAgainAndWent() async throws {
        let scopes = desk.scopes(forEach: \.visits) { DeskAction.visit($0, $1) }
        desk.send(contentsOf: [.visit(1, .finish), .correct(7), .correct(0)])
        let scope = try #require(scopes[1])
        let values = scope.values(of: \.self, buffering: .unbounded)
        desk.send(.visit(1, .finish))
        #expect(scope.snapshot == 0)
        #expect(try await values.all() == [0])
    }

    @Test("Observers of a part of an entry get its last value, also if the entry is removed in the same turn")
    func partOfEntry() async throws {
        struct Room: Equatable, Sendable { var leaf: Int? = 0 }
        struct House: Sendable { var rooms: TreeDictionary<Int, Room> = [1: Room()] }
        enum RoomStep: Sendable { case bump, dropLeaf, dropRoom }
        let house = Store(initialState: House()) { (house: inout House, step: RoomStep) in
            switch step {
            case .bump: house.rooms[1]?.leaf? += 1
            case .dropLeaf: house.rooms[1]?.leaf = nil
            case .dropRoom: house.rooms[1] = nil
            }
        }
        let count = Reduce<Int, RoomStep> { count, _ in
            count += 1
            return .none
        }
        let rooms = house.children(forEach: \.rooms, initialState: { _, _ in 0 }, reducer: count) {
            (_: Int, step: RoomStep) in step
        }
        let room = try #require(rooms[1])
        let leaf = room.scopeIfLet(state: \.parent.leaf) { (step: RoomStep) in step }
        let child = try #require(leaf.store).child(initialState: 0, reducer: count) { $0 }
        let told = Collector<Int>()
        let observer = child.observe(\.parent) { told.append($0) }
        child.send(contentsOf: [.bump, .dropLeaf, .dropRoom])
        #expect(told.elements == [0, 1])
        #expect(child.snapshot == ParentAndChild(parent: 1, local: 3))
        withExtendedLifetime((rooms, leaf, observer)) {}
    }

    @Test("A batch sent to a child of a released optional scope retains nothing")
    func releasedScope() async throws {
        weak var root: Store<Desk, DeskAction>?
        let token = LockedValue<Token?>(Token {})
        weak let captured = token.withLock { $0 }
        do {
            let desk = Store(initialState: Desk()) {
                [token = token.withLock { $0 }] (desk: inout Desk, _: DeskAction) in
                withExtendedLifetime(token) { desk.login? += 1 }
            }
            root = desk
            var login: OptionalScope<Int, Step>? = desk.scopeIfLet(state: \.login) { DeskAction.login($0) }
            let count = Reduce<Int, Step> { count, _ in
                count += 1
                return .none
            }
            let child = try #require(login?.store).child(initialState: 0, reducer: count) { $0 }
            login = nil
            child.send(contentsOf: [.add, .add, .add])
            _ = await desk.state
        }
        token.withLock { $0 = nil }
        await until { captured == nil }
        #expect(root == nil)
    }

    /// A table whose reader is preempted in the middle.
    private struct SlowDesk: Sendable {
        var visits: TreeDictionary<Int, Int> = [1: 0]
        let pause: ReaderPause

        var slowVisits: TreeDictionary<Int, Int> {
            pause.point()
            return visits
        }
    }

    /// Blocks a reader once, until it is released.
    private final class ReaderPause: Sendable {
        private let isArmed = Atomic<Bool>(false)
        private let reached = DispatchSemaphore(value: 0)
        private let goOn = DispatchSemaphore(value: 0)

        func arm() { isArmed.store(true, ordering: .sequentiallyConsistent) }

        func point() {
            guard isArmed.exchange(false, ordering: .sequentiallyConsistent) else { return }
            reached.signal()
            goOn.wait()
        }

        func waitUntilReached() { reached.wait() }

        func release() { goOn.signal() }
    }

    @Test("A snapshot of a child is consistent, also if its entry changes and goes during the read")
    func snapshotOfOneMoment() async throws {
        let pause = ReaderPause()
        let desk = Store(initialState: SlowDesk(pause: pause)) { (desk: inout SlowDesk, action: DeskAction) in
            switch action {
            case .visit(let key, .add): desk.visits[key]? += 1
            case .visit(let key, .finish): desk.visits[key] = nil
            default: break
            }
        }
        let count = Reduce<Int, Step> { count, _ in
            count += 1
            return .none
        }
        let children = desk.children(forEach: \.slowVisits, initialState: { _, _ in 0 }, reducer: count) {
            .visit($0, $1)
        }
        let child = try #require(children[1])
        child.send(.add)
        pause.arm()
        let snapshot = Collector<ParentAndChild<Int, Int>>()
        let hasRead = Signal()
        onThread {
            snapshot.append(child.snapshot)
            hasRead.fire()
        }
        pause.waitUntilReached()
        child.send(.add)
        child.send(.finish)
        pause.release()
        await hasRead.wait()
        #expect(snapshot.elements == [ParentAndChild(parent: 1, local: 1)])
        withExtendedLifetime(children) {}
    }
}
