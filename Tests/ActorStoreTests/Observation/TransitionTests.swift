import ActorStore
import Testing

@testable import TestFixtures

@Suite("Transitions: actions with the states before and after", .timeLimit(.minutes(10)))
struct TransitionTests {
    private struct Told: Equatable {
        var action: String
        var old: Int
        var new: Int
    }

    private func told<Action>(_ transition: StateTransition<Ledger.State, Action>) -> Told {
        Told(action: "\(transition.action)", old: transition.old.total, new: transition.new.total)
    }

    @Test("Each action has the states before and after it, also within a batch, and the revision")
    func transitions() async throws {
        let store = Ledger.store()
        try await store.dispatch(.add(1))
        let transitions = store.transitions()
        try await store.dispatch(.add(2))
        store.send(.write("a note"))
        store.send(contentsOf: [.add(3), .add(4)])
        await store.shutdown(drain: .finishEffects)
        let all = try await transitions.all()
        #expect(
            all.map(told) == [
                Told(action: "add(2)", old: 1, new: 3), Told(action: "write(\"a note\")", old: 3, new: 3),
                Told(action: "add(3)", old: 3, new: 6), Told(action: "add(4)", old: 6, new: 10),
            ]
        )
        #expect(all.map(\.revision) == [2, 3, 5, 5])
        #expect(all[1].old.note.isEmpty && all[1].new.note == "a note")
    }

    @Test(
        "Stopped actions are no transitions, replaced ones are as they were reduced; a child's actions count"
    )
    func interceptors() async throws {
        let store = Ledger.store(
            interceptors: [
                Interceptor("odd") { action, _, next in
                    guard case .add(let amount) = action, amount > 0 else { return }
                    try next(.add(amount + 1))
                }
            ]
        )
        let transitions = store.transitions()
        store.send(.add(0))
        store.send(.add(1))
        store.child(initialState: 0, reducer: EmptyReducer()).send(.add(4))
        await store.shutdown(drain: .finishEffects)
        #expect(
            try await transitions.all().map(told) == [
                Told(action: "add(2)", old: 0, new: 2), Told(action: "add(5)", old: 2, new: 7),
            ]
        )
    }

    @Test("An observer behind its buffer misses whole transitions; the delivered ones are exact")
    func buffers() async throws {
        let store = Ledger.store()
        let transitions = store.transitions(buffering: .bounded(2))
        for number in 1...5 { store.send(.add(number)) }
        await store.shutdown(drain: .finishEffects)
        #expect(
            try await transitions.all().map(told) == [
                Told(action: "add(4)", old: 6, new: 10), Told(action: "add(5)", old: 10, new: 15),
            ]
        )
        #expect(transitions.droppedCount == 3)
    }

    @Test("Transitions of a scope are its actions, with its part before and after, whatever else has changed it")
    func scopes() async throws {
        enum Action: Sendable, Equatable {
            case part(Int)
            case reset
        }
        struct State: Sendable, Equatable {
            var part = 0
        }
        let store = Store(initialState: State()) { (state: inout State, action: Action) in
            switch action {
            case .part(let step): state.part += step
            case .reset: state.part = 100
            }
        }
        let scope = store.scope(state: \.part, action: Action.part)
        let transitions = scope.transitions()
        scope.send(1)
        store.send(.reset)
        store.send(.part(2))
        await store.shutdown(drain: .finishEffects)
        let all = try await transitions.all()
        #expect(all.map(\.action) == [1, 2])
        #expect(all.map(\.old) == [0, 100])
        #expect(all.map(\.new) == [1, 102])
    }

    @Test("Transitions of a child are its actions, with its state before and after, whatever else has changed it")
    func children() async throws {
        let store = Ledger.store()
        let child = store.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { (count: inout Int, step: Int) in count += step }
        ) { .add($0) }
        let actions = child.actions
        let transitions = child.transitions()
        child.send(1)
        store.send(.add(100))
        child.send(contentsOf: [2, 3])
        await store.shutdown(drain: .finishEffects)
        let all = try await transitions.all()
        #expect(all.map(\.action) == [1, 2, 3])
        #expect(all.map(\.old.local) == [0, 1, 3] && all.map(\.new.local) == [1, 3, 6])
        #expect(all.map(\.old.parent.total) == [0, 101, 103] && all.map(\.new.parent.total) == [1, 103, 106])
        #expect(try await actions.all().map(\.action) == [1, 2, 3])
    }

    @Test("Each transition begins with the state in which the previous one ended, under many senders")
    func concurrency() async throws {
        let store = Ledger.store()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<500 { store.send(.add(1)) }
                }
            }
            group.addTask {
                for _ in 0..<20 {
                    var last: Int?
                    var count = 0
                    let transitions = store.transitions()
                    store.send(.add(1))
                    for await transition in transitions {
                        #expect(transition.new.total == transition.old.total + 1)
                        if let last { #expect(transition.old.total == last) }
                        last = transition.new.total
                        count += 1
                        if count == 20 { break }
                        store.send(.add(1))
                    }
                }
            }
        }
        #expect(store.statistics.observers == 0)
    }

    @Test("A transition observer of a released store ends at once, and none keeps a store alive")
    func lifetimes() async throws {
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        weak let weakStore = store
        let transitions = try #require(store?.transitions())
        store?.send(.add(1))
        store = nil
        #expect(weakStore == nil)
        #expect(try await transitions.all().count == 1)
        #expect(try await transitions.all().isEmpty)
    }

    @Test("A child loads no state before an action when its transition observers have ended and others are left")
    func leaving() async throws {
        let loads = Collector<Void>()
        let root = Store(initialState: 0) { (_: inout Int, _: Int) in }
        let counted: Store<Int, Int> = root.scope({ state in
            loads.append(())
            return state
        })
        let child = counted.child(initialState: 0, reducer: Reduce<Int, Int> { _, _ in .none }, action: { _ in nil })
        func loadsOfAnAction() async throws -> Int {
            let before = loads.elements.count
            try await child.dispatch(1)
            return loads.elements.count - before
        }
        let actions = child.actions(.bounded(1), at: nil)
        let usual = try await loadsOfAnAction()
        var observers: [StoreSequence<StateTransition<ParentAndChild<Int, Int>, Int>>] = [
            child.transitions(), child.transitions(),
        ]
        #expect(try await loadsOfAnAction() > usual)
        observers.removeLast()
        #expect(try await loadsOfAnAction() > usual)
        observers.removeLast()
        #expect(try await loadsOfAnAction() == usual)
        withExtendedLifetime(actions) {}
    }
}
