import ActorStore
import ActorStoreComposition
import Testing

@testable import TestFixtures

@Suite("Dynamic reducers", .timeLimit(.minutes(10)))
struct AttachmentTests {
    struct Audit: Equatable, Sendable {
        var seen: [String] = []
    }

    struct App: Equatable, Sendable {
        var count = 0
        var audit = Audit()
        var copyOfCount: Int { count }
    }

    enum Action: Sendable, Equatable {
        case add(Int)
        case note(String)
    }

    private func makeStore() -> Store<App, Action> {
        Store(initialState: App()) { (state: inout App, action: Action) in
            if case .add(let number) = action { state.count += number }
        }
    }

    /// Records what it sees, with its own mark.
    private func auditor(_ mark: String) -> Reduce<Audit, Action> {
        Reduce { state, action in
            state.seen.append("\(mark) \(action)")
            return .none
        }
    }

    @Test("An attached reducer reduces later actions on its part of the state, until it is detached")
    func attachAndDetach() async throws {
        let store = makeStore()
        try await store.dispatch(.add(1))
        store.attach(reducer: auditor("a"), state: \.audit, forKey: "audit")
        try await store.dispatch(.add(2))
        store.send(.add(3))
        store.detach(reducerForKey: "audit")
        try await store.dispatch(.add(4))
        #expect(store.snapshot == App(count: 10, audit: Audit(seen: ["a add(2)", "a add(3)"])))
        #expect(store.revision == 4)
    }

    @Test("A closure of the whole state, or of a part, is attached and detached by a key")
    func closures() async throws {
        let store = makeStore()
        store.attach(forKey: "whole") { state, action in state.audit.seen.append("\(state.count) after \(action)") }
        store.attach(state: \.audit.seen, forKey: "part") { seen, _ in seen.append("part") }
        try await store.dispatch(.add(1))
        store.detach(reducerForKey: "whole")
        try await store.dispatch(.add(1))
        #expect(store.snapshot.audit.seen == ["1 after add(1)", "part", "part"])
    }

    @Test(
        "Attached reducers run in order, after the store's own; one with a used key replaces the previous one"
    )
    func order() async throws {
        let store = makeStore()
        store.attach(reducer: auditor("a"), state: \.audit, forKey: 1)
        let second = store.attach(reducer: auditor("b"), state: \.audit, forKey: 2)
        let whole = Reduce<App, Action> { state, _ in
            state.audit.seen.append("count \(state.count)")
            return .none
        }
        store.attach(reducer: whole, forKey: 3)
        try await store.dispatch(.add(1))
        #expect(store.snapshot.audit.seen == ["a add(1)", "b add(1)", "count 1"])
        store.attach(reducer: auditor("c"), state: \.audit, forKey: 1)
        second.detach()
        store.detach(reducerForKey: "unknown")
        try await store.dispatch(.add(1))
        #expect(store.snapshot.audit.seen.suffix(2) == ["c add(1)", "count 2"])
    }

    @Test("Equal keys of different types are different keys")
    func typesOfKeys() async throws {
        let store = makeStore()
        store.attach(reducer: auditor("user"), state: \.audit, forKey: 7)
        store.attach(reducer: auditor("order"), state: \.audit, forKey: 7 as UInt32)
        try await store.dispatch(.add(1))
        store.detach(reducerForKey: 7 as UInt32)
        try await store.dispatch(.add(2))
        #expect(store.snapshot.audit.seen == ["user add(1)", "order add(1)", "user add(2)"])
    }

    @Test("A key in an optional equals its wrapped value")
    func optionalKeys() async throws {
        let store = makeStore()
        store.attach(reducer: auditor("a"), state: \.audit, forKey: Optional("audit"))
        store.attach(reducer: auditor("b"), state: \.audit, forKey: "audit")
        try await store.dispatch(.add(1))
        store.detach(reducerForKey: Optional("audit"))
        try await store.dispatch(.add(2))
        #expect(store.snapshot.audit.seen == ["b add(1)"])
    }

    @Test("Attached reducers can reduce a case of the store's actions")
    func caseOfActions() async throws {
        let store = makeStore()
        let notes = Reduce<[String], String> { notes, note in
            notes.append(note)
            return .none
        }
        let path = CasePath(embed: Action.note) { if case .note(let text) = $0 { text } else { nil } }
        store.attach(reducer: notes, state: \.audit.seen, action: path, forKey: "notes")
        store.send(.add(1))
        store.send(.note("x"))
        #expect(store.snapshot.audit.seen == ["x"])
    }

    @Test("Observers are notified of changes by attached reducers, once for an action")
    func observers() async throws {
        let store = makeStore()
        store.attach(reducer: auditor("a"), state: \.audit, forKey: "audit")
        let counts = Collector<Int>()
        let token = store.observe(\.audit.seen.count) { counts.append($0) }
        store.send(contentsOf: [.add(1), .add(2)])
        store.send(.add(3))
        #expect(counts.elements == [0, 2, 3])
        withExtendedLifetime(token) {}
    }

    @Test("Detaching or replacing a reducer cancels its effects, and no others; their late actions are dropped")
    func effects() async throws {
        let store = makeStore()
        let (begun, cancelled) = (Signal(), Signal())
        let working = Reduce<Audit, Action> { _, action in
            guard action == .add(1) else { return .none }
            return .run { send in
                begun.fire()
                await withTaskCancellationHandler {
                    await cancelled.wait()
                } onCancel: {
                    cancelled.fire()
                }
                send(.note("late"))
            }
        }
        store.attach(reducer: working, state: \.audit, forKey: "work")
        store.attach(reducer: auditor("a"), state: \.audit, forKey: "audit")
        let task = try await store.dispatch(.add(1))
        await begun.wait()
        store.detach(reducerForKey: "work")
        try await task.finish()
        #expect(store.snapshot.audit.seen == ["a add(1)"])
        #expect(store.statistics.lateActions == 1)
    }

    @Test("A reducer can be attached to a scope of a writable part, with the scope's actions")
    func scopes() async throws {
        let store = makeStore()
        let audit = store.scope(\.audit)
        audit.attach(reducer: auditor("a"), state: \.self, forKey: "audit")
        let notes = store.scope(state: \.audit, action: Action.note)
        let shouting = Reduce<[String], String> { seen, note in
            seen.append(note.uppercased())
            return .none
        }
        notes.attach(reducer: shouting, state: \.seen, forKey: "shout")
        try await notes.dispatch("hey")
        try await store.dispatch(.add(1))
        #expect(store.snapshot.audit.seen == ["a note(\"hey\")", "HEY", "a add(1)"])
        audit.detach(reducerForKey: "audit")
        notes.detach(reducerForKey: "shout")
        try await store.dispatch(.note("x"))
        #expect(store.snapshot.audit.seen.count == 3)
    }

    @Test(
        "A key at another scope, or at the store itself, is another key, with separate effects"
    )
    func keysOfScopes() async throws {
        struct Two: Equatable, Sendable { var left = 0, right = 0, whole = 0 }
        let (begun, cancelled) = (Collector<String>(), Collector<String>())
        let store = Store(initialState: Two()) { (_: inout Two, _: Int) in }
        func counter(_ name: String) -> Reduce<Int, Int> {
            Reduce { count, step in
                count += step
                return .run { _ in
                    begun.append(name)
                    await untilCancelled()
                    cancelled.append(name)
                }
            }
        }
        let (left, right) = (store.scope(\.left), store.scope(\.right))
        left.attach(reducer: counter("left"), forKey: "count")
        right.attach(reducer: counter("right"), forKey: "count")
        store.attach(reducer: counter("whole"), state: \.whole, forKey: "count")
        try await store.dispatch(1)
        #expect(store.snapshot == Two(left: 1, right: 1, whole: 1))
        await until { begun.elements.count == 3 }
        // Another scope of the same part.
        store.scope(\.left).detach(reducerForKey: "count")
        await until { cancelled.elements == ["left"] }
        right.attach(reducer: counter("right, again"), forKey: "count")
        await until { cancelled.elements == ["left", "right"] }
        try await store.dispatch(1)
        #expect(store.snapshot == Two(left: 1, right: 2, whole: 2))
        store.detach(reducerForKey: "count")
        try await store.dispatch(1)
        #expect(store.snapshot == Two(left: 1, right: 3, whole: 2))
        await store.shutdown(drain: .cancelEffects)
    }

    @Test("A reducer can be attached to a child's own state")
    func children() async throws {
        let store = makeStore()
        let child = store.child(initialState: Audit(), reducer: auditor("own"))
        child.attach(reducer: auditor("more"), local: \.self, forKey: "more")
        try await child.dispatch(.add(1))
        try await store.dispatch(.add(1))
        child.detach(reducerForKey: "more")
        try await child.dispatch(.add(2))
        #expect(child.snapshot.local.seen == ["own add(1)", "more add(1)", "own add(2)"])
    }

    @Test("Reducers come and go while actions flow, each in its turn, and none sees an action twice")
    func whileFlowing() async throws {
        let store = makeStore()
        await withDiscardingTaskGroup { group in
            for sender in 0..<4 {
                group.addTask {
                    for number in 0..<200 {
                        store.attach(reducer: auditor("\(sender)"), state: \.audit, forKey: sender)
                        store.send(.note("\(sender) \(number)"))
                        store.detach(reducerForKey: sender)
                    }
                }
            }
        }
        let seen = await store.state.audit.seen
        for sender in 0..<4 {
            // Actions that a task sends while its reducer is attached reach it, in order, and once.
            let own = seen.filter { $0.hasPrefix("\(sender) note(\"\(sender) ") }
            #expect(own == (0..<200).map { "\(sender) note(\"\(sender) \($0)\")" })
        }
    }
}
