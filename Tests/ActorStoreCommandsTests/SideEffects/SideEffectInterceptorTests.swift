import ActorStoreCommands
import ActorStoreComposition
import Synchronization
import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Interceptors of side effects", .timeLimit(.minutes(10)))
struct SideEffectInterceptorTests {
    typealias LedgerInterceptor = SideEffectInterceptor<Ledger.State, Ledger.Action>
    typealias LedgerWork<Value: Sendable> = SideEffectTests.LedgerWork<Value>
    typealias Adding = SideEffectTests.Adding
    typealias Broken = SideEffectTests.Broken

    @Test("An interceptor that does not pass on a side effect rejects it before it has done anything")
    func rejection() async throws {
        let store = Ledger.store()
        store.use(
            LedgerInterceptor("limit") { sideEffect, _, next in
                if let adding = sideEffect as? Adding, adding.amount > 9 { return }
                try await next()
            }
        )
        await #expect(throws: StoreError.rejected(by: "limit")) { try await store.dispatch(Adding(amount: 10)) }
        #expect(store.snapshot.total == 0)
        #expect(try await store.dispatch(Adding(amount: 9)) == 9)
    }

    @Test("Side-effect interceptors run in the order of addition, each around the later ones and the operation")
    func order() async throws {
        let store = Ledger.store()
        for name in ["outer", "inner"] {
            store.use(
                LedgerInterceptor(name) { _, context, next in
                    try await context.dispatch(.write(context.snapshot.note + " \(name)"))
                    try await next()
                    try await context.dispatch(.write(context.snapshot.note + " \(name)"))
                }
            )
        }
        try await store.dispatch(LedgerWork { try await $0.dispatch(.write($0.snapshot.note + " work")) })
        #expect(store.snapshot.note == " outer inner work inner outer")
    }

    @Test("Errors of the operation reach the interceptors, and the dispatcher also when the interceptors catch them")
    func failures() async throws {
        let store = Ledger.store()
        store.use(
            LedgerInterceptor("audit") { _, context, next in
                do {
                    try await next()
                } catch is Broken {
                    try await context.dispatch(.write("failed"))
                }
            }
        )
        await #expect(throws: Broken.self) { try await store.dispatch(LedgerWork<Int> { _ in throw Broken() }) }
        #expect(store.snapshot.note == "failed")
    }

    @Test("An interceptor's error is thrown to the dispatcher, also when the operation has ended")
    func failuresOfTheirOwn() async throws {
        let store = Ledger.store()
        store.use(
            LedgerInterceptor("audit") { _, _, next in
                try await next()
                throw Broken()
            }
        )
        await #expect(throws: Broken.self) { try await store.dispatch(Adding(amount: 1)) }
        #expect(store.snapshot.total == 1)
    }

    @Test("An interceptor that calls next again repeats the operation, and the dispatcher gets the last result")
    func retries() async throws {
        let store = Ledger.store()
        store.use(
            LedgerInterceptor("retry") { _, _, next in
                for _ in 0..<3 {
                    do { return try await next() } catch is Broken { continue }
                }
            }
        )
        let attempts = Atomic(0)
        let value = try await store.dispatch(
            LedgerWork { _ in
                let attempt = attempts.add(1, ordering: .relaxed).newValue
                if attempt < 3 { throw Broken() }
                return attempt
            }
        )
        #expect(value == 3)
        await #expect(throws: Broken.self) { try await store.dispatch(LedgerWork<Int> { _ in throw Broken() }) }
    }

    @Test("The success of overlapping calls of next counts, also if the other one fails after it", arguments: [1, 2])
    func overlappingCalls(winner: Int) async throws {
        let store = Ledger.store()
        let (hasBegun, bothHaveBegun, isDecided) = (Signal(), Signal(), Signal())
        store.use(
            LedgerInterceptor("hedge") { _, _, next in
                await withTaskGroup(of: Void.self) { calls in
                    calls.addTask { try? await next() }
                    await hasBegun.wait()
                    calls.addTask { try? await next() }
                    await isDecided.wait()
                    calls.cancelAll()
                }
            }
        )
        let attempts = Atomic(0)
        let value = try await store.dispatch(
            LedgerWork { _ in
                let attempt = attempts.add(1, ordering: .relaxed).newValue
                if attempt == 1 { hasBegun.fire() } else { bothHaveBegun.fire() }
                guard attempt == winner else {
                    await untilCancelled()
                    throw Broken()
                }
                if attempt == 1 { await bothHaveBegun.wait() }
                isDecided.fire()
                return attempt
            }
        )
        #expect(value == winner)
    }

    @Test("The success of the second of three calls of next counts before the overlapping third")
    func threeCalls() async throws {
        let store = Ledger.store()
        let goOn = (0...3).map { _ in Latch() }
        let begun = (0...3).map { _ in Signal() }
        store.use(
            LedgerInterceptor("hedge") { _, _, next in
                let call: @Sendable () async -> Void = { try? await next() }
                let first = Task { await call() }
                await begun[1].wait()
                let second = Task { await call() }
                await begun[2].wait()
                goOn[2].open()
                await second.value
                let third = Task { await call() }
                await begun[3].wait()
                goOn[1].open()
                await first.value
                goOn[3].open()
                await third.value
            }
        )
        let attempts = Atomic(0)
        let value = try await store.dispatch(
            LedgerWork { _ in
                let attempt = attempts.add(1, ordering: .relaxed).newValue
                begun[attempt].fire()
                await goOn[attempt].wait()
                if attempt == 3 { throw Broken() }
                return attempt
            }
        )
        #expect(value == 2)
    }

    private func valueName<Body: SideEffect>(of sideEffect: Body) -> String { "\(Body.Value.self)" }

    @Test("Interceptors see side effects of scopes and children, and nested side effects")
    func reach() async throws {
        let root = Ledger.store()
        let seen = Mutex<[String]>([])
        root.use(
            LedgerInterceptor("log") { sideEffect, _, next in
                seen.withLock { $0.append(valueName(of: sideEffect)) }
                try await next()
            }
        )
        let child = root.child(initialState: Ledger.State(), reducer: Ledger())
        let scope = root.scope(\.total)
        try await child.dispatch(Work<ParentAndChild<Ledger.State, Ledger.State>, Ledger.Action, Int> { _ in 1 })
        try await scope.dispatch(Work<Int, Ledger.Action, String> { _ in "" })
        try await root.dispatch(
            LedgerWork { context in try await context.dispatch(LedgerWork { _ in true }) ? 1.5 : 0 }
        )
        #expect(seen.withLock { $0 } == ["Int", "String", "Double", "Bool"])
    }

    @Test("Interceptors of side effects have the dependencies of their store")
    func dependencies() async throws {
        let store = withDependencies {
            $0.number = 7
        } operation: {
            Ledger.store()
        }
        let seen = Atomic(0)
        store.use(
            LedgerInterceptor("number") { _, context, next in
                seen.store(context.dependencies.number, ordering: .relaxed)
                #expect(Dependency(\.number).wrappedValue == context.dependencies.number)
                try await next()
            }
        )
        try await withDependencies {
            $0.number = 8
        } operation: {
            try await store.dispatch(Adding(amount: 1))
        }
        #expect(seen.load(ordering: .relaxed) == 7)
    }

    @Test(
        "A waiting interceptor blocks neither the store nor other side effects, and a finishing shutdown awaits it"
    )
    func waiting() async throws {
        let store = Ledger.store()
        let (asked, answered) = (Signal(), Signal())
        store.use(
            LedgerInterceptor("ask") { sideEffect, context, next in
                if sideEffect is Adding {
                    asked.fire()
                    await answered.wait()
                    try await context.dispatch(.write("allowed"))
                }
                try await next()
            }
        )
        async let total = store.dispatch(Adding(amount: 1))
        await asked.wait()
        try await store.dispatch(.add(10))
        #expect(try await store.dispatch(LedgerWork { _ in true }))
        async let shutdown = store.shutdown(drain: .finishEffects)
        await #expect(throws: StoreError.shutDown) {
            while true { try await store.dispatch(.add(0)) }
        }
        answered.fire()
        #expect(try await total == 11)
        _ = await shutdown
        #expect(store.snapshot.note == "allowed")
    }

    @Test("An interceptor can limit the operation in time, and calls of next after its return throw")
    func limits() async throws {
        let (store, clock, late) = (
            Ledger.store(), ManualClock(), LockedValue<(@Sendable () async throws -> Void)?>(nil)
        )
        store.use(
            LedgerInterceptor("limit") { _, _, next in
                late.withLock { $0 = next }
                try await withTimeout(.seconds(1), clock: clock) { try await next() }
            }
        )
        #expect(try await store.dispatch(Adding(amount: 1)) == 1)
        let dispatcher = Task { try await store.dispatch(LedgerWork { _ in await untilCancelled() }) }
        await clock.waitForSleeper(until: .seconds(1))
        clock.advance(by: .seconds(1))
        await #expect(throws: TimedOut.self) { try await dispatcher.value }
        let next = try #require(late.withLock { $0 })
        await #expect(throws: StoreError.cancelled) { try await next() }
    }

    @Test("Cancelling the dispatcher cancels the interceptor")
    func cancellation() async throws {
        let store = Ledger.store()
        let asked = Signal()
        store.use(
            LedgerInterceptor("ask") { _, _, next in
                asked.fire()
                try await Task.sleep(for: .seconds(600))
                try await next()
            }
        )
        let dispatcher = Task { try await store.dispatch(Adding(amount: 1)) }
        await asked.wait()
        dispatcher.cancel()
        await #expect(throws: CancellationError.self) { try await dispatcher.value }
        #expect(store.snapshot.total == 0)
    }

    @Test("An added or removed interceptor applies to later side effects")
    func removal() async throws {
        let store = Ledger.store()
        let (begun, ended) = (Signal(), Signal())
        async let first: Void = store.dispatch(
            LedgerWork { _ in
                begun.fire()
                await ended.wait()
            }
        )
        await begun.wait()
        let maintenance = store.use(LedgerInterceptor("maintenance") { _, _, _ in })
        await #expect(throws: StoreError.rejected(by: "maintenance")) { try await store.dispatch(Adding(amount: 1)) }
        maintenance.remove()
        maintenance.remove()
        #expect(try await store.dispatch(Adding(amount: 1)) == 1)
        ended.fire()
        try await first
    }

    @Test(
        "A displaced action of an interceptor ends with the child of its side effect, without ending root effects"
    )
    func displacedForChild() async throws {
        let root = Ledger.store(
            configuration: StoreConfiguration(mailbox: .bounded(1, whenFull: .dropOldest))
        )
        let child = Ledger.child(of: root)
        let (passed, mayGoOn) = (Signal(), Signal())
        root.use(
            LedgerInterceptor("audit") { _, context, next in
                try await next()
                passed.fire()
                await mayGoOn.wait()
                #expect(context.send(.add(5)) == .accepted)
            }
        )
        // It is the first of the root, as the side effect is the first of the child.
        let effect = try await root.dispatch(.start(.run { _ in await untilCancelled() }))
        async let value = child.dispatch(
            Work<ParentAndChild<Ledger.State, Ledger.State>, Ledger.Action, Int> { _ in 7 }
        )
        await passed.wait()
        let hold = await root.holdUp()
        mayGoOn.fire()
        // The action, and behind it the end of the side effect.
        let core = try #require(root.root as? StoreCore<Ledger.State, Ledger.Action>)
        await until { core.mailboxLock.withLock { core.mailbox.messages.count } == 2 }
        #expect(root.send(.add(1)) == .acceptedDroppingOldest)
        hold.release()
        #expect(try await value == 7)
        #expect(await root.state.total == 1)
        try #require(await core.perform { child.node.effectRuntime.jobs.isEmpty })
        await child.shutdown(drain: .cancelEffects)
        try #require(await core.perform { core.effectRuntime.jobs.count } == 1)
        await root.cancelAllEffects()
        try await effect.finish()
    }

    @Test(
        "Interceptors of side effects are released with the store, at its end, and after their removal",
        arguments: ["release", "shutdown", "removal"]
    )
    func lifetime(end: String) async throws {
        var store: Store? = Ledger.store()
        let isReleased = Signal()
        let interception = addInterceptor(to: store, releasing: isReleased)
        try await store?.dispatch(Adding(amount: 1))
        switch end {
        case "release": store = nil
        case "shutdown": await store?.shutdown(drain: .finishEffects)
        default: interception?.remove()
        }
        await isReleased.wait()
    }

    private func addInterceptor(
        to store: Store<Ledger.State, Ledger.Action>?,
        releasing isReleased: Signal
    ) -> Interception? {
        let token = Token { isReleased.fire() }
        return store?.use(
            LedgerInterceptor("held") { _, _, next in
                withExtendedLifetime(token) {}
                try await next()
            }
        )
    }
}
