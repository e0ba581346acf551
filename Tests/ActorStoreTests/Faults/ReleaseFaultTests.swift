import ActorStore
import Testing

@testable import TestFixtures

@Suite("Faults: stores released at any moment", .timeLimit(.minutes(10)))
struct ReleaseFaultTests {
    typealias Parcel = Store<Parcels.State, Parcels.Action>

    /// The activity of the store at the release of its last reference.
    enum Moment: CaseIterable {
        case untouched, rested, reducing, waiting, effect, stubbornEffect, timer
        case iterating, observed, dispatching, settledRead, condition, take, shutdown, transitions, child
    }

    @Test(
        "A store released at any moment ends, and so does every caller that waits for it",
        arguments: Moment.allCases
    )
    func released(at moment: Moment) async throws {
        let census = Census()
        let aftermath = try await use(at: moment, census)
        await aftermath?()
        await until { census.living == 0 }
    }

    /// Creates a store, brings it to the moment, and releases it.
    ///
    /// - Returns: The remaining steps.
    private func use(at moment: Moment, _ census: Census) async throws -> (@Sendable () async -> Void)? {
        let store = Parcels.store(token: census.member())
        switch moment {
        case .untouched:
            return nil
        case .rested:
            try await store.dispatch(.put(census.member()))
            return nil
        case .reducing, .waiting:
            let hold = await store.holdUpParcels()
            if moment == .waiting { for _ in 0..<10 { store.send(.put(census.member())) } }
            return { hold.release() }
        case .effect:
            try await store.dispatch(.start(.run { _ in await untilCancelled() }, census.member()))
            return nil
        case .stubbornEffect:
            let goOn = Latch()
            try await store.dispatch(
                .start(
                    .run { send in
                        await goOn.wait()
                        send(.put(census.member()))
                    },
                    census.member()
                )
            )
            return { goOn.open() }
        case .timer:
            let clock = ManualClock()
            let tick = Effect<Parcels.Action>.timer(every: .seconds(1), clock: clock) { _ in .put(census.member()) }
            try await store.dispatch(.start(tick, census.member()))
            await clock.waitForSleepers()
            return { await clock.waitForSleepers(0) }
        case .iterating:
            let readers = [BufferingPolicy.latest, .unbounded, .bounded(1)].map { policy in
                let values = store.values(of: \.last, buffering: policy)
                return Task { for await _ in values {} }
            }
            store.send(.put(census.member()))
            return { for reader in readers { await reader.value } }
        case .observed:
            let token = store.observe(\.last) { [kept = census.member()] _ in withExtendedLifetime(kept) {} }
            store.send(.put(census.member()))
            return { token.cancel() }
        default:
            return try await useByTask(store, at: moment, census)
        }
    }

    /// The moments of a task's lasting use of the store.
    private func useByTask(_ store: Parcel, at moment: Moment, _ census: Census) async throws
        -> @Sendable () async -> Void
    {
        switch moment {
        case .dispatching:
            let hold = await store.holdUpParcels()
            let task = Task { [store] in try await store.dispatch(.put(census.member())) }
            return {
                hold.release()
                _ = await task.result
            }
        case .settledRead:
            let hold = await store.holdUpParcels()
            let task = Task { [store] in await store.state.received }
            return {
                hold.release()
                _ = await task.value
            }
        case .condition:
            let task = Task { [store] in try await store.condition { $0.received > 0 } }
            await until { store.statistics.observers > 0 }
            return {
                task.cancel()
                _ = await task.result
            }
        case .take:
            let isThere = Signal()
            let task = Task { [store] in try await store.take(.where { _ in true }) { isThere.fire() } }
            await isThere.wait()
            return {
                task.cancel()
                _ = await task.result
            }
        case .shutdown:
            let goOn = Latch()
            try await store.dispatch(.start(.run { _ in await goOn.wait() }, census.member()))
            let task = Task { [store] in await store.shutdown(drain: .finishEffects) }
            await until { store.phase.description != "ready" }
            return {
                goOn.open()
                _ = await task.value
            }
        case .transitions:
            let transitions = store.transitions(buffering: .unbounded)
            let task = Task { for await _ in transitions {} }
            store.send(.put(census.member()))
            return { await task.value }
        default:
            let child = store.child(
                initialState: Parcels.State(),
                reducer: Parcels(token: census.member()),
                action: { _ in nil }
            )
            let values = child.values(of: \.local.last)
            let task = Task { for await _ in values {} }
            child.send(.put(census.member()))
            return { await task.value }
        }
    }
}
