import ActorStore
import Testing

@testable import TestFixtures

@Suite("Lifetimes in a tree", .timeLimit(.minutes(10)))
struct TreeLifetimeTests {
    private final class Canary: Sendable {}

    private struct State: Sendable {
        var count = 0
        let canary: Canary
    }

    private func makeRoot(_ canary: Canary) -> Store<State, Int> {
        Store(initialState: State(canary: canary)) { (state: inout State, step: Int) in state.count += step }
    }

    @Test("A child does not keep its root alive: it ends with it and refuses actions, and its state stays readable")
    func rootFirst() async throws {
        var root: Store<State, Int>? = makeRoot(Canary())
        weak let observed = root
        let child = root!.child(initialState: 0, reducer: Reduce { (state: inout Int, step: Int) in state += step })
        let values = child.values(of: \.local, buffering: .unbounded)
        let parents = child.values(of: \.parent.count, buffering: .unbounded)
        try await child.dispatch(1)
        root = nil
        #expect(observed == nil)
        #expect(child.send(1) == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await child.dispatch(1) }
        #expect(child.snapshot.local == 1)
        #expect(try await values.all() == [0, 1])
        #expect(try await parents.all() == [0, 1])
    }

    @Test("A tree is freed in any order of releases")
    func noLeaks() async throws {
        weak var canary: Canary?
        weak var local: Canary?
        do {
            let (held, heldLocal) = (Canary(), Canary())
            (canary, local) = (held, heldLocal)
            var root: Store<State, Int>? = makeRoot(held)
            var child: Store<ParentAndChild<State, State>, Int>? = root!.child(
                initialState: State(canary: heldLocal),
                reducer: Reduce {
                    (state: inout State, step: Int) in state.count += step
                }
            )
            var grandchild: Store<ParentAndChild<ParentAndChild<State, State>, Int>, Int>? = child!.child(
                initialState: 0,
                reducer: Reduce {
                    (state: inout Int, step: Int) in state += step
                }
            )
            let token = grandchild!.observe(\.parent.local.count) { _ in }
            let whole = grandchild!.observe(\.parent.parent.count) { _ in }
            let values = grandchild!.scope { $0.local }.values(of: \.self)
            try await grandchild!.dispatch(1)
            child = nil
            try await grandchild!.dispatch(1)
            #expect(grandchild!.snapshot.parent.local.count == 2)
            root = nil
            grandchild = nil
            withExtendedLifetime((token, whole, values)) {}
        }
        // A background task releases the closure of the scope, with its captures.
        await until { canary == nil && local == nil }
    }

    @Test("A released child's state is freed, its sequences end, and the tree continues")
    func childFirst() async throws {
        let root = makeRoot(Canary())
        weak var local: Canary?
        var values: StoreSequence<Int>?
        var wholes: StoreSequence<Int>?
        var parents: StoreSequence<Int>?
        let told = Collector<Int>()
        var token: StoreObservation?
        do {
            let held = Canary()
            local = held
            let child = root.child(
                initialState: State(canary: held),
                reducer: Reduce { (state: inout State, step: Int) in
                    state.count += step
                }
            )
            values = child.values(of: \.local.count, buffering: .unbounded)
            wholes = child.scope { $0.local.count + $0.parent.count }.values(of: \.self, buffering: .unbounded)
            parents = child.values(of: \.parent.count, buffering: .unbounded)
            token = child.observe(\.parent.count) { told.append($0) }
            try await child.dispatch(1)
        }
        #expect(try await values?.all() == [0, 1])
        #expect(try await parents?.all() == [0, 1])
        #expect(try await wholes?.all() == [0, 2])
        // A background task releases the closure of the scope, with its captures.
        await until { local == nil }
        #expect(try await parents?.all() == [])
        try await root.dispatch(1)
        #expect(root.snapshot.count == 2)
        #expect(told.elements == [0, 1])
        withExtendedLifetime(token) {}
        #expect(await root.observerRecords.isEmpty)
    }

    @Test("Actions accepted by a child before its release are reduced")
    func accepted() async throws {
        let root = makeRoot(Canary())
        let hold = Hold()
        let token = root.observe(\.count) { count in
            if count == 1 { hold.enter() }
        }
        onThread { root.send(1) }
        await hold.waitUntilEntered()
        do {
            let child = root.child(initialState: 0, reducer: Reduce { (state: inout Int, step: Int) in state += step })
            for _ in 0..<10 { #expect(child.send(1) == .accepted) }
        }
        hold.release()
        #expect(await root.read(\.count) == 11)
        withExtendedLifetime(token) {}
    }

    @Test("The effects of a released child are cancelled, and awaited at the tree's shutdown")
    func effects() async throws {
        let root = makeRoot(Canary())
        let (begun, ended) = (Signal(), Signal())
        do {
            let reducer = Reduce<Int, Int> { _, _ in
                .run { _ in
                    begun.fire()
                    await withTaskCancellationHandler {
                        await ended.wait()
                    } onCancel: {
                        ended.fire()
                    }
                }
            }
            let child = root.child(initialState: 0, reducer: reducer)
            try await child.dispatch(1)
            await begun.wait()
            #expect(root.statistics.runningEffects == 1)
        }
        await root.shutdown(drain: .finishEffects)
        #expect(root.statistics.runningEffects == 0)
    }

    @Test("Children of a busy store can be created and released in one of its turns")
    func inATurn() async throws {
        let root = makeRoot(Canary())
        let made = Collector<Int>()
        let token = root.observe(\.count) { [weak root] count in
            guard let root else { return }
            let child = root.child(
                initialState: count,
                reducer: Reduce { (state: inout Int, step: Int) in state += step }
            )
            made.append(child.snapshot.local)
        }
        for _ in 0..<3 { try await root.dispatch(1) }
        #expect(made.elements == [0, 1, 2, 3])
        withExtendedLifetime(token) {}
    }
}
