import ActorStore
import ActorStoreCommands
import ActorStoreInstruments
import Testing

@testable import TestFixtures

@Suite("Interceptors that pass on several actions", .timeLimit(.minutes(10)))
struct SplitActionTests {
    typealias Log = Interceptor<[String], String>

    /// Makes two actions of one.
    static let split = Log("split") { action, _, next in
        var failure: (any Error)?
        for part in [action + "1", action + "2"] {
            do { try next(part) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Records the outcome of each action.
    static func noting(_ notes: Collector<String>) -> Log {
        Log("noting") { action, _, next in
            do {
                try next(action)
                notes.append("\(action) reduced")
            } catch {
                notes.append("\(action) refused: \(error)")
                throw error
            }
        }
    }

    /// Refuses actions with this ending.
    static func refusing(_ suffixes: String...) -> Log {
        Log("guard \(suffixes.joined())") { action, _, next in
            if suffixes.contains(where: action.hasSuffix) { return }
            try next(action)
        }
    }

    static func store(_ interceptors: [Log]) -> Store<[String], String> {
        Store(initialState: [], interceptors: interceptors) { (log: inout [String], action: String) in
            log.append(action)
        }
    }

    @Test("Code after a call of next belongs to the action of that call")
    func ownVerdicts() async throws {
        let notes = Collector<String>()
        let rule = Log.observing(.onAction(where: { $0 == "b2" }) { _, _ in "rule" })
        let store = Self.store([Self.split, Self.noting(notes), rule, Self.refusing("2")])
        try await store.dispatch("b")
        let refusal = StoreError.rejected(by: "guard 2")
        #expect(notes.elements == ["b1 reduced", "b2 refused: \(refusal)"])
        try await store.dispatch("c")
        #expect(store.snapshot == ["b1", "c1"])
        #expect(store.statistics.rejectedActions == 2)
    }

    @Test("A call of next throws if its action was refused, also after a call whose action was reduced")
    func nextThrows() async throws {
        let refusals = Collector<StoreError>()
        let split = Log("split") { action, _, next in
            try next(action + "1")
            do { try next(action + "2") } catch let error as StoreError { refusals.append(error) }
        }
        let store = Self.store([split, Self.refusing("2")])
        try await store.dispatch("a")
        #expect(refusals.elements == [.rejected(by: "guard 2")])
        #expect(store.snapshot == ["a1"])
    }

    @Test("If all actions are refused, dispatch throws the first refusal, and each is counted")
    func allRefused() async throws {
        let notes = Collector<String>()
        let store = Self.store([Self.split, Self.noting(notes), Self.refusing("1"), Self.refusing("2")])
        await #expect(throws: StoreError.rejected(by: "guard 1")) { try await store.dispatch("a") }
        let refusals = ["1", "2"].map { StoreError.rejected(by: "guard \($0)") }
        #expect(notes.elements == ["a1 refused: \(refusals[0])", "a2 refused: \(refusals[1])"])
        #expect(store.statistics.rejectedActions == 2)
    }

    @Test("An interceptor that replaces an inner refusal makes dispatch throw its error, which is counted once")
    func translates() async throws {
        struct Odd: Error {}
        for thrown in [StoreError.overloaded, Odd()] as [any Error & Sendable] {
            let translating = Log("translating") { action, _, next in do { try next(action) } catch { throw thrown } }
            let store = Self.store([translating, Self.refusing("a")])
            let errors = store.errors
            let expected = thrown as? StoreError ?? .rejected(by: "translating")
            await #expect(throws: expected) { try await store.dispatch("a") }
            #expect(store.statistics.rejectedActions == 1)
            await store.shutdown(drain: .finishEffects)
            #expect(try await errors.all().count == (thrown is Odd ? 1 : 0))
        }
    }

    @Test("An interceptor that retries after a refusal has its action reduced, and dispatch returns")
    func triesAgain() async throws {
        let patient = Log("patient") { action, _, next in
            do { try next(action) } catch { try next("instead of " + action) }
        }
        let store = Self.store([patient, Log("guard") { action, _, next in if action != "a" { try next(action) } }])
        try await store.dispatch("a")
        #expect(store.snapshot == ["instead of a"])
        #expect(store.statistics.rejectedActions == 1)
    }

    @Test("An interceptor that throws after a second refusal makes dispatch throw its error")
    func secondRefusal() async {
        let patient = Log("patient") { action, _, next in
            do { try next(action) } catch { try next("instead of " + action) }
        }
        let notes = Collector<String>()
        let full = Log("full") { action, _, _ in throw action == "a" ? StoreError.overloaded : .notReady }
        let store = Self.store([Self.noting(notes), patient, full])
        await #expect(throws: StoreError.notReady) { try await store.dispatch("a") }
        #expect(notes.elements == ["a refused: \(StoreError.notReady)"])
        #expect(store.statistics.rejectedActions == 2)
    }

    @Test("A StoreError thrown by an interceptor after the reduction reaches store.errors, like other errors")
    func throwsAfterNext() async throws {
        let late = Log("audit") { action, _, next in
            try next(action)
            throw StoreError.rejected(by: "audit")
        }
        let store = Self.store([late])
        let errors = store.errors
        try await store.dispatch("a")
        #expect(store.snapshot == ["a"] && store.statistics.rejectedActions == 0)
        let failure = try #require(try await errors.first(1).first)
        #expect(failure.error as? StoreError == .rejected(by: "audit"))
    }

    @Test("The refusal of one part that an outer interceptor accepts is not an error of the store")
    func refusalIsNoError() async throws {
        let store = Self.store([Self.split, Self.refusing("2")])
        let errors = store.errors
        try await store.dispatch("a")
        await store.shutdown(drain: .finishEffects)
        #expect(try await errors.all().isEmpty)
    }

    @Test("An interceptor that rethrows one of several refusals causes no error if another part was reduced")
    func severalRefusalsAreNoErrors() async throws {
        let split = Log("split") { action, _, next in
            var failure: (any Error)?
            for part in 1...3 { do { try next("\(action)\(part)") } catch { failure = failure ?? error } }
            if let failure { throw failure }
        }
        let store = Self.store([split, Self.refusing("1"), Self.refusing("2")])
        let errors = store.errors
        try await store.dispatch("a")
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot == ["a3"] && store.statistics.rejectedActions == 2)
        #expect(try await errors.all().isEmpty)
    }

    @Test(
        "A child reduces its action and runs its effect once, whatever the parent's interceptors make of it"
    )
    func childReducesOnce() async throws {
        let runs = Collector<String>()
        let store = Self.store([Self.split])
        let child = store.child(
            initialState: [String](),
            reducer: Reduce<[String], String> { log, action in
                log.append(action)
                return .run { _ in runs.append(action) }
            }
        )
        try await child.dispatch("a").finish()
        #expect(child.snapshot.local == ["a"])
        #expect(store.snapshot == ["a1", "a2"])
        #expect(runs.elements == ["a"])
        child.send(contentsOf: ["b", "c"])
        await child.settle()
        #expect(child.snapshot.local == ["a", "b", "c"])
        #expect(store.snapshot == ["a1", "a2", "b1", "b2", "c1", "c2"])
    }

    @Test("A child's interceptors multiply an action for it and its ancestors, and not for stores below")
    func childSplits() async throws {
        let store = Self.store([])
        let child = store.child(
            initialState: [String](),
            reducer: Reduce { (log: inout [String], action: String) in log.append(action)
            }
        )
        let grandchild = child.child(
            initialState: [String](),
            reducer: Reduce { (log: inout [String], action: String) in
                log.append(action)
            }
        )
        child.use(
            Interceptor("split") { action, _, next in
                try next(action + "1")
                try next(action + "2")
            }
        )
        try await grandchild.dispatch("a")
        #expect(grandchild.snapshot.local == ["a"])
        #expect(child.snapshot.local == ["a1", "a2"])
        #expect(store.snapshot == ["a1", "a2"])
    }

    @Test("A child that retries after its parent's refusal reduces once")
    func childTriesAgain() async throws {
        let store = Self.store([Self.refusing("!")])
        let child = store.child(
            initialState: [String](),
            reducer: Reduce { (log: inout [String], action: String) in log.append(action)
            }
        )
        let grandchild = child.child(
            initialState: [String](),
            reducer: Reduce { (log: inout [String], action: String) in
                log.append(action)
            }
        )
        child.use(
            Interceptor("patient") { action, _, next in
                do { try next(action + "!") } catch { try next(action) }
            }
        )
        try await grandchild.dispatch("a")
        #expect(grandchild.snapshot.local == ["a"] && child.snapshot.local == ["a"] && store.snapshot == ["a"])
        #expect(store.statistics.rejectedActions == 1)
    }

    @Test(
        "Each passed-on action has an effect, and one can cancel an unbegun effect of a later one",
        arguments: [false, true]
    )
    func ownEffects(areOfChild: Bool) async throws {
        let (workGate, stopGate, notes) = (Latch(), Latch(), Collector<String>())
        let reduce: @Sendable (inout [String], String) -> Effect<String> = { _, action in
            notes.append(action)
            switch action {
            case "stop": return .concatenate(.run { _ in await stopGate.wait() }, .cancel(id: "x"), .send("stopped"))
            case "work":
                let work = Effect<String>.run(id: "x") { send in send("worked") }
                return .concatenate(.run { _ in await workGate.wait() }, work, .send("done"))
            default: return .none
            }
        }
        func split<State>(_ store: Store<State, String>) {
            store.use(
                Interceptor("split") { action, _, next in
                    for action in action == "both" ? ["stop", "work"] : [action] { try next(action) }
                }
            )
        }
        let root = Store(
            initialState: [String](),
            reducer: Reduce<[String], String> { log, action in areOfChild ? .none : reduce(&log, action) }
        )
        let child = root.child(initialState: [String](), reducer: Reduce<[String], String>(reduce))
        if areOfChild { split(child) } else { split(root) }
        let task =
            try await areOfChild
            ? child.dispatch("both", tracksFeedback: true) : root.dispatch("both", tracksFeedback: true)
        stopGate.open()
        await until { notes.elements.contains("stopped") }
        workGate.open()
        try await task.finish()
        #expect(notes.elements == ["stop", "work", "stopped", "done"])
    }

    @Test("The task of a dispatch covers the effects of all actions made of its action")
    func commonTask() async throws {
        let (begun, cancelled, gate) = (Collector<String>(), Collector<String>(), Latch())
        let reducer = Reduce<[String], String> { _, action in
            .run { _ in
                begun.append(action)
                if action.hasPrefix("b") { return await gate.wait() }
                do { try await Task.sleep(for: .seconds(1_000)) } catch { cancelled.append(action) }
            }
        }
        let store = Store(initialState: [], reducer: reducer, interceptors: [Self.split])
        let instrument = RecordingInstrument()
        store.use(instrument)
        let task = try await store.dispatch("a")
        await until { begun.elements.count == 2 }
        task.cancel()
        try await task.finish()
        #expect(cancelled.elements.sorted() == ["a1", "a2"])
        let other = try await store.dispatch("b")
        gate.open()
        try await other.finish()
        #expect(begun.elements.sorted() == ["a1", "a2", "b1", "b2"])
        let causes = instrument.events.compactMap { event in
            if case .effectBegan(let effect) = event { effect.cause } else { nil }
        }
        #expect(causes == [1, 1, 2, 2])
    }

    @Test("One action can become many with an effect each, and so can many reducers in a row")
    func manyWithEffects() async throws {
        let count = 20_000
        let ended = LockedValue(0)
        let reduce: @Sendable (inout Int, Void) -> Effect<Void> = { reductions, _ in
            reductions += 1
            return .run { _ in ended.withLock { $0 += 1 } }
        }
        let split = Interceptor<Int, Void>("split") { _, _, next in
            for _ in 0..<count { try next(()) }
        }
        let store = Store(initialState: 0, reducer: Reduce(reduce), interceptors: [split])
        try await store.dispatch(()).finish()
        #expect(store.snapshot == count && ended.withLock { $0 } == count)
        let row = Store(initialState: 0, reducer: Row(count: count, reduce: reduce))
        try await row.dispatch(()).finish()
        #expect(row.snapshot == count && ended.withLock { $0 } == 2 * count)
    }

    /// Many reducers in sequence.
    private struct Row: Reducer {
        let count: Int
        let reduce: @Sendable (inout Int, Void) -> Effect<Void>

        var body: some Reducer<Int, Void> {
            for _ in 0..<count { Reduce(reduce) }
        }
    }

    private struct Rooms: Reducer {
        typealias State = [Int: EffectState<EffectFailure>]
        enum Action: Equatable, Sendable { case open(Int), close(Int), reopen(Int), room(id: Int, action: Step) }
        enum Step: Equatable, Sendable { case note(String), leave, leaveAndNote }

        func reduce(into rooms: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .open(let number):
                rooms[number] = .idle()
                rooms[number]?.run()
            case .close(let number), .room(let number, .leave): rooms[number] = nil
            default: break
            }
            return .none
        }

        static func store() -> Store<State, Action> {
            let reopening = Interceptor<State, Action>("reopening") { action, _, next in
                guard case .reopen(let number) = action else { return try next(action) }
                try next(.close(number))
                try next(.open(number))
            }
            return Store(initialState: [:], reducer: Rooms(), interceptors: [reopening])
        }

        static func children(of store: Store<State, Action>) -> StoreChildren<
            Int, ParentAndChild<EffectState<EffectFailure>, [String]>, Step
        > {
            let notes = Reduce<[String], Step> { notes, step in
                if case .note(let note) = step { notes.append(note) }
                return .none
            }
            return store.children(forEach: \.self, initialState: { _, _ in [] }, reducer: notes) {
                .room(id: $0, action: $1)
            }
        }
    }

    @Test(
        "An entry removed by one passed-on action and added by another is a new entry, with new stores and effects"
    )
    func entries() async throws {
        let store = Rooms.store()
        let asked = Collector<Int>()
        store.effect(forEach: \.self) { number, _ in
            asked.append(number)
            return .none
        }
        let children = Rooms.children(of: store)
        let scopes = store.scopes(forEach: \.self) { Rooms.Action.room(id: $0, action: $1) }
        try await store.dispatch(.open(7))
        let (child, scope) = (try #require(children[7]), try #require(scopes[7]))
        try await child.dispatch(.note("first"))
        try await store.dispatch(.reopen(7))
        #expect(asked.elements == [7, 7])
        #expect(child.send(.note("late")) == .refused(.shutDown) && scope.send(.note("late")) == .refused(.shutDown))
        #expect(child.snapshot.local == ["first"])
        #expect(children[7]?.snapshot.local == [] && scopes[7] != nil && scopes[7] !== scope)
    }

    @Test("Actions that a child's interceptor passes on after the removal of its entry are late")
    func ownEntry() async throws {
        let store = Rooms.store()
        let children = Rooms.children(of: store)
        try await store.dispatch(.open(7))
        let child = try #require(children[7])
        let refusals = Collector<String>()
        child.use(
            Interceptor("leaving") { action, _, next in
                guard action == .leaveAndNote else { return try next(action) }
                try next(.leave)
                do { try next(.note("late")) } catch { refusals.append("\(error)") }
            }
        )
        try await child.dispatch(.leaveAndNote)
        #expect(refusals.elements == ["\(StoreError.shutDown)"])
        #expect(child.snapshot.local == [] && store.snapshot.isEmpty && store.statistics.lateActions == 1)
        withExtendedLifetime(children) {}
    }
}
