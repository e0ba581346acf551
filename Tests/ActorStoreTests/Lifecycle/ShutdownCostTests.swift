import ActorStore
import Testing

@testable import TestFixtures

/// The cost of shutdowns by effects: proportional to what they end, without a cost for each other waiting effect.
@Suite("The cost of shutdowns by effects", .timeLimit(.minutes(10)))
struct ShutdownCostTests {
    private typealias Work = @Sendable () async -> Void
    private typealias Root = Store<Int, Work>
    private typealias Child = Store<ParentAndChild<Int, Int>, Work>

    /// Runs the operations that its actions are, in effects.
    private struct Working: Reducer {
        func reduce(into state: inout Int, action: @escaping Work) -> Effect<Work> { .run { _ in await action() } }
    }

    private func makeRoot() -> Root { Store(initialState: 0, reducer: Working()) }

    private func makeChildren(_ count: Int, of root: Root) -> [Child] {
        (0..<count).map { _ in root.child(initialState: 0, reducer: Working(), action: { _ in nil }) }
    }

    private func ends(of children: [Child]) async throws { for child in children { try await child.run() } }

    @Test(
        "Ending 8,000 children by their own effects, after other effects, takes at most 16 times as long as 1,000",
        arguments: [false, true]
    )
    func ownChildren(haveWaited: Bool) async throws {
        try await expectLinear { count in
            let root = makeRoot()
            let children = makeChildren(count, of: root)
            let (gate, atGate) = (Latch(), Collector<Void>())
            for child in children {
                child.send({
                    // An effect that no longer waits for others is like any other.
                    if haveWaited { try? await root.perform({}) }
                    atGate.append(())
                    await gate.wait()
                })
            }
            await until { atGate.elements.count == count }
            return {
                for child in children { child.send({ await child.shutdown(drain: .finishEffects) }) }
                _ = await root.state
                gate.open()
                try await ends(of: children)
            }
        }
    }

    @Test("Ending 8,000 children by effects of their root takes at most 16 times as long as 1,000")
    func childrenOfCaller() async throws {
        try await expectLinear { count in
            let root = makeRoot()
            let children = makeChildren(count, of: root)
            let gate = Latch()
            for child in children { child.send({ await gate.wait() }) }
            return {
                for child in children { root.send({ await child.shutdown(drain: .finishEffects) }) }
                _ = await root.state
                gate.open()
                try await ends(of: children)
            }
        }
    }

    @Test("8,000 effects take at most 16 times as long as 1,000 while an effect waits for the end of another store")
    func otherEffects() async throws {
        try await expectLinear { count in
            let root = makeRoot()
            let gate = Latch()
            let lasting = makeChildren(1, of: root)[0]
            lasting.send({ await gate.wait() })
            root.send({ await lasting.shutdown(drain: .finishEffects) })
            let children = makeChildren(count, of: root)
            return {
                for child in children { try await child.perform({}) }
                gate.open()
                try await lasting.run()
                withExtendedLifetime(root) {}
            }
        }
    }

    @Test("8,000 effects take at most 16 times as long as 1,000 to end while an effect waits for all of them")
    func ownEffects() async throws {
        try await expectLinear { count in
            let root = makeRoot()
            let gate = Latch()
            let children = makeChildren(count, of: root)
            for child in children { child.send({ await gate.wait() }) }
            return {
                root.send({ await root.shutdown(drain: .finishEffects) })
                _ = await root.state
                gate.open()
                try await root.run()
            }
        }
    }

    @Test("8,000 tasks that shut one store down take at most 16 times as long as 1,000")
    func tasks() async throws {
        try await expectLinear { count in
            let root = makeRoot()
            let gate = Latch()
            root.send({ await gate.wait() })
            return {
                await withTaskGroup { group in
                    for _ in 0..<count { group.addTask { await root.shutdown(drain: .finishEffects) } }
                    gate.open()
                }
            }
        }
    }

    @Test(
        "8,000 queued effects that wait for their store's shutdown by an effect take at most 16 times as long as 1,000"
    )
    func waitingEffects() async throws {
        try await expectLinear { count in
            let gate = Latch()
            let caller = Collector<StoreTask>()
            let store = Store(
                initialState: 0,
                reducer: Reduce<Int, Work> { number, work in
                    number += 1
                    return .run(id: number, policy: .serial) { _ in await work() }
                }
            )
            caller.append(
                try await store.dispatch {
                    await gate.wait()
                    await store.shutdown(drain: .finishEffects)
                }
            )
            for _ in 0..<count { store.send({ try? await caller.elements[0].finish() }) }
            _ = await store.state
            return {
                gate.open()
                try await store.run()
            }
        }
    }
}
