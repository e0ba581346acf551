import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Shutdowns in trees", .timeLimit(.minutes(10)))
struct ShutdownInTreesTests {
    /// A store that adds, or starts an effect.
    private struct Counter: Reducer {
        enum Action: Sendable {
            case add(Int)
            case start(Effect<Action>)
        }

        func reduce(into state: inout Int, action: Action) -> Effect<Action> {
            switch action {
            case .add(let step):
                state += step
                return .none
            case .start(let effect):
                return effect
            }
        }
    }

    private typealias Root = Store<Int, Counter.Action>

    private func makeRoot() -> Root { Store(initialState: 0, reducer: Counter()) }

    private func makeChild<State: Sendable, Action: Sendable>(
        _ parent: Store<State, Action>
    ) -> Store<ParentAndChild<State, Int>, Counter.Action> {
        parent.child(initialState: 0, reducer: Counter(), action: { _ in nil })
    }

    @Test("A child is shut down with its descendants: they refuse actions, and its parent and siblings continue")
    func childAlone() async throws {
        let root = makeRoot()
        let (child, sibling) = (makeChild(root), makeChild(root))
        let grandchild = makeChild(child)
        let values = child.values(of: \.local, buffering: .unbounded)
        let below = grandchild.values(of: \.parent.local, buffering: .unbounded)
        try await child.dispatch(.add(1))
        await child.shutdown(drain: .finishEffects)

        #expect(child.send(.add(1)) == .refused(.shutDown))
        #expect(child.send(contentsOf: [.add(1)]) == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await child.dispatch(.add(1)) }
        await #expect(throws: StoreError.shutDown) { try await grandchild.dispatch(.add(1)) }
        #expect(child.phase.description == "ended" && grandchild.phase.description == "ended")
        #expect(!child.weak.isAlive && !grandchild.weak.isAlive)
        #expect(try await values.all() == [0, 1])
        #expect(try await below.all() == [0, 1])
        #expect(child.snapshot.local == 1)
        #expect(try await child.values(of: \.local).all() == [1])
        #expect(try await child.values(of: \.parent).all() == [0])

        try await root.dispatch(.add(1))
        try await sibling.dispatch(.add(2))
        #expect(root.phase.isReady && sibling.phase.isReady)
        #expect(root.snapshot == 1 && sibling.snapshot.local == 2)
    }

    @Test("Actions accepted by a child are reduced, and later ones are refused, however busy the tree is")
    func accepted() async throws {
        let root = makeRoot()
        let child = makeChild(root)
        let hold = Hold()
        let token = root.observe(\.self) { count in
            if count == 1 { hold.enter() }
        }
        onThread { root.send(.add(1)) }
        await hold.waitUntilEntered()
        for _ in 0..<10 { #expect(child.send(.add(1)) == .accepted) }
        let dispatch = Task { try await child.dispatch(.add(100)) }
        let shutdown = Task { await child.shutdown(drain: .finishEffects) }
        await until { !child.phase.isReady }
        #expect(child.phase.description == "shutting down")
        #expect(child.send(.add(1_000)) == .refused(.shutDown))
        hold.release()
        _ = await shutdown.value
        // Either it came before, or it was refused.
        let wasReduced = (try? await dispatch.value) != nil
        #expect(child.snapshot.local == 10 + (wasReduced ? 100 : 0))
        withExtendedLifetime(token) {}
    }

    @Test("Under concurrent senders, a child reduces what it accepted before its shutdown, and nothing else")
    func concurrently() async throws {
        let root = makeRoot()
        for _ in 0..<50 {
            let child = makeChild(root)
            let accepted = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var accepted = 0
                        while child.send(.add(1)) == .accepted { accepted += 1 }
                        return accepted
                    }
                }
                await child.shutdown(drain: .finishEffects)
                return await group.reduce(0, +)
            }
            #expect(child.snapshot.local == accepted)
        }
    }

    @Test(
        "A shutdown of a child awaits the effects of it and its descendants, reduces their actions, and awaits no others"
    )
    func effectsAreAwaited() async throws {
        let root = makeRoot()
        let child = makeChild(root)
        let grandchild = makeChild(child)
        let (goOn, never) = (Signal(), Signal())
        try await root.dispatch(.start(.run { _ in await never.wait() }))
        let effect = Effect<Counter.Action>.run { send in
            await goOn.wait()
            send(.add(5))
        }
        try await child.dispatch(.start(effect))
        try await grandchild.dispatch(.start(.run { send in send(.add(7)) }))
        let shutdown = Task { await child.shutdown(drain: .finishEffects) }
        await until { !child.phase.isReady }
        #expect(child.send(.add(1_000)) == .refused(.shutDown))
        goOn.fire()
        _ = await shutdown.value
        #expect(child.snapshot.local == 5 && grandchild.snapshot.local == 7)
        #expect(root.statistics.runningEffects == 1)
        never.fire()
        await root.shutdown(drain: .finishEffects)
    }

    @Test("A shutdown of a child cancels the effects of it and its descendants, and no others")
    func effectsAreCancelled() async throws {
        let root = makeRoot()
        let child = makeChild(root)
        let grandchild = makeChild(child)
        let never = Signal()
        let rootTask = try await root.dispatch(.start(.run { _ in await never.wait() }))
        try await child.dispatch(.start(.run { _ in await untilCancelled() }))
        try await grandchild.dispatch(.start(.run { _ in await untilCancelled() }))
        await child.shutdown(drain: .cancelEffects)
        #expect(root.statistics.runningEffects == 1)
        never.fire()
        try await rootTask.finish()
    }

    @Test("A shutdown of a child with a deadline ends the child, and reports effects that still run")
    func childWithDeadline() async throws {
        let root = makeRoot()
        let child = makeChild(root)
        let clock = ManualClock()
        let (began, goOn) = (Signal(), Latch())
        let line: UInt = #line + 1
        let effect = Effect<Counter.Action>.run(id: 7) { send in
            began.fire()
            await goOn.wait()
            send(.add(1))
        }
        let task = try await child.dispatch(.start(effect))
        await began.wait()
        let shutdown = Task { await child.shutdown(drain: .cancelEffects, within: .seconds(1), clock: clock) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        let report = await shutdown.value
        #expect(report.unfinishedEffects.map(\.id) == [EffectID(7)])
        #expect(report.unfinishedEffects.map(\.source.line) == [line])
        let failure = try #require(try await root.errors.first(1).first)
        #expect(failure.error is EffectStillRunning)
        #expect(child.phase.description == "ended" && root.phase.isReady)
        goOn.open()
        try await task.finish()
        #expect(child.snapshot.local == 0)
        await root.shutdown(drain: .finishEffects)
    }

    @Test("A shutdown of a root includes its children: their effects are awaited, and reported if they do not end")
    func rootWithChildren() async throws {
        let root = makeRoot()
        let child = makeChild(root)
        let grandchild = makeChild(child)
        let clock = ManualClock()
        let goOn = Latch()
        let began = Signal()
        let stubborn = Effect<Counter.Action>.run(id: "stubborn") { _ in
            began.fire()
            await goOn.wait()
        }
        try await child.dispatch(.start(stubborn))
        try await grandchild.dispatch(.start(.run(id: "obedient") { _ in await untilCancelled() }))
        await began.wait()
        let shutdown = Task { await root.shutdown(drain: .finishEffects, within: .seconds(10), clock: clock) }
        await clock.waitForSleeper(until: .seconds(9))
        clock.advance(by: .seconds(9))
        await until { root.statistics.runningEffects <= 1 }
        await clock.waitForSleeper(until: .seconds(10))
        clock.advance(by: .seconds(1))
        let report = await shutdown.value
        #expect(report.unfinishedEffects.map(\.id) == [EffectID("stubborn")])
        #expect(try await root.errors.all().map { $0.error is EffectStillRunning } == [true])
        #expect(child.phase.description == "ended" && grandchild.phase.description == "ended")
        goOn.open()
    }

    @Test("A child created during its parent's shutdown has ended from the beginning")
    func lateChild() async throws {
        let root = makeRoot()
        let child = makeChild(root)
        await child.shutdown(drain: .finishEffects)
        let late = makeChild(child)
        await #expect(throws: StoreError.shutDown) { try await late.dispatch(.add(1)) }
        #expect(late.send(.add(1)) == .refused(.shutDown))
    }

    @Test("A scope is shut down with its store")
    func scopes() async throws {
        let root = makeRoot()
        let child = makeChild(root)
        await child.scope(\.local).shutdown(drain: .finishEffects)
        #expect(child.phase.description == "ended" && root.phase.isReady)
        await root.scope(\.self).shutdown(drain: .finishEffects)
        #expect(root.phase.description == "ended")
    }

    @Test("A child that was shut down refuses a side effect, and a child being shut down awaits it")
    func sideEffects() async throws {
        struct Wait: SideEffect {
            let began: Signal
            let goOn: Signal
            func run(_ context: SideEffectContext<ParentAndChild<Int, Int>, Counter.Action>) async throws -> Int {
                began.fire()
                await goOn.wait()
                try await context.dispatch(.add(3))
                return context.snapshot.local
            }
        }
        let root = makeRoot()
        let child = makeChild(root)
        let wait = Wait(began: Signal(), goOn: Signal())
        let running = Task { try await child.dispatch(wait) }
        await wait.began.wait()
        let shutdown = Task { await child.shutdown(drain: .finishEffects) }
        await until { !child.phase.isReady }
        await #expect(throws: StoreError.shutDown) { try await child.dispatch(wait) }
        wait.goOn.fire()
        #expect(try await running.value == 3)
        _ = await shutdown.value
    }

    @Test("A parent's effect that shuts a child down cancels the effect that ended the child before")
    func later() async throws {
        let root = Ledger.store()
        let child = Ledger.child(of: root)
        let hasEnded = Signal()
        try await child.dispatch(
            .start(
                .run { _ in
                    await child.shutdown(drain: .finishEffects)
                    hasEnded.fire()
                    await untilCancelled()
                }
            )
        )
        await hasEnded.wait()
        let task = try await root.dispatch(.start(.run { _ in await child.shutdown(drain: .cancelEffects) }))
        try await task.finish()
        #expect(root.statistics.runningEffects == 0)
        await root.shutdown(drain: .cancelEffects)
    }
}
