import ActorStore
import Testing

@testable import TestFixtures

@Suite("Effects in a tree", .timeLimit(.minutes(10)))
struct TreeEffectTests {
    private enum Action: Sendable {
        case begin
        case loaded(Int)
        case fail
    }

    private struct Oops: Error {}

    private func reducer(_ value: Int) -> Reduce<[Int], Action> {
        Reduce { state, action in
            switch action {
            case .begin:
                return .run { send in send(.loaded(value)) }
            case .loaded(let number):
                state.append(number)
                return .none
            case .fail:
                return .run { _ in throw Oops() }
            }
        }
    }

    @Test("Effects of all stores that reduce an action are awaited together, and each sends to its own store")
    func together() async throws {
        let root = Store(initialState: [Int](), reducer: reducer(1))
        let child = root.child(initialState: [Int](), reducer: reducer(2))
        let task = try await child.dispatch(.begin)
        try await task.finish()
        #expect(task.isFinished)
        // The action of the root's effect does not go down; that of the child's goes up.
        #expect(child.snapshot.local == [2])
        #expect(root.snapshot.sorted() == [1, 2])
    }

    @Test("An action that a child's effect sends at once is reduced by the child first, after pending ones")
    func sendEffect() async throws {
        let root = Store(initialState: [Int]()) { (state: inout [Int], action: Int) in state.append(action) }
        let relay = Reduce<[Int], Int> { state, action in
            state.append(action)
            return action < 3 ? .send(action + 1) : .none
        }
        let child = root.child(initialState: [Int](), reducer: relay)
        child.send(1)
        #expect(await child.state == ParentAndChild(parent: [1, 2, 3], local: [1, 2, 3]))
        #expect(root.revision == 3)
    }

    @Test("An error of a child's effect reaches the errors of the tree")
    func errors() async throws {
        let root = Store(initialState: [Int](), reducer: Reduce<[Int], Action> { _, _ in .none })
        let child = root.child(initialState: [Int](), reducer: reducer(2))
        let errors = root.errors
        let task = try await child.dispatch(.fail)
        await #expect(throws: Oops.self) { try await task.finish() }
        #expect(try await errors.first(1).first?.error is Oops)
    }

    @Test("Effects of a dispatch to a child inherit the dispatcher's task-locals")
    func taskLocals() async throws {
        let root = Store(initialState: [Int](), reducer: Reduce<[Int], Int> { _, _ in .none })
        let seen = Collector<String>()
        let reducer = Reduce<Int, Int> { _, _ in .run { _ in seen.append(Trace.name) } }
        let child = root.child(initialState: 0, reducer: reducer)
        try await Trace.$name.withValue("here") { try await child.dispatch(1).finish() }
        #expect(seen.elements == ["here"])
    }

    private enum Trace {
        @TaskLocal static var name = "nowhere"
    }
}
