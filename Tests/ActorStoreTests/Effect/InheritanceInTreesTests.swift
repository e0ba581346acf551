import ActorStore
import Testing

@testable import TestFixtures

@Suite("Inheritance of effects in trees", .timeLimit(.minutes(10)))
struct InheritanceInTreesTests {
    enum Context { @TaskLocal static var request = "none" }

    /// At each level an effect records its inherited context.
    private struct Level: Reducer {
        let name: String
        let seen: Collector<String>

        func reduce(into state: inout Int, action: Int) -> Effect<Int> {
            state += action
            return .run { [name, seen] _ in
                seen.append("\(name) \(Context.request) \(Task.basePriority == .low)")
            }
        }
    }

    private func makeTree(_ seen: Collector<String>) -> (Store<Int, Int>, Store<ParentAndChild<Int, Int>, Int>) {
        let root = Store(initialState: 0, reducer: Level(name: "root", seen: seen))
        return (root, root.child(initialState: 0, reducer: Level(name: "child", seen: seen)))
    }

    @Test("An action dispatched to a child passes its task-locals and priority to the effects of all levels")
    func dispatched() async throws {
        let seen = Collector<String>()
        let (root, child) = makeTree(seen)
        try await Context.$request.withValue("request 1") {
            try await Task(priority: .low) { try await child.dispatch(1).finish() }.value
        }
        #expect(seen.elements.sorted() == ["child request 1 true", "root request 1 true"])
        #expect(root.snapshot == 1)
    }

    @Test("An action dispatched to a busy tree passes on its context, also when it is reduced in another caller's turn")
    func dispatchedToABusyTree() async throws {
        let seen = Collector<String>()
        let (root, child) = makeTree(seen)
        let hold = Hold()
        let token = root.observe(\.self) { count in
            if count == 100 { hold.enter() }
        }
        onThread { root.send(100) }
        await hold.waitUntilEntered()
        let dispatcher = Context.$request.withValue("request 2") {
            Task(priority: .low) { try await child.dispatch(1).finish() }
        }
        await until { root.statistics.waitingActions > 0 }
        hold.release()
        try await dispatcher.value
        await root.shutdown(drain: .finishEffects)
        #expect(seen.elements.sorted() == ["child request 2 true", "root none false", "root request 2 true"])
        withExtendedLifetime(token) {}
    }

    @Test("An action sent to a child passes no context to effects, whatever its sender")
    func sent() async throws {
        let seen = Collector<String>()
        let (root, child) = makeTree(seen)
        await Context.$request.withValue("request 3") {
            await Task(priority: .low) { _ = child.send(1) }.value
        }
        await root.shutdown(drain: .finishEffects)
        #expect(seen.elements.sorted() == ["child none false", "root none false"])
    }

    @Test("An effect requested by another effect's action inherits nothing from that effect")
    func feedback() async throws {
        let store = Ledger.store()
        let seen = Collector<String>()
        try await Context.$request.withValue("request 4") {
            let task = try await store.dispatch(
                .start(.run { send in send(.start(.run { _ in seen.append(Context.request) })) })
            )
            try await task.finish()
        }
        await store.shutdown(drain: .finishEffects)
        #expect(seen.elements == ["none"])
    }

    @Test("Effects bound to an owner are cancelled with its release, and no others")
    func owners() async throws {
        let store = Ledger.store()
        let began = Signal()
        let effect = Effect<Ledger.Action>.run { _ in
            began.fire()
            await untilCancelled()
        }
        var owner: EffectOwnership? = try await store.dispatch(.start(effect)).owned()
        let task = try #require(owner).task
        let goOn = Signal()
        let other = try await store.dispatch(.start(.run { _ in await goOn.wait() }))
        await began.wait()
        #expect(!task.isFinished)
        owner = nil
        try await task.finish()
        #expect(owner == nil && !other.isFinished)
        goOn.fire()
        try await other.finish()
    }
}
