import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Effects cancelled by every shutdown", .timeLimit(.minutes(10)))
struct CancelOnShutdownTests {
    typealias Action = Ledger.Action

    let ends = Collector<String>()

    /// An effect that lasts until it is cancelled.
    func endless(_ name: String, _ began: Signal = Signal()) -> Effect<Action> {
        .run { [ends] send in
            began.fire()
            await untilCancelled()
            send(.add(100))
            ends.append(name)
        }
    }

    @Test("cancelOnShutdown effects are cancelled at the beginning of a shutdown, and other effects finish")
    func others() async throws {
        let store = Ledger.store()
        let (began, poll, goOn) = (Signal(), Signal(), Signal())
        try await store.dispatch(
            .start(
                .merge(
                    .run { send in
                        began.fire()
                        await goOn.wait()
                        send(.add(1))
                    },
                    endless("poll", poll).cancelOnShutdown()
                )
            )
        )
        await began.wait()
        await poll.wait()
        store.beginShutdown(drain: .finishEffects)
        await until { ends.elements == ["poll"] }
        goOn.fire()
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot.total == 1)
        #expect(store.statistics.lateActions == 1)
    }

    /// The way in which an effect shuts down a store.
    enum Caller: CaseIterable { case serial, limited, awaitedInQueue, twice, cancelledItself }

    @Test(
        "An effect that shuts its store down continues while cancelOnShutdown effects are cancelled",
        arguments: Caller.allCases
    )
    func callers(caller: Caller) async throws {
        let store = Ledger.store()
        let (poll, mayEnd, isWaiting) = (Signal(), Signal(), Signal())
        try await store.dispatch(.start(endless("poll", poll).cancelOnShutdown()))
        await poll.wait()
        let wasCancelled = Collector<Bool>()
        let shutDown: @Sendable (Send<Action>) async throws -> Void = { [weak store] _ in
            await mayEnd.wait()
            await store?.shutdown(drain: .finishEffects)
            if caller == .twice || caller == .cancelledItself { await store?.shutdown(drain: .finishEffects) }
            wasCancelled.append(Task.isCancelled)
        }
        let task =
            switch caller {
            case .serial: try await store.dispatch(.start(.run(id: "end", policy: .serial, shutDown)))
            case .limited:
                try await store.dispatch(.start(.run(id: "end", policy: .oldest(2, overflow: .suspend), shutDown)))
            case .awaitedInQueue, .twice: try await store.dispatch(.start(.run(shutDown)))
            case .cancelledItself: try await store.dispatch(.start(.run(shutDown).cancelOnShutdown()))
            }
        if caller == .awaitedInQueue {
            let waiting = Effect<Action>.run(id: "wait", policy: .serial) { _ in
                isWaiting.fire()
                try? await task.finish()
            }
            try await store.dispatch(.start(waiting))
            await isWaiting.wait()
        }
        mayEnd.fire()
        try? await task.finish()
        #expect(wasCancelled.elements == [false])
        #expect(ends.elements == ["poll"])
        #expect(store.phase.description == "ended")
    }

    @Test("A cancelOnShutdown effect requested during a shutdown does not begin")
    func later() async throws {
        let store = Ledger.store()
        let (began, goOn) = (Signal(), Signal())
        let poll = endless("poll").cancelOnShutdown()
        try await store.dispatch(
            .start(
                .run { send in
                    began.fire()
                    await goOn.wait()
                    send(.start(.merge(poll, .send(.add(1)))))
                }
            )
        )
        await began.wait()
        store.beginShutdown(drain: .finishEffects)
        goOn.fire()
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot.total == 1)
        #expect(ends.elements.isEmpty)
    }

    @Test("A cancelOnShutdown effect requested during a shutdown replaces no finishing effect", arguments: [0, 1, 2])
    func laterInThePlaceOfAnother(kind: Int) async throws {
        let store = Ledger.store()
        let (began, asked, goOn) = (Signal(), Signal(), Signal())
        let work = Effect<Action>.run(id: "work") { send in
            began.fire()
            await goOn.wait()
            send(.add(1))
        }
        let later: Effect<Action> =
            switch kind {
            case 0: .run(id: "work", policy: .cancelInFlight) { _ in }.cancelOnShutdown()
            case 1: .merge(.run { _ in }, .cancel(id: "work")).cancelOnShutdown()
            default: .concatenate(.cancel(id: "work"), .run { _ in }).cancelOnShutdown()
            }
        let asking = Effect<Action>.run { send in
            await asked.wait()
            send(.start(.merge(later, .run { _ in goOn.fire() })))
        }
        try await store.dispatch(.start(.merge(work, asking)))
        await began.wait()
        store.beginShutdown(drain: .finishEffects)
        asked.fire()
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot.total == 1 && store.statistics.lateActions == 0)
    }

    @Test("A cancelOnShutdown effect is cancelled as a whole, under any operators, and later steps are done")
    func composed() async throws {
        let effects: [(Signal) -> Effect<Action>] = [
            { Effect.concatenate(endless("a", $0), .send(.add(10))).cancelOnShutdown() },
            { Effect.merge(endless("a", $0), .concatenate(endless("a"), .send(.add(10)))).cancelOnShutdown() },
            { endless("a", $0).cancelOnShutdown().cancellable(id: "a", policy: .serial) },
            { endless("a", $0).cancellable(id: "a", policy: .serial).cancelOnShutdown() },
            { endless("a", $0).cancelOnShutdown().detached().timeout(after: .seconds(3_600)) },
            { endless("a", $0).detached().cancelOnShutdown().retry(RetryPolicy(maxAttempts: 3)) },
        ]
        for effect in effects {
            let store = Ledger.store()
            let began = Signal()
            try await store.dispatch(.start(.concatenate(effect(began), .send(.add(1)))))
            await began.wait()
            await store.shutdown(drain: .finishEffects)
            #expect(store.snapshot.total == 1)
        }
    }

    @Test(
        "cancelOnShutdown effects of children are cancelled by shutdowns of the tree and of the child alone",
        arguments: [true, false]
    )
    func children(endsTree: Bool) async throws {
        let store = Ledger.store()
        let child = store.child(initialState: Ledger.State(), reducer: Ledger())
        let (began, ownBegan) = (Signal(), Signal())
        try await store.dispatch(.start(endless("root", ownBegan).cancelOnShutdown()))
        await ownBegan.wait()
        try await child.dispatch(.start(endless("child", began).cancelOnShutdown()))
        await began.wait()
        if endsTree { await store.shutdown(drain: .finishEffects) }
        await child.shutdown(drain: .finishEffects)
        #expect(ends.elements.contains("child"))
        #expect(ends.elements.contains("root") == endsTree)
        await store.shutdown(drain: .cancelEffects)
    }

    @Test("A cancelOnShutdown effect that shuts the store down itself continues")
    func caller() async throws {
        let store = Ledger.store()
        let wasCancelled = Collector<Bool>()
        let effect = Effect<Action>.run { [weak store] _ in
            await store?.shutdown(drain: .finishEffects)
            wasCancelled.append(Task.isCancelled)
        }
        try await store.dispatch(.start(.concatenate(effect, .send(.add(1))).cancelOnShutdown()))
        await until { !wasCancelled.elements.isEmpty }
        #expect(wasCancelled.elements == [false])
    }

    @Test("A shutdown that cancels all effects, and the operation itself, treat cancelOnShutdown effects like others")
    func otherEnds() async throws {
        let store = Ledger.store()
        let began = Signal()
        let task = try await store.dispatch(.start(endless("a", began).cancelOnShutdown()))
        await began.wait()
        task.cancel()
        try await task.finish()
        #expect(ends.elements == ["a"])
        let again = Signal()
        try await store.dispatch(.start(endless("b", again).cancelOnShutdown()))
        await again.wait()
        await store.shutdown(drain: .cancelEffects)
        #expect(ends.elements == ["a", "b"])
    }
}
