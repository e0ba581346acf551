import Testing

@testable import ActorStore

/// What a child leaves behind that goes while its effects run.
@Suite("Children that go in the middle of their effects", .timeLimit(.minutes(10)))
struct ChildEffectEndTests {
    enum Action: Sendable { case start(Int) }

    /// Effects of which parts run until they are cancelled, and parts have not begun.
    static let effects: [Effect<Action>] = [
        .concatenate(hanging, .run { _ in }),
        .concatenate(hanging, .send(.start(-1)), .run { _ in }).cancellable(id: "group"),
        .merge(.run { _ in }, .concatenate(.run { _ in }, hanging, .run { _ in })).cancellable(id: "group"),
        .concatenate(hanging, .merge(.run { _ in }, .run { _ in }).cancellable(id: "later")),
    ]

    static let hanging = Effect<Action>.run { _ in try await Task.sleep(for: .seconds(100_000)) }

    @Test("The tree lets go of it when what runs has ended, and can be shut down", arguments: effects.indices)
    func release(index: Int) async throws {
        let root = Store<Int, Action>(initialState: 0) { _, _ in }
        var child: Store<Joined<Int, Int>, Action>? = root.child(
            initialState: 0,
            reducer: Reduce { _, action in
                guard case .start(let index) = action, index >= 0 else { return .none }
                return Self.effects[index]
            }
        )
        let task = try await child?.dispatch(.start(index))
        child = nil
        _ = try? await task?.finish()
        while root.statistics.runningEffects > 0 { await Task.yield() }
        await root.settle()
        #expect(await root.root.perform { root.root.nodes.isEmpty })
        await root.shutdown(drain: .finishEffects)
    }
}
