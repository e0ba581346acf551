import ActorStoreComposition
import ActorStoreInstruments
import Testing

@testable import ActorStore
@testable import TestFixtures

/// The optional parts of a turn exist while they are needed, and no longer: then an action takes the fast path again.
@Suite("Optional parts of a turn", .timeLimit(.minutes(10)))
struct TurnExtrasTests {
    private struct State: Equatable, Sendable {
        var count = 0
        var part = Part()
        struct Part: Equatable, Sendable { var number = 0 }
    }

    private let store = Store(initialState: State()) { (state: inout State, step: Int) in state.count += step }

    private func extras() async -> TurnExtras { await store.root.perform { [root = store.root] in root.extras } }

    @Test("A new store takes the fast path")
    func new() async {
        #expect(await extras() == [])
    }

    @Test("Observers of the state leave nothing behind")
    func observers() async {
        let one = store.observe(\.count) { _ in }
        let other = store.observe(\.part) { _ in }
        #expect(await extras() == [.observers])
        one.cancel()
        #expect(await extras() == [.observers])
        other.cancel()
        #expect(await extras() == [])
    }

    @Test("Observers of a scope that is computed leave nothing behind")
    func derivedStates() async {
        let scope = store.scope { $0.count % 2 }
        let observation = scope.observe(\.self) { _ in }
        #expect(await extras() == [.derivedStates])
        observation.cancel()
        #expect(await extras() == [])
    }

    @Test("Observers of actions leave nothing behind")
    func actionObservers() async {
        let task = Task { [actions = store.actions] in for await _ in actions {} }
        await until { await extras() == [.actionObservers] }
        task.cancel()
        await task.value
        await until { await extras() == [] }
    }

    @Test("Interceptors of either kind leave nothing behind")
    func interceptors() async {
        let one = store.use(Interceptor("one") { action, _, next in try next(action) })
        let other = store.use(Interceptor("other") { action, _, next in try next(action) })
        let asynchronous = store.use(AsyncInterceptor("asynchronous") { action, _ in action })
        #expect(await extras() == [.interceptors, .asyncInterceptors])
        one.remove()
        asynchronous.remove()
        #expect(await extras() == [.interceptors])
        other.remove()
        #expect(await extras() == [])
    }

    @Test("Attached reducers leave nothing behind")
    func attachedReducers() async {
        store.attach(reducer: Reduce<State, Int> { _, _ in .none }, forKey: "attached")
        #expect(await extras() == [.attachedReducers])
        store.detach(reducerForKey: "attached")
        #expect(await extras() == [])
    }

    @Test("Instruments leave nothing behind")
    func instruments() async {
        let use = store.use(CountingInstrument())
        #expect(await extras() == [.instruments])
        use.remove()
        #expect(await extras() == [])
    }

    @Test("A child counts as observed while its state or its actions are")
    func observedChild() async {
        let child = store.child(initialState: 0, reducer: Reduce<Int, Int> { _, _ in .none })
        let root = store.root
        func observedNodes() async -> Int { await root.perform { root.observedNodes } }
        #expect(await observedNodes() == 0)
        let observation = child.observe(\.local) { _ in }
        #expect(await observedNodes() == 1)
        let task = Task { [actions = child.actions] in for await _ in actions {} }
        await until { await root.perform { child.node.extras.contains(.actionObservers) } }
        observation.cancel()
        #expect(await observedNodes() == 1)
        task.cancel()
        await task.value
        await until { await observedNodes() == 0 }
        #expect(await root.perform { child.node.extras } == [])
    }

    @Test("A store that has been shut down stays on the slow path")
    func closed() async {
        await store.shutdown(drain: .finishEffects)
        #expect(await extras() == [.closed, .effectCancellation])
    }
}
