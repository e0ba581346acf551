import ActorStore
import Testing
import TreeCollections

@Suite("What the stores of entries and of optional parts show in the end", .timeLimit(.minutes(10)))
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
    ) -> StoreChildren<Int, Joined<Int, Int>, Step> {
        let reducer = Reduce<Int, Step> { count, _ in
            count += 1
            return .none
        }
        return desk.children(forEach: \.visits, initialState: { _, _ in initialState() }, reducer: reducer) {
            .visit($0, $1)
        }
    }

    @Test("What was accepted before they are released reaches them; children refuse what comes afterwards")
    func acceptedBeforeRelease() async throws {
        var children: StoreChildren<Int, Joined<Int, Int>, Step>? = children()
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
        #expect(child.snapshot == Joined(parent: 2, local: 1))
        #expect(scope.snapshot == 2 && part.snapshot == 1)
        #expect(try await childValues.all().last == Joined(parent: 2, local: 1))
        #expect(try await scopeValues.all() == [0, 1, 2])
        #expect(try await partValues.all() == [0, 1])
        #expect(desk.statistics.lateActions == 0)
    }

    @Test("A table of children that is released before its turn has come makes none")
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

    @Test("The action that takes an entry or a part away comes with what that was before", arguments: [false, true])
    func lastAction(isBatch: Bool) async throws {
        func finish(_ store: Store<some Sendable, Step>) {
            let steps = [Step.add, .add, .finish]
            if isBatch { store.send(contentsOf: steps) } else { for step in steps { store.send(step) } }
        }
        let login = desk.scopeIfLet(state: \.login) { DeskAction.login($0) }
        let part = try #require(login.store)
        let (partActions, partTransitions) = (part.actions, part.transitions)
        finish(part)
        #expect(try await partActions.all().map(\.state) == [1, 2, 2])
        #expect(try await partTransitions.all().map { [$0.old, $0.new] } == [[0, 1], [1, 2], [2, 2]])
        #expect(part.snapshot == 2)

        let scopes = desk.scopes(forEach: \.visits) { DeskAction.visit($0, $1) }
        let scope = try #require(scopes[1])
        let (actions, transitions) = (scope.actions, scope.scope { $0 * 10 }.transitions)
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

    @Test("Of a batch, the action that takes an entry away comes with what others of the batch have made of that")
    func lastActionOfBatch() async throws {
        let scopes = desk.scopes(forEach: \.visits) { DeskAction.visit($0, $1) }
        let scope = try #require(scopes[1])
        let actions = scope.actions
        desk.send(contentsOf: [.visit(1, .add), .correct(7), .visit(1, .finish)])
        #expect(try await actions.all().map(\.state) == [1, 7])
        #expect(scope.snapshot == 7)
    }
}
