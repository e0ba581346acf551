import ActorStore
import Testing

@testable import TestFixtures

@Suite("Faults: misbehaving effects", .timeLimit(.minutes(10)))
struct EffectFaultTests {
    private struct Broken: Error {}

    /// The misbehaviour of an effect.
    enum Fault: CaseIterable {
        case hangs, throwsError, ignoresCancellation, sendsForever, startsOthers

        func effect(_ goOn: Latch, _ census: Census, _ begun: Collector<Fault>) -> Effect<Parcels.Action> {
            let kept = census.member()
            switch self {
            case .hangs:
                return .run { _ in
                    await untilCancelled()
                    withExtendedLifetime(kept) {}
                }
            case .throwsError:
                return .run { _ in
                    defer { withExtendedLifetime(kept) {} }
                    throw Broken()
                }
            case .ignoresCancellation:
                return .run { send in
                    begun.append(self)
                    await goOn.wait()
                    send(.put(kept))
                }
            case .sendsForever:
                return .run { send in
                    while send(.put(census.member())).isAccepted { await Task.yield() }
                    withExtendedLifetime(kept) {}
                }
            case .startsOthers:
                return .run { send in
                    send(.start(.run { _ in await untilCancelled() }, census.member()))
                    withExtendedLifetime(kept) {}
                }
            }
        }
    }

    @Test("A shutdown with a deadline ends for a hundred effects of each kind, and reports those that ignored it")
    func allAtOnce() async throws {
        let census = Census()
        let (clock, goOn, begun) = (ManualClock(), Latch(), Collector<Fault>())
        do {
            let store = Parcels.store()
            let failures = store.errors
            for _ in 0..<100 {
                for fault in Fault.allCases { store.send(.start(fault.effect(goOn, census, begun), census.member())) }
            }
            // Effects cancelled before their beginning do not misbehave.
            await until { begun.elements.count == 100 && store.statistics.failures == 100 }
            let shutdown = Task { await store.shutdown(drain: .cancelEffects, within: .seconds(1), clock: clock) }
            // Only effects that ignore the shutdown are left.
            await clock.waitForSleepers()
            await until { store.statistics.runningEffects == 100 }
            clock.advance(by: .seconds(1))
            let report = await shutdown.value
            #expect(report.unfinishedEffects.count == 100)
            #expect(store.statistics.failures == 200)
            let received = store.snapshot.received
            goOn.open()
            await until { store.statistics.runningEffects == 0 }
            #expect(store.snapshot.received == received)
            #expect(store.statistics.lateActions >= 100)
            let errors = try await failures.all().map(\.error)
            #expect(errors.filter { $0 is Broken }.count == 100)
            #expect(errors.filter { $0 is EffectStillRunning }.count == 100)
        }
        await until { census.living == 0 }
    }

    @Test("One misbehaving effect of each kind, cancelled by identity, has no result, and the store keeps working")
    func cancelled() async throws {
        let census = Census()
        let (goOn, begun) = (Latch(), Collector<Fault>())
        let store = Parcels.store()
        for fault in Fault.allCases {
            try await store.dispatch(
                .start(fault.effect(goOn, census, begun).cancellable(id: "faulty"), census.member())
            )
        }
        await store.cancelEffects(id: "faulty")
        await store.cancelAllEffects()
        goOn.open()
        await until { store.statistics.runningEffects == 0 }
        let received = store.snapshot.received
        try await store.dispatch(.put(census.member()))
        #expect(store.snapshot.received == received + 1)
        await until { census.living == 1 }
    }

    @Test("A thousand unobserved errors are all reported, and only the last 64 are kept")
    func errors() async throws {
        let census = Census()
        let issues = Collector<Void>()
        let store = Parcels.store()
        await StoreIssueReporter.$scoped.withValue(StoreIssueReporter { _ in issues.append(()) }) {
            for _ in 0..<1_000 {
                let failing = Effect<Parcels.Action>.run { [kept = census.member()] _ in throw Loss(kept: kept) }
                _ = try? await store.dispatch(.start(failing, census.member())).finish()
            }
        }
        #expect(store.statistics.failures == 1_000)
        #expect(issues.elements.count == 1_000 - 64)
        // Each with the error's own value, that of the action that started the effect, and that of the effect in this
        // action.
        #expect(census.most <= 3 * 64 + 10)
        for await _ in store.errors.prefix(64) {}
        await until { census.living == 0 }
    }

    private struct Loss: Error { let kept: Census.Member }
}
