import ActorStore
import Testing

@testable import TestFixtures

@Suite("Interceptors", .timeLimit(.minutes(10)))
struct InterceptorTests {
    typealias Guardian = Interceptor<Ledger.State, Ledger.Action>

    func passing(_ name: String, _ events: Collector<String>) -> Guardian {
        Guardian(name) { action, _, next in
            events.append("\(name) before")
            try next(action)
            events.append("\(name) after")
        }
    }

    @Test("Interceptors run in the order of the array, each around the later ones")
    func order() async throws {
        let events = Collector<String>()
        let store = Ledger.store(interceptors: [passing("a", events), passing("b", events)])
        try await store.dispatch(.add(1))
        #expect(events.elements == ["a before", "b before", "b after", "a after"])
    }

    @Test("An interceptor can pass on another action, or several")
    func replacing() async throws {
        let doubling = Guardian("doubling") { action, _, next in
            guard case .add(let amount) = action else { return try next(action) }
            try next(.add(amount))
            try next(.write("added \(amount)"))
        }
        let store = Ledger.store(interceptors: [doubling])
        let actions = store.actions
        try await store.dispatch(.add(2))
        #expect(store.snapshot.total == 2 && store.snapshot.note == "added 2")
        #expect(store.revision == 2)
        #expect(try await actions.first(2).map(\.state.note) == ["", "added 2"])
    }

    @Test("An outer interceptor sees that an inner one swallowed the action, and can accept it")
    func nestedRejection() async throws {
        struct Seen: Error {}
        let seen = Collector<String>()
        let outer = Guardian("outer") { action, _, next in
            do {
                try next(action)
            } catch {
                seen.append("\(error)")
                throw error
            }
        }
        let inner = Guardian("inner") { _, _, _ in }
        let store = Ledger.store(interceptors: [outer, inner])
        await #expect(throws: StoreError.rejected(by: "inner")) { try await store.dispatch(.add(1)) }
        #expect(seen.elements == [StoreError.rejected(by: "inner").description])
    }

    @Test("An interceptor that throws a StoreError makes dispatch throw it")
    func storeErrors() async throws {
        let busy = Guardian("busy") { _, _, _ in throw StoreError.overloaded }
        let store = Ledger.store(interceptors: [busy])
        await #expect(throws: StoreError.overloaded) { try await store.dispatch(.add(1)) }
    }

    @Test("An error thrown by an interceptor after the reduction does not undo it, and reaches store.errors")
    func throwingAfterwards() async throws {
        struct Late: Error {}
        let late = Guardian("late") { action, _, next in
            try next(action)
            throw Late()
        }
        let store = Ledger.store(interceptors: [late])
        try await store.dispatch(.add(1))
        #expect(store.snapshot.total == 1)
        #expect(try await store.errors.first(1).first?.error is Late)
    }

    @Test("An interceptor sees the states before and after, also within a batch, where no other code sees them")
    func statesInABatch() async throws {
        let seen = Collector<[Int]>()
        let outside = Collector<Int>()
        let hold = Hold()
        let looking = Guardian("looking") { action, context, next in
            let before = context.state.total
            try next(action)
            seen.append([before, context.state.total])
            if context.state.total == 2 { hold.enter() }
        }
        let store = Ledger.store(interceptors: [looking])
        onThread { store.send(contentsOf: [.add(1), .add(1), .add(1)]) }
        await hold.waitUntilEntered()
        let done = Signal()
        onThread {
            outside.append(store.snapshot.total)
            done.fire()
        }
        hold.release()
        await done.wait()
        #expect(seen.elements == [[0, 1], [1, 2], [2, 3]])
        #expect(outside.elements == [3])
    }
}
