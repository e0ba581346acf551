import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import ActorStoreInstruments
import Testing

@testable import TestFixtures

@Suite("Interceptors of children", .timeLimit(.minutes(10)))
struct ChildInterceptorTests {
    typealias Parent = Store<Ledger.State, Ledger.Action>
    typealias Shown = ParentAndChild<Ledger.State, Int>
    typealias Child = Store<Shown, Int>
    typealias Guardian = Interceptor<Shown, Int>

    /// A child that counts steps, which the parent adds to its total.
    func makeChild(of parent: Parent) -> Child {
        parent.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { (count: inout Int, step: Int) in count += step },
            name: "steps"
        ) { .add($0) }
    }

    func noting<State, Action>(_ name: String, _ events: Collector<String>) -> Interceptor<State, Action> {
        Interceptor(name) { action, _, next in
            events.append("\(name): \(action)")
            try next(action)
            events.append("\(name): done")
        }
    }

    @Test(
        "An action passes the child's interceptors in its form, then the parent's, and is then reduced"
    )
    func order() async throws {
        let events = Collector<String>()
        let parent = Ledger.store(interceptors: [noting("parent", events)])
        let child = makeChild(of: parent)
        child.use(noting("second", events))
        child.use(noting("first", events), at: .outermost)
        let reducer = Reduce<Int, Int> { (_: inout Int, action: Int) in events.append("reducer: \(action)") }
        child.attach(reducer: reducer, local: \.self, forKey: "noting")
        try await child.dispatch(3)
        #expect(
            events.elements == [
                "first: 3", "second: 3", "parent: add(3)", "reducer: 3", "parent: done", "second: done", "first: done",
            ]
        )
        #expect(child.snapshot.local == 3 && parent.snapshot.total == 3 && parent.revision == 1)
    }

    @Test("A child's rule about its parent's state compares around the child's own actions only")
    func rulesAboutTheParent() async throws {
        let parent = Ledger.store()
        let child = makeChild(of: parent)
        let seen = Collector<[Int]>()
        child.use(
            .observing(
                .onChange(of: \.parent.total) { old, new in
                    seen.append([old, new])
                    return nil
                }
            )
        )
        try await parent.dispatch(.add(1))
        try await parent.dispatch(.add(2))
        #expect(seen.elements.isEmpty)
        try await child.dispatch(4)
        #expect(seen.elements == [[0, 7]])
    }

    @Test("Actions of the parent and of siblings bypass a child's interceptors")
    func others() async throws {
        let events = Collector<String>()
        let parent = Ledger.store()
        let (child, other) = (makeChild(of: parent), makeChild(of: parent))
        child.use(noting("child", events))
        try await parent.dispatch(.add(1))
        try await other.dispatch(2)
        #expect(events.elements.isEmpty)
        child.send(contentsOf: [3, 4])
        #expect(events.elements == ["child: 3", "child: done", "child: 4", "child: done"])
        #expect(parent.snapshot.total == 10)
    }

    @Test(
        "A child's interceptor sees actions of stores below and of effects, in the child's form"
    )
    func below() async throws {
        let events = Collector<String>()
        let parent = Ledger.store()
        let child = parent.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { count, step in
                count += step
                return step == 5 ? .send(6) : .none
            }
        ) { .add($0) }
        let grandchild = child.child(
            initialState: "",
            reducer: Reduce<String, String> { (text: inout String, more: String) in text += more }
        ) { $0.count }
        child.use(noting("child", events))
        grandchild.use(noting("grandchild", events))
        try await grandchild.dispatch("abcde")
        #expect(await parent.state.total == 11)
        #expect(
            events.elements == [
                "grandchild: abcde", "child: 5", "child: done", "grandchild: done", "child: 6", "child: done",
            ]
        )
        #expect(grandchild.snapshot.local == "abcde")
    }

    @Test("A child's interceptor that swallows or throws keeps all stores from reducing, and dispatch throws")
    func refusing() async throws {
        struct Forbidden: Error {}
        let parent = Ledger.store()
        let child = makeChild(of: parent)
        child.use(
            Guardian("guardian") { step, context, next in
                if step < 0 { throw Forbidden() }
                if step == 0 { return }
                context.send(100 * step)
                try next(step < 100 ? step + 1 : step)
            }
        ).remove()
        child.use(
            Guardian("guardian") { step, _, next in
                if step < 0 { throw Forbidden() }
                if step > 0 { try next(step + 1) }
            }
        )
        await #expect(throws: StoreError.rejected(by: "guardian")) { try await child.dispatch(-1) }
        await #expect(throws: StoreError.rejected(by: "guardian")) { try await child.dispatch(0) }
        #expect(try await parent.errors.first(1).first?.origin == .interceptor(named: "guardian"))
        #expect(child.snapshot.local == 0 && parent.revision == 0)
        try await child.dispatch(1)
        #expect(child.snapshot.local == 2 && parent.snapshot.total == 2)
        #expect(parent.statistics.rejectedActions == 2)
    }

    @Test(
        "An action stopped by the parent's interceptors is counted once, and the child's receive the refusal"
    )
    func refusedAbove() async throws {
        let events = Collector<String>()
        let parent = Ledger.store(interceptors: [Interceptor("strict") { _, _, _ in }])
        let child = makeChild(of: parent)
        child.use(
            Guardian("watching") { step, _, next in
                do { try next(step) } catch {
                    events.append("\(error as? StoreError == .rejected(by: "strict"))")
                    throw error
                }
            }
        )
        await #expect(throws: StoreError.rejected(by: "strict")) { try await child.dispatch(1) }
        #expect(events.elements == ["true"])
        #expect(child.snapshot.local == 0 && parent.statistics.rejectedActions == 1)
    }

    @Test("A child's context shows its states before and after, also within a batch, and sends to the child")
    func context() async throws {
        let states = Collector<[Int]>()
        let parent = Ledger.store()
        let child = makeChild(of: parent)
        child.use(
            Guardian("looking") { [weak child] step, context, next in
                states.append([context.state.parent.total, context.state.local, Int(context.revision)])
                try next(step)
                states.append([context.state.parent.total, child?.snapshot.local ?? -1, Int(context.revision)])
                if step == 2 { context.send(10) }
                #expect(context.storeName == "steps")
            }
        )
        child.send(contentsOf: [1, 2])
        #expect(states.elements == [[0, 0, 0], [1, 1, 1], [1, 1, 1], [3, 3, 2], [3, 3, 2], [13, 13, 3]])
    }

    @Test("Rules and loggers of a child process its actions and its visible state")
    func rules() async throws {
        let entries = Collector<String>()
        let parent = Ledger.store()
        let child = makeChild(of: parent)
        child.use(.logger(to: { entries.append("\($0.storeName): \($0.message)") }))
        let rules = child.use(
            .observing(
                .onStart { 1 },
                .onChange(of: \.parent.total) { old, new in new < 4 ? new : nil },
                .onAction(where: { $0 == 2 }) { _, state in state.local == 4 ? 100 : nil }
            )
        )
        // On a busy machine another thread may process the rules' actions.
        await until { entries.elements.count == 4 }
        #expect(await parent.state.total == 104)
        #expect(entries.elements == ["steps: 1", "steps: 1", "steps: 2", "steps: 100"])
        rules.remove()
        try await child.dispatch(-103)
        #expect(child.snapshot.local == 1)
    }

    @Test("A child's interceptors end with the child, and retain neither it nor the tree")
    func lifetimes() async throws {
        let removed = Collector<String>()
        let parent = Ledger.store()
        func waiting(_ name: String) -> Guardian {
            .settingUp(name) { store in
                ActiveInterceptor { step, _, next in
                    if store.isAlive { try next(step) }
                } onRemoval: {
                    removed.append(name)
                }
            }
        }
        var child: Child? = makeChild(of: parent)
        weak let weakChild = child
        let first = child?.use(waiting("first"))
        child?.use(waiting("second"))
        try await child?.dispatch(1)
        first?.remove()
        first?.remove()
        await until { removed.elements == ["first"] }
        child = nil
        #expect(weakChild == nil)
        #expect(await parent.state.total == 1)
        await until { removed.elements == ["first", "second"] }

        let last = makeChild(of: parent)
        last.use(waiting("last"))
        await parent.shutdown(drain: .finishEffects)
        await until { removed.elements == ["first", "second", "last"] }
        last.use(waiting("late"))
        #expect(removed.elements.count == 3)
    }

    @Test(
        "An interceptor of a child released while the store is busy is set up and removed"
    )
    func releasedAtOnce() async throws {
        let parent = Ledger.store()
        let hold = await parent.holdUp()
        let removed = Collector<Bool>()
        makeChild(of: parent).use(
            .settingUp("brief") { store in
                let wasAlive = store.snapshot != nil
                return ActiveInterceptor { _, _, _ in
                } onRemoval: {
                    removed.append(wasAlive)
                }
            }
        )
        hold.release()
        _ = await parent.state
        await until { removed.elements == [true] }
    }

    @Test("Children of table entries have interceptors")
    func entries() async throws {
        let store = Store(initialState: ["a": 1, "b": 2]) { (counts: inout [String: Int], key: String) in
            counts[key] = nil
        }
        let children = store.children(
            forEach: \.self,
            initialState: { _, value in value },
            reducer: Reduce<Int, Int> { (own: inout Int, step: Int) in own += step }
        ) { _, _ in nil }
        let child = try #require(children["a"])
        child.use(Interceptor("doubling") { step, _, next in try next(2 * step) })
        try await child.dispatch(3)
        #expect(child.snapshot.local == 7)
        try await store.dispatch("a")
        await #expect(throws: StoreError.shutDown) { try await child.dispatch(3) }
    }
}
