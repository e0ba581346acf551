import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import Testing

@testable import TestFixtures

@Suite("Dependencies of children and attached reducers", .timeLimit(.minutes(10)))
struct ChildDependencyTests {
    typealias Action = Noting.Action
    typealias Child = Store<ParentAndChild<[Int], [Int]>, Action>

    struct Hall: Equatable, Sendable {
        var rooms = [0: 0]
    }

    /// Creates its body at the first action.
    struct Composed: Reducer {
        var body: some Reducer<[Int], Action> { Noting() }
    }

    private func makeRoot(_ number: Int?) -> Store<[Int], Action> {
        withDependencies {
            if let number { $0.number = number }
        } operation: {
            Store(initialState: [], reducer: Noting())
        }
    }

    private func makeChild(of root: Store<[Int], Action>, _ number: Int) -> Child {
        withDependencies {
            $0.number = number
        } operation: {
            root.child(initialState: [], reducer: Composed()) { _ in nil }
        }
    }

    @Test(
        "The children of a table have the dependencies of the table's creation, whatever adds their entries",
        arguments: [nil, 3]
    )
    func childrenOfATable(number: Int?) async throws {
        let hall = Store(initialState: Hall()) { (hall: inout Hall, key: Int) in hall.rooms[key] = key }
        let rooms = withDependencies {
            if let number { $0.number = number }
        } operation: {
            hall.children(forEach: \.rooms, initialState: { _, _ in [Int]() }, reducer: Composed()) { _, _ in nil }
        }
        hall.send(1)
        withDependencies {
            $0.number = 9
        } operation: {
            _ = hall.send(2)
        }
        for key in 0...2 {
            let room = try #require(rooms[key])
            try await room.dispatch(.note)
            try await room.dispatch(.noteInAnEffect).finish()
            #expect(await room.state.local == [number ?? 1, number ?? 1], "The entry \(key).")
        }
    }

    @Test("Dependencies in force in a store's loading do not reach reducers of other stores that it sends to")
    func loading() async throws {
        let other = Store(initialState: [Int](), reducer: Composed())
        let store = withDependencies {
            $0.number = 3
        } operation: {
            Store(
                initialState: 0,
                loading: {
                    other.send(.note)
                    return 1
                },
                reducer: EmptyReducer<Int, Int>()
            )
        }
        try await store.ready()
        await Task.detached { _ = other.send(.note) }.value
        #expect(await other.state.last == 1)
    }

    @Test("The initial states of a table's children are created with the dependencies that the children keep")
    func initialStates() async throws {
        let hall = withDependencies {
            $0.number = 3
        } operation: {
            Store(initialState: Hall()) { (hall: inout Hall, key: Int) in hall.rooms[key] = key }
        }
        let makeState: @Sendable (Int, Int) -> [Int] = { _, _ in
            @Dependency(\.number) var number
            return [number]
        }
        let rooms = hall.children(forEach: \.rooms, initialState: makeState, reducer: Noting()) { _, _ in nil }
        withDependencies {
            $0.number = 9
        } operation: {
            _ = hall.send(1)
        }
        for key in 0...1 { #expect(await rooms[key]?.state.local == [3], "The entry \(key).") }
    }

    @Test("Stores below a child, and its side effects, have the dependencies that it keeps", arguments: [nil, 2])
    func belowAChild(numberOfTheRoot: Int?) async throws {
        let root = makeRoot(numberOfTheRoot)
        let child = makeChild(of: root, 3)
        let grandchild = child.child(initialState: [], reducer: Noting()) { _ in nil }
        let sibling = root.child(initialState: [], reducer: Noting()) { _ in nil }
        let part = child.scope(state: \.local) { $0 }
        let rooms = child.children(
            forEach: \.local,
            initialState: { _, _ in [Int]() },
            reducer: Noting(),
            action: { _, _ in nil }
        )
        try await withDependencies {
            $0.number = 9
        } operation: {
            for store in [child, sibling] { try await store.dispatch(.note) }
            try await grandchild.dispatch(.note)
            try await grandchild.dispatch(.noteInAnEffect).finish()
            let room = try #require(rooms[0])
            try await room.dispatch(.note)
            #expect(try await child.dispatch(Work { $0.dependencies.number }) == 3)
            #expect(try await part.dispatch(Work { $0.dependencies.number }) == 3)
            #expect(try await grandchild.dispatch(Work { $0.dependencies.number }) == 3)
            #expect(await room.state.local == [3])
            // Code of others has the dependencies of before.
            #expect(try await root.dispatch(Work { $0.dependencies.number }) == numberOfTheRoot ?? 9)
        }
        #expect(await child.state.local == [3])
        #expect(await grandchild.state.local == [3, 3])
        if let numberOfTheRoot { #expect(await sibling.state.local == [numberOfTheRoot]) }
    }

    @Test("State-driven effects of a child have the dependencies that it keeps", arguments: [nil, 2])
    func drivenEffects(numberOfTheRoot: Int?) async throws {
        let root = makeRoot(numberOfTheRoot)
        let child = makeChild(of: root, 3)
        let (asked, found, end) = (Collector<Int>(), Collector<Int>(), Signal())
        child.effect(onChange: \.local) { _, _ in
            @Dependency(\.number) var number
            asked.append(number)
            return .run { context in
                found.append(context.dependencies.number)
                end.fire()
            }
        }
        try await withDependencies {
            $0.number = 9
        } operation: {
            try await child.dispatch(.note)
        }
        await end.wait()
        #expect(asked.elements == [3])
        #expect(found.elements == [3])
        withExtendedLifetime(root) {}
    }

    @Test("Attached reducers and their effects have the dependencies of their store or child")
    func attachedReducers() async throws {
        let root = withDependencies {
            $0.number = 2
        } operation: {
            Store(initialState: [Int](), reducer: EmptyReducer<[Int], Action>())
        }
        let child = withDependencies {
            $0.number = 3
        } operation: {
            root.child(initialState: [Int](), reducer: EmptyReducer<[Int], Action>()) { _ in nil }
        }
        root.attach(reducer: Noting(), forKey: "noting")
        child.attach(reducer: Noting(), local: \.self, forKey: "noting")
        try await withDependencies {
            $0.number = 9
        } operation: {
            for action in [Action.note, .noteInAnEffect] {
                try await root.dispatch(action).finish()
                try await child.dispatch(action).finish()
            }
        }
        #expect(await root.state == [2, 2])
        #expect(await child.state.local == [3, 3])
    }
}
