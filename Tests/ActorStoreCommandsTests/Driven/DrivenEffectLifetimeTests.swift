import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Driven effects: lifetimes and trees", .timeLimit(.minutes(10)))
struct DrivenEffectLifetimeTests {
    private final class Owner: Sendable {}

    @Test("A driven effect does not retain the store and does not outlive it, though its observation is not retained")
    func release() async throws {
        let work = HeldWork()
        weak var released: Store<Workshop.State, Workshop.Action>?
        do {
            let store = Workshop.store()
            released = store
            store.effect(on: \.job) { _ in
                .run { context in
                    await work.run("job")
                    _ = context.snapshot
                    context.send(.log("late"))
                }
            }
            store.effect(onChange: \.sign) { _, _, context in context.send(.log("changed")) }
            try await store.change { $0.job.run() }
            await work.waitUntilBegun()
            #expect(released != nil)
        }
        #expect(released == nil)
        await work.waitUntilCancelled()
    }

    @Test("Values captured by a closure of a driven effect are released with the store, and with the effect")
    func captured() async throws {
        weak var first: Owner?
        weak var second: Owner?
        do {
            let store = Workshop.store()
            func begin() -> StoreObservation {
                let (one, two) = (Owner(), Owner())
                (first, second) = (one, two)
                store.effect(on: \.job) { _ in withExtendedLifetime(one) { .none } }
                return store.effect(forEach: \.jobs) { _, _ in withExtendedLifetime(two) { .none } }
            }
            begin().cancel()
            #expect(first != nil && second == nil)
        }
        await until { first == nil }
    }

    @Test("A shutdown cancels a driven effect, or awaits it with its feedback; afterwards nothing begins")
    func shutdown() async throws {
        for drain in [ShutdownDrain.cancelEffects, .finishEffects] {
            let (store, work) = (Workshop.store(), HeldWork())
            store.effect(on: \.job) { _ in
                .run { context in
                    await work.run("job")
                    context.send(
                        .change {
                            $0.isOpen = true; $0.job.succeed()
                        }
                    )
                }
            }
            store.effect(toggle: \.isOpen) { _, context in context.send(.log("open")) }
            try await store.change { $0.job.run() }
            await work.waitUntilBegun()
            work.finish(drain == .finishEffects ? "job" : "none")
            await store.shutdown(drain: drain)
            #expect(store.statistics.runningEffects == 0)
            #expect(store.snapshot.log == (drain == .finishEffects ? ["open"] : []))
            store.effect(on: \.job) { _ in .run { _ in await work.run("after the end") } }
            store.effect(toggle: \.isOpen) { _ in .run { _ in await work.run("after the end") } }
            #expect(store.statistics.runningEffects == 0 && work.begun.elements == ["job"])
        }
    }

    @Test("Cancelling the observation of a driven effect, or its bag, cancels what runs, and nothing begins again")
    func tokens() async throws {
        let (store, work) = (Workshop.store(), HeldWork())
        var bag = ObservationBag()
        let token = store.effect(on: \.job) { _ in .run { _ in await work.run("job") } }
        store.effect(toggle: \.isOpen) { _ in .run { _ in await work.run("open") } }.store(in: &bag)
        try await store.change {
            $0.job.run(); $0.isOpen = true
        }
        await work.waitUntilBegun(2)
        token.cancel()
        await work.waitUntilCancelled(1)
        #expect(work.cancelled.elements == ["job"])
        bag.cancelAll()
        await work.waitUntilCancelled(2)
        token.cancel()
        try await store.change {
            $0.job.restart(); $0.isOpen = false
        }
        try await store.change { $0.isOpen = true }
        await until { store.statistics.runningEffects == 0 }
        #expect(work.begun.elements.count == 2 && store.statistics.observers == 0)
    }

    @Test("A driven effect with an owner ends at the next change after the owner's release, and does not retain it")
    func owners() async throws {
        let (store, work) = (Workshop.store(), HeldWork())
        var owner: Owner? = Owner()
        weak let weakOwner = owner
        store.effect(on: \.job, owner: owner) { _ in .run { _ in await work.run("job") } }
        store.effect(forEach: \.jobs, owner: owner) { id, _ in .run { _ in await work.run("\(id)") } }
        store.effect(toggle: \.isOpen, owner: owner) { _ in .run { _ in await work.run("open") } }
        store.effect(onChange: \.sign, owner: owner) { _, _ in .run { _ in await work.run("sign") } }
        try await store.change { $0.job.run() }
        await work.waitUntilBegun()
        owner = nil
        #expect(weakOwner == nil)
        try await store.change { state in
            state.job.restart()
            state.jobs[1] = .running()
            state.isOpen = true
            state.sign = "new"
        }
        await until { store.statistics.runningEffects == 0 }
        #expect(work.begun.elements == ["job"] && work.cancelled.elements == ["job"])
        #expect(store.statistics.observers == 0)
    }

    @Test("A driven effect of a scope continues without the scope, sends its actions, and needs no main run loop")
    func scopes() async throws {
        enum Action: Sendable { case workshop(Workshop.Action) }
        struct App: Equatable, Sendable { var workshop = Workshop.State() }
        let root = Store(
            initialState: App(),
            reducer: Scope(state: \App.workshop, action: CasePath(Action.workshop)) {
                Workshop()
            }
        )
        root.scope(state: \.workshop, action: Action.workshop).effect(on: \.job) { state, context in
            context.send(.done("by scope \(state.sign)"))
        }
        // A scope by a closure, whose parts are computed.
        root.scope { $0.workshop }.scope(state: \.self, action: Action.workshop).effect(toggle: \.isOpen) { _ in
            .effect(.send(.log("computed")))
        }
        try await root.dispatch(
            .workshop(
                .change {
                    $0.job.run(); $0.sign = "one"; $0.isOpen = true
                }
            )
        )
        await until { root.snapshot.workshop.log.count == 2 }
        #expect(root.snapshot.workshop.log.sorted() == ["by scope one", "computed"])
    }

    @Test(
        "A driven effect of a child sends to it and up, and ends with the child, whatever state drives it"
    )
    func children() async throws {
        let work = HeldWork()
        let root = Workshop.store()
        var child: Store<ParentAndChild<Workshop.State, Workshop.State>, Workshop.Action>? =
            root.child(initialState: Workshop.State(), reducer: Workshop()) { action in
                if case .log = action { action } else { nil }
            }
        child?.effect(on: \.local.job) { state, context in context.send(.log("local \(state.parent.sign)")) }
        child?.effect(toggle: \.parent.isOpen) { _ in .run { _ in await work.run("open") } }
        child?.effect(on: \.parent.job) { _ in .run { _ in await work.run("job") } }
        try await root.change { $0.sign = "here" }
        try await child?.dispatch(.change { $0.job.run() })
        await until { root.snapshot.log == ["local here"] }
        #expect(child?.snapshot.local.log == ["local here"])
        try await root.change {
            $0.isOpen = true; $0.job.run()
        }
        await work.waitUntilBegun(2)
        child = nil
        await work.waitUntilCancelled(2)
        try await root.change { $0.job.restart() }
        #expect(work.begun.elements.count == 2 && root.statistics.observers == 0)
    }

    @Test("A running driven effect of a child does not retain the child")
    func childRelease() async throws {
        let (root, work) = (Workshop.store(), HeldWork())
        do {
            let child = root.child(initialState: Workshop.State(), reducer: Workshop())
            child.effect(on: \.local.job) { _, context in
                await work.run("job")
                context.send(.log("late"))
            }
            try await child.dispatch(.change { $0.job.run() })
            await work.waitUntilBegun()
        }
        await work.waitUntilCancelled()
        await until { root.statistics.runningEffects == 0 }
        #expect(root.snapshot.log == [] && root.statistics.lateActions == 1)
    }

    @Test("A driven effect of an entry's store ends with the entry", arguments: [false, true])
    func entries(isBatch: Bool) async throws {
        let (root, work) = (Workshop.store(), HeldWork())
        let stores = root.scopes(forEach: \.jobs) { (_: Int, action: Workshop.Action) in action }
        try await root.change { $0.jobs[1] = .idle() }
        let store = try #require(stores[1])
        store.effect(on: \.self) { _ in .run { _ in await work.run("entry") } }
        try await root.change { $0.jobs[1]?.run() }
        await work.waitUntilBegun()
        if isBatch {
            root.send(contentsOf: [
                .change { $0.jobs[1]?.restart() }, .change { $0.jobs[1] = nil }, .change { $0.jobs[1] = .idle() },
            ])
        } else {
            try await root.change { $0.jobs[1] = nil }
        }
        await work.waitUntilCancelled()
        #expect(work.begun.elements == ["entry"])
        await until { root.statistics.runningEffects == 0 }
        // Nor does one begin that is requested when the entry has gone.
        let asked = Collector<Int>()
        store.effect(on: \.self) { _ in
            asked.append(1)
            return .none
        }
        #expect(asked.elements.isEmpty)
    }

    @Test("Driven effects come and go under senders, and none is left")
    func concurrency() async throws {
        let store = Workshop.store()
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    for index in 0..<200 {
                        let token = store.effect(on: \.job) { _ in .run { _ in await untilCancelled() } }
                        store.send(.change { $0.job.restart() })
                        if index.isMultiple(of: 3) { await Task.yield() }
                        if task.isMultiple(of: 2) { store.send(.change { $0.job.cancel() }) }
                        token.cancel()
                    }
                }
            }
        }
        await until { store.statistics.runningEffects == 0 }
        #expect(await store.state.job.runs == 800 && store.statistics.observers == 0)
        await store.shutdown(drain: .finishEffects)
    }

    @Test("Actions of a run are dropped after the state has gone back, also if the observation is cancelled meanwhile")
    func cancelledBesideTheState() async throws {
        for cancels in [false, true] {
            let store = Workshop.store()
            let observation = store.effect(on: \.job) { _ in .effect(.send(.log("sent by the run"))) }
            let hold = Hold()
            onThread { store.send(.change { _ in hold.enter() }) }
            await hold.waitUntilEntered()
            store.send(.change { $0.job.run() })
            store.send(
                .change {
                    $0.job.cancel()
                    if cancels { observation.cancel() }
                }
            )
            hold.release()
            #expect(await store.state.log.isEmpty)
            #expect(store.statistics.lateActions == 1)
        }
    }

    @Test("Cancelling the observation of a driven effect cancels what runs, also while an observer suspends the store")
    func cancelledWhileSuspended() async throws {
        let (store, work) = (Workshop.store(), HeldWork())
        let signs = store.values(of: \.sign, buffering: .bounded(1, onOverflow: .suspendStore))
        var iterator = signs.makeAsyncIterator()
        _ = await iterator.next()
        let observation = store.effect(on: \.job) { _ in .run { _ in await work.run("job") } }
        try await store.change { $0.job.run() }
        await work.waitUntilBegun()
        store.send(.change { $0.sign = "full" })
        observation.cancel()
        await work.waitUntilCancelled()
        #expect(await iterator.next() == "full")
    }

    @Test("A driven effect of a deduplicated scope begins with the current state, and then follows notifications")
    func tolerance() async throws {
        struct Part: Sendable {
            var isOn = true
            var isReady = true
            var level = 0
        }
        let (store, asked) = (Store(initialState: Part()) { $0 = $1 }, Collector<Bool>())
        let scope = store.scope(\.self, removeDuplicates: { $0.level == $1.level })
        let observer = scope.observe(\.isReady) { _ in }
        try await store.dispatch(Part(isReady: false))
        let effect = scope.effect(toggle: \.isOn) { part in
            asked.append(part.isReady)
            return part.isReady ? .none : .postpone(until: \.isReady)
        }
        #expect(asked.elements == [false])
        try await store.dispatch(Part(isReady: true))
        try await store.dispatch(Part(isReady: false, level: 1))
        try await store.dispatch(Part(isReady: true, level: 1))
        #expect(asked.elements == [false])
        try await store.dispatch(Part(isReady: true, level: 2))
        #expect(asked.elements == [false, true])
        try await store.dispatch(Part(isOn: false, level: 3))
        try await store.dispatch(Part(isOn: true, isReady: false, level: 4))
        try await store.dispatch(Part(isOn: true, isReady: true, level: 4))
        #expect(asked.elements == [false, true, false])
        try await store.dispatch(Part(isOn: true, isReady: true, level: 5))
        #expect(asked.elements == [false, true, false, true])
        observer.cancel()
        effect.cancel()
    }

    @Test("A driven effect of a deduplicated scope's child begins with the state that drives it, once")
    func childOfDeduplicatedScope() async throws {
        struct Both: Sendable {
            var name: String
            var isOn: Bool
        }
        struct User: Sendable {
            var id = 1
            var name = "a"
        }
        let (store, asked) = (Store(initialState: User()) { $0 = $1 }, Collector<String>())
        let users = store.scope(\.self) { $0.id == $1.id }
        let child = users.child(initialState: false, reducer: Reduce { (isOn: inout Bool, _: User) in isOn.toggle() })
        let both = child.scope { Both(name: $0.parent.name, isOn: $0.local) }
        let effect = both.effect(toggle: \.isOn) { both in
            asked.append(both.name)
            return both.name == "d" ? .none : .postpone(untilChangeOf: \.name)
        }
        try await store.dispatch(User(name: "b"))
        // Turns the effect on. It uses the name of its beginning.
        try await child.dispatch(User(name: "c"))
        #expect(asked.elements == ["a"])
        try await store.dispatch(User(name: "d"))
        #expect(asked.elements == ["a"])
        try await store.dispatch(User(id: 2, name: "d"))
        #expect(asked.elements == ["a", "d"])
        try await store.dispatch(User(id: 3, name: "e"))
        #expect(asked.elements == ["a", "d"])
        effect.cancel()
    }
}
