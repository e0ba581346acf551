import ActorStore
import Testing

@testable import TestFixtures

@Suite("Guarantee 7: order within a turn", .timeLimit(.minutes(10)))
struct OrderWithinATurnTests {
    @Test("A turn runs interceptors, reducer, state observers, action observers and effects in this order")
    func orderOfATurn() async throws {
        let events = Collector<String>()
        let interceptor = Interceptor<Int, String>("recorder") { action, context, next in
            events.append("before \(action) \(context.state)")
            try next(action)
            events.append("after \(action) \(context.state)")
        }
        let reducer = Reduce<Int, String> { state, action in
            events.append("reduce \(action)")
            state += 1
            return action == "effect" ? .run { _ in events.append("effect") } : .none
        }
        let store = Store(initialState: 0, reducer: reducer, interceptors: [interceptor])
        let token = store.observe(\.self) { events.append("state \($0)") }
        let actions = store.actions
        try await store.dispatch("effect").finish()
        for await (action, state) in actions {
            events.append("action \(action) \(state)")
            break
        }
        // The observer of actions runs in this task, after the turn; the others ran in the turn.
        #expect(
            events.elements == [
                "state 0", "before effect 0", "reduce effect", "after effect 1", "state 1", "effect", "action effect 1",
            ]
        )
        token.cancel()
    }

    @Test("Actions sent by interceptors and observers are queued behind pending ones, never nested")
    func reentrantSendsAreQueued() async throws {
        let events = Collector<String>()
        let interceptor = Interceptor<[String], String>("echo") { action, context, next in
            if action == "first" { context.send("from the interceptor") }
            try next(action)
        }
        let reducer = Reduce<[String], String> { state, action in
            events.append("begin \(action)")
            state.append(action)
            defer { events.append("end \(action)") }
            return action == "first" ? .send("from the effect") : .none
        }
        let store = Store(initialState: [], reducer: reducer, interceptors: [interceptor])
        let token = store.observe(\.self) { [weak store] state in
            if state.last == "first" { store?.send("from the observer") }
        }
        try await store.dispatch("first")
        let expected = ["first", "from the interceptor", "from the observer", "from the effect"]
        #expect(await store.state == expected)
        #expect(events.elements == expected.flatMap { ["begin \($0)", "end \($0)"] })
        token.cancel()
    }

    @Test("Actions sent by a reducer are queued behind its action")
    func sendsOfReducersAreQueued() async throws {
        final class Holder: Sendable {
            nonisolated(unsafe) weak var store: Store<[Int], Int>?  // Written once, before the first action.
        }
        let holder = Holder()
        let store = Store(initialState: []) { (state: inout [Int], action: Int) in
            if action < 5 { holder.store?.send(action + 1) }
            state.append(action)
        }
        holder.store = store
        try await store.dispatch(0)
        #expect(await store.state == [0, 1, 2, 3, 4, 5])
    }

    @Test("An observer's read of the snapshot returns the state that it was notified of")
    func observersCanRead() async throws {
        let store = Ledger.store()
        let seen = Collector<Bool>()
        let token = store.observe(\.total) { [weak store] total in
            seen.append(store?.snapshot.total == total)
        }
        for _ in 0..<10 { try await store.dispatch(.add(1)) }
        #expect(seen.elements == Array(repeating: true, count: 11))
        token.cancel()
    }
}
