import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Postponed effects", .timeLimit(.minutes(10)))
struct PostponedEffectTests {
    @Test("A postponed effect is requested again when its condition becomes true, and not before")
    func condition() async throws {
        let (store, asked) = (Workshop.store(), Collector<String>())
        store.effect(on: \.job) { state in
            asked.append(state.sign)
            guard state.isOpen else { return .postpone(until: \.isOpen) }
            let sign = state.sign
            return .run { context in context.send(.done(sign)) }
        }
        try await store.change { $0.job.run() }
        for index in 0..<50 {
            try await store.change { $0.sign = "\(index)" }
            try await store.change { $0.isLit.toggle() }
        }
        #expect(asked.elements == [""] && store.statistics.runningEffects == 0)
        try await store.change { $0.isOpen = true }
        await until { store.snapshot.job.isSucceeded }
        #expect(asked.elements == ["", "49"] && store.snapshot.log == ["49"])
        try await store.change { $0.isOpen = false }
        try await store.change { $0.isOpen = true }
        #expect(asked.elements.count == 2)
        #expect(store.statistics.observers == 1)
    }

    @Test("An effect can be postponed again, and until a part of the state changes")
    func parts() async throws {
        let (store, asked) = (Workshop.store(), Collector<String>())
        store.effect(toggle: \.isOpen) { state in
            asked.append(state.sign)
            guard state.sign == "ready" else { return .postpone(untilChangeOf: \.sign) }
            return .effect(.send(.log("began")))
        }
        try await store.change { $0.isOpen = true }
        try await store.change { $0.isLit = true }
        try await store.change { $0.sign = "soon" }
        try await store.change { $0.sign = "soon" }
        try await store.change { $0.sign = "ready" }
        try await store.change { $0.sign = "later" }
        #expect(asked.elements == ["", "soon", "ready"])
        #expect(await store.state.log == ["began"])
    }

    @Test("A condition that is already true has to become false first: the effect is not requested in a loop")
    func trueAlready() async throws {
        let (store, asked) = (Workshop.store(), Collector<Int>())
        store.effect(on: \.job) { _ in
            asked.append(1)
            return .postpone(until: \.isOpen)
        }
        try await store.change {
            $0.isOpen = true; $0.job.run()
        }
        try await store.change { $0.sign = "other" }
        #expect(asked.elements.count == 1)
        try await store.change { $0.isOpen = false }
        #expect(asked.elements.count == 1)
        try await store.change { $0.isOpen = true }
        #expect(asked.elements.count == 2)
    }

    @Test("A postponed effect is forgotten when the state no longer requests it")
    func forgotten() async throws {
        let (store, asked) = (Workshop.store(), Collector<Int>())
        store.effect(forEach: \.jobs) { id, state in
            asked.append(id)
            return state.isOpen ? .effect(.send(.log("\(id)"))) : .postpone(until: \.isOpen)
        }
        try await store.change {
            $0.jobs[1] = .running(); $0.jobs[2] = .running(); $0.jobs[3] = .running()
        }
        try await store.change {
            $0.jobs[1]?.cancel(); $0.jobs[2] = nil
        }
        #expect(store.statistics.observers == 2)
        try await store.change { $0.isOpen = true }
        #expect(await store.state.log == ["3"])
        #expect(asked.elements.sorted() == [1, 2, 3, 3])
        #expect(store.statistics.observers == 1)
    }

    @Test("A postponed effect is not requested again by the action that ends it, in any order of notification")
    func forgottenWhenDue() async throws {
        let (store, asked) = (Workshop.store(), Collector<Int>())
        // So that the postponement is notified before the effects.
        let observer = store.observe(\.isOpen) { _ in }
        store.effect(forEach: \.jobs) { id, state in
            asked.append(id)
            return state.isOpen ? .effect(.send(.log("\(id)"))) : .postpone(until: \.isOpen)
        }
        store.effect(on: \.job) { state in
            asked.append(0)
            return state.isOpen ? .effect(.send(.log("job"))) : .postpone(until: \.isOpen)
        }
        try await store.change {
            $0.jobs[1] = .running(); $0.jobs[2] = .running(); $0.job.run()
        }
        try await store.change {
            $0.jobs[1] = nil; $0.job.cancel(); $0.isOpen = true
        }
        #expect(await store.state.log == ["2"])
        #expect(asked.elements.sorted() == [0, 1, 2, 2])
        #expect(store.statistics.lateActions == 0)
        observer.cancel()
    }

    @Test("A change in the turn of the postponement is not missed")
    func sameTurn() async throws {
        let store = Workshop.store()
        store.effect(on: \.job) { state in
            // Sent in the turn, and so reduced before anything else can happen.
            guard state.isOpen else {
                store.send(.change { $0.isOpen = true })
                return .postpone(until: \.isOpen)
            }
            return .effect(.send(.done("began")))
        }
        try await store.change { $0.job.run() }
        #expect(await store.state.log == ["began"])
        await store.shutdown(drain: .cancelEffects)
    }

    @Test(
        "A postponed effect notices a condition that is true for one action, also behind other waiting actions"
    )
    func shortCondition() async throws {
        for isOfChange in [false, true] {
            let store = Workshop.store()
            store.effect(on: \.job) { state in
                guard state.isOpen else {
                    // Sent in the turn, and so reduced before anything later.
                    store.send(.change { $0.isOpen = true })
                    store.send(.change { $0.isOpen = false })
                    return isOfChange ? .postpone(untilChangeOf: \.isOpen) : .postpone(until: \.isOpen)
                }
                return .effect(.send(.done("began")))
            }
            try await store.change { $0.job.run() }
            #expect(await store.state.log == ["began"])
            await store.shutdown(drain: .cancelEffects)
        }
    }

    @Test(
        "A postponed effect of a child notices a change of the parent by its own closure, otherwise unobserved"
    )
    func conditionOfParent() async throws {
        for isOnBefore in [false, true] {
            let (root, asked) = (Workshop.store(), Collector<Bool>())
            let child = root.child(initialState: Workshop.State(), reducer: Workshop())
            if isOnBefore { try await child.dispatch(.change { $0.isLit = true }) }
            child.effect(toggle: \.local.isLit) { state in
                asked.append(state.parent.isOpen)
                if asked.elements.count == 1 {
                    root.send(.change { $0.isOpen = true })
                    root.send(.change { $0.isOpen = false })
                }
                return .postpone(until: \.parent.isOpen)
            }
            if !isOnBefore { try await child.dispatch(.change { $0.isLit = true }) }
            #expect(await root.state.isOpen == false)
            #expect(asked.elements == [false, true])
            await root.shutdown(drain: .cancelEffects)
        }
    }

    @Test("A part unequal to itself does not count as a change for a postponed effect")
    func partUnequalToItself() async throws {
        struct State: Sendable {
            var (isOn, level) = (false, Double.nan)
            var half: Double { level / 2 }
        }
        let asked = Collector<Int>()
        let store = Store(initialState: State()) { (state: inout State, change: @Sendable (inout State) -> Void) in
            change(&state)
        }
        store.effect(toggle: \.isOn) { _ in
            asked.append(1)
            return .postpone(untilChangeOf: \.half)
        }
        try await store.dispatch { $0.isOn = true }
        try await store.dispatch { $0.level = -.nan }
        #expect(asked.elements.count == 1)
        try await store.dispatch { $0.level = 1 }
        #expect(asked.elements.count == 2)
    }

    @Test("A postponed effect requested n times beside a backlog takes linear time in n")
    func backlog() async throws {
        try await expectLinear { count in
            let (store, asked) = (Workshop.store(), Collector<Int>())
            store.effect(toggle: \.isLit) { _ in
                asked.append(1)
                return .postpone(until: \.isOpen)
            }
            return {
                // All of them wait in the mailbox until the end of the first turn.
                store.send(
                    .change { state in
                        state.isLit = true
                        for number in 0..<count / 4 { store.send(.change { $0.isOpen = number.isMultiple(of: 2) }) }
                    }
                )
                _ = await store.state
                #expect(asked.elements.count == count / 8 + 1)
            }
        }
    }

    @Test("A postponed effect of a deduplicated scope notices changes by the scope's notion")
    func tolerance() async throws {
        struct Part: Sendable {
            let isOn = true
            var isReady = false
            var level = 0
        }
        let (store, asked, told) = (Store(initialState: Part()) { $0 = $1 }, Collector<Bool>(), Collector<Bool>())
        let scope = store.scope(\.self, removeDuplicates: { abs($0.level - $1.level) < 10 })
        let observer = scope.observe(\.isReady) { told.append($0) }
        try await store.dispatch(Part(level: 9))
        let effect = scope.effect(toggle: \.isOn) { part in
            asked.append(part.isReady)
            return part.isReady ? .none : .postpone(until: \.isReady)
        }
        try await store.dispatch(Part(isReady: true, level: 10))
        #expect(told.elements == [false, true] && asked.elements == [false])
        try await store.dispatch(Part(isReady: true, level: 19))
        #expect(told.elements == [false, true] && asked.elements == [false, true])
        observer.cancel()
        effect.cancel()
    }

    @Test("A postponed effect of a deduplicated scope's child waits for changes by the scope's notion")
    func childOfDeduplicatedScope() async throws {
        struct Part: Sendable {
            var level = 0
            var name = "a"
        }
        let (root, asked) = (Store(initialState: Part()) { $0 = $1 }, Collector<String>())
        let child = root.scope(\.self, removeDuplicates: { abs($0.level - $1.level) < 10 })
            .child(initialState: 0, reducer: Reduce { (steps: inout Int, _: Part) in steps += 1 })
        let scope = child.scope { Watched(name: $0.parent.name, isOn: $0.local > 0) }
        let effect = scope.effect(toggle: \.isOn) { state in
            asked.append(state.name)
            return .postpone(untilChangeOf: \.name)
        }
        try await child.dispatch(Part(level: 9, name: "b"))
        #expect(asked.elements == ["a"])
        // The effect compares with the delivered 0, and not with 9.
        try await root.dispatch(Part(level: 10, name: "c"))
        #expect(asked.elements == ["a", "c"])
        effect.cancel()
    }

    private struct Watched: Sendable {
        var name: String
        var isOn: Bool
    }

    @Test("The closure of a keyed effect is not called after it has cancelled its observation")
    func cancelledByItself() async throws {
        let (store, asked, effect) = (Workshop.store(), Collector<Int>(), LockedValue<StoreObservation?>(nil))
        let observation = store.effect(forEach: \.jobs) { id, _ in
            asked.append(id)
            effect.withLock { $0 }?.cancel()
            return .none
        }
        effect.withLock { $0 = observation }
        try await store.change { state in
            for id in 0..<10 { state.jobs[id] = .running() }
        }
        #expect(asked.elements.count == 1)
        effect.withLock { $0 = nil }
    }

    @Test("The closure of a postponed effect is not called after its observation was cancelled")
    func cancelled() async throws {
        let (store, asked) = (Workshop.store(), Collector<Int>())
        let effect = store.effect(on: \.job) { _ in
            asked.append(1)
            return .postpone(until: \.isOpen)
        }
        let observer = store.observe(\.sign) { sign in
            guard sign == "cancel" else { return }
            store.send(.change { $0.isOpen = true })
            effect.cancel()
        }
        try await store.change { $0.job.run() }
        try await store.change { $0.sign = "cancel" }
        #expect(await store.state.isOpen)
        #expect(asked.elements.count == 1)
        observer.cancel()
    }

    @Test("A postponed effect of a child can wait for the state of the parent, and ends with the child")
    func child() async throws {
        let (root, asked) = (Workshop.store(), Collector<Int>())
        var child: Store<ParentAndChild<Workshop.State, Workshop.State>, Workshop.Action>? =
            root.child(initialState: Workshop.State(), reducer: Workshop())
        child?.effect(on: \.local.job) { _ in
            asked.append(1)
            return .postpone(until: \.parent.isOpen)
        }
        try await child?.dispatch(.change { $0.job.run() })
        #expect(asked.elements.count == 1)
        try await root.change { $0.isOpen = true }
        #expect(asked.elements.count == 2)
        child = nil
        try await root.change { $0.isOpen = false }
        try await root.change { $0.isOpen = true }
        #expect(asked.elements.count == 2)
    }

    @Test("A postponed effect of a change to a value unequal to itself is requested again")
    func unequalToItself() async throws {
        struct State: Sendable {
            var level = 0.0
            var isOpen = false
            var isLit = false
        }
        let asked = Collector<Bool>()
        let store = Store(initialState: State()) { (state: inout State, change: @Sendable (inout State) -> Void) in
            change(&state)
        }
        store.effect(onChange: \.level) { _, new in
            asked.append(new.isNaN)
            return .postpone(until: \.isOpen)
        }
        try await store.dispatch { $0.level = .nan }
        try await store.dispatch { $0.isLit = true }
        #expect(asked.elements == [true])
        try await store.dispatch { $0.isOpen = true }
        #expect(asked.elements == [true, true])
        try await store.dispatch {
            $0.isOpen = false; $0.level = 1
        }
        #expect(asked.elements == [true, true, false])
    }
}
