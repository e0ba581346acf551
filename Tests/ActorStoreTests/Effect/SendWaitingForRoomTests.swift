import ActorStore
import Testing

@testable import TestFixtures

@Suite("Waiting sends of effects", .timeLimit(.minutes(10)))
struct SendWaitingForRoomTests {
    static let policies: [MailboxCapacity.OverflowPolicy] = [.suspend, .reject, .dropNewest, .dropOldest]

    private func makeStore(
        _ policy: MailboxCapacity.OverflowPolicy = .reject,
        _ interceptors: [Interceptor<Ledger.State, Ledger.Action>] = []
    ) -> Store<Ledger.State, Ledger.Action> {
        Ledger.store(
            interceptors: interceptors,
            configuration: StoreConfiguration(mailbox: .bounded(2, whenFull: policy))
        )
    }

    @Test("Actions that an effect sends to a full store are never lost, and are reduced in order", arguments: policies)
    func nothingIsLost(_ policy: MailboxCapacity.OverflowPolicy) async throws {
        let store = makeStore(policy)
        try await sendFromEffect(of: store, whoseTreeHas: store)
        #expect(store.statistics.failures == 0)
    }

    @Test("Actions that an effect of a child sends to a full tree are never lost", arguments: policies)
    func nothingOfChildrenIsLost(_ policy: MailboxCapacity.OverflowPolicy) async throws {
        let root = makeStore(policy)
        let child = root.child(initialState: Ledger.State(), reducer: Ledger(), action: { _ in nil })
        try await sendFromEffect(of: child.scope(\.local), whoseTreeHas: root)
    }

    private func sendFromEffect(
        of store: Store<Ledger.State, Ledger.Action>,
        whoseTreeHas root: Store<Ledger.State, Ledger.Action>
    ) async throws {
        let (began, isFull) = (Signal(), Signal())
        let task = try await store.dispatch(
            .start(
                .run { send in
                    began.fire()
                    await isFull.wait()
                    for number in 0..<20 { try await send.waitingForRoom(.enter(7, number)) }
                }
            )
        )
        await began.wait()
        let hold = await root.holdUp()
        for _ in 0..<3 { root.send(.write("full")) }
        isFull.fire()
        hold.release()
        try await task.finish()
        #expect(store.snapshot.entries.map(\.number) == Array(0..<20))
    }

    @Test(
        "A plain send refused by a full mailbox is an unhandled error of the effect, and counts as a failure",
        arguments: [MailboxCapacity.OverflowPolicy.suspend, .reject]
    )
    func plainSends(_ policy: MailboxCapacity.OverflowPolicy) async throws {
        let store = makeStore(policy)
        let (began, isFull, hasSent) = (Signal(), Signal(), Signal())
        let effect = Effect<Ledger.Action>.run { send in
            began.fire()
            await isFull.wait()
            for _ in 0..<3 { send(.add(1)) }
            hasSent.fire()
        }
        let errors = store.errors
        let task = try await store.dispatch(.start(effect))
        await began.wait()
        let hold = await store.holdUp()
        for _ in 0..<3 { store.send(.write("full")) }
        isFull.fire()
        await hasSent.wait()
        hold.release()
        #expect(try await errors.first(3).map { $0.error as? StoreError } == [.overloaded, .overloaded, .overloaded])
        try await task.finish()
        #expect(store.snapshot.total == 0)
        #expect(store.statistics.failures == 3 && store.statistics.droppedActions == 0)
    }

    @Test("An action has been reduced when its waiting send returns")
    func readsItsWrites() async throws {
        let store = makeStore()
        let totals = Collector<Int>()
        let effect = Effect<Ledger.Action>.run { [weak store] send in
            for _ in 0..<3 {
                try await send.waitingForRoom(.add(1))
                totals.append(store?.snapshot.total ?? 0)
            }
        }
        try await store.dispatch(.start(effect)).finish()
        #expect(totals.elements == [1, 2, 3])
    }

    @Test("A waiting send whose effect is cancelled throws, and its action is not reduced")
    func cancellation() async throws {
        let store = makeStore()
        let (began, isSending, errors) = (Signal(), Signal(), Collector<StoreError>())
        let isHeld = Signal()
        let task = try await store.dispatch(
            .start(
                .run { send in
                    began.fire()
                    await isHeld.wait()
                    isSending.fire()
                    do { try await send.waitingForRoom(.add(1)) } catch let error as StoreError { errors.append(error) }
                }
            )
        )
        await began.wait()
        let hold = await store.holdUp()
        isHeld.fire()
        await isSending.wait()
        task.cancel()
        hold.release()
        try await task.finish()
        #expect(errors.elements == [.cancelled])
        #expect(store.snapshot.total == 0 && store.statistics.lateActions == 1)
    }

    @Test("A waiting send rejected by an interceptor throws, and the effect continues")
    func rejection() async throws {
        let store = makeStore(
            .reject,
            [Interceptor("guard") { action, _, next in if case .add = action {} else { try next(action) } }]
        )
        let errors = Collector<StoreError>()
        let effect = Effect<Ledger.Action>.run { send in
            do { try await send.waitingForRoom(.add(1)) } catch let error as StoreError { errors.append(error) }
            try await send.waitingForRoom(.write("done"))
        }
        try await store.dispatch(.start(effect)).finish()
        #expect(errors.elements == [.rejected(by: "guard")])
        #expect(store.snapshot.note == "done" && store.snapshot.total == 0)
    }

    @Test("A shutdown that finishes effects reduces what they still send, a shutdown that cancels them does not")
    func shutdown() async throws {
        for drain in [ShutdownDrain.finishEffects, .cancelEffects] {
            let store = makeStore()
            let (began, goOn) = (Signal(), Signal())
            try await store.dispatch(
                .start(
                    .run { send in
                        began.fire()
                        await goOn.wait()
                        for _ in 0..<5 { try await send.waitingForRoom(.add(1)) }
                    }
                )
            )
            await began.wait()
            let end = Task { await store.shutdown(drain: drain) }
            await until { !store.phase.isReady }
            goOn.fire()
            _ = await end.value
            #expect(store.snapshot.total == (drain == .finishEffects ? 5 : 0))
        }
    }

    @Test("The feedback of an awaited action counts as feedback of its effect")
    func feedback() async throws {
        let store = makeStore()
        let isDone = Collector<Bool>()
        let inner = Effect<Ledger.Action>.run { _ in
            await Task.yield()
            isDone.append(true)
        }
        try await store.perform(.start(.run { send in try await send.waitingForRoom(.start(inner)) }))
        #expect(isDone.elements == [true])
    }

    @Test("Waiting sends work in effects with a deadline and in mapped effects")
    func operators() async throws {
        let store = makeStore()
        let effect = Effect<Int>.run { send in try await send.waitingForRoom(3) }
            .timeout(after: .seconds(60))
            .map { Ledger.Action.add($0) }
        try await store.dispatch(.start(effect)).finish()
        #expect(store.snapshot.total == 3)
    }
}
