import ActorStore
import ActorStoreFoundation
import Foundation
import Testing

@testable import TestFixtures

// A stand-in for the logger of swift-log.
private struct Logger {}

/// The listings of `RunningAService.md`, and what they do.
@Suite("Running a service", .timeLimit(.minutes(10)))
struct RunningAServiceTests {
    struct Orders: Reducer {
        struct State: Equatable, Sendable {
            var filled = 0
        }

        enum Action: Sendable {
            case order(Int)
            case filled(Int)
        }

        let warehouse: @Sendable (Int) async throws -> Int

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .order(let quantity):
                return .run { [warehouse] send in send(.filled(try await warehouse(quantity))) }
            case .filled(let quantity):
                state.filled += quantity
                return .none
            }
        }
    }

    private struct StoreService<State: Sendable, Action: Sendable>: Service {
        let store: Store<State, Action>
        var limit = Duration.seconds(25)

        func run() async throws {
            // A child task: cancelled and awaited when this method returns.
            async let _: Void = endGracefully()
            try await store.run(endingWithin: limit)
        }

        private func endGracefully() async throws {
            // Throws if the task is cancelled.
            try await gracefulShutdown()
            await store.shutdown(drain: .finishEffects, within: limit)
        }
    }

    private func serve(
        _ store: Store<Orders.State, Orders.Action>,
        behind server: any Service,
        logger: Logger
    ) async throws {
        let group = ServiceGroup(
            services: [StoreService(store: store), server],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        try await group.run()
    }

    /// A server that takes one more order while it is shut down.
    private struct Server: Service {
        let store: Store<Orders.State, Orders.Action>
        let outcomes: Collector<SendOutcome>

        func run() async throws {
            try? await gracefulShutdown()
            outcomes.append(store.send(.order(2)))
        }
    }

    func fill(_ orders: [Int], from warehouse: @escaping @Sendable (Int) async throws -> Int) async throws -> Int {
        try await withStore(initialState: Orders.State(), reducer: Orders(warehouse: warehouse)) { store in
            for quantity in orders { try await store.dispatch(.order(quantity)).finish() }
            return store.snapshot.filled
        }
    }

    func serve(
        _ store: Store<Orders.State, Orders.Action>,
        until signals: some AsyncSequence<Int32, Never>,
        clock: some Clock<Duration> = ContinuousClock(),
        log: @Sendable (String) -> Void
    ) async -> ShutdownReport {
        for await _ in signals { break }
        let report = await store.shutdown(drain: .finishEffects, within: .seconds(25), clock: clock)
        for effect in report.unfinishedEffects { log("\(effect)") }
        return report
    }

    func logErrors(
        of store: Store<Orders.State, Orders.Action>,
        to log: @escaping @Sendable (String) -> Void
    ) -> Task<Void, Never> {
        let failures = store.errors
        return Task {
            for await failure in failures { log("\(failure)") }
            // The buffer keeps the newest 1,024 errors.
            if failures.droppedCount > 0 { log("\(failures.droppedCount) older errors were not logged.") }
        }
    }

    // Only compiled, because it waits for a signal.
    private func run(from warehouse: @escaping @Sendable (Int) async throws -> Int) async {
        let signals = StopSignals()
        let store = Store(initialState: Orders.State(), reducer: Orders(warehouse: warehouse))
        let errors = logErrors(of: store) { print($0) }
        _ = await serve(store, until: signals) { print($0) }
        await errors.value
    }

    struct OutOfStock: Error {}

    @Test("A job has its store while it runs")
    func job() async throws {
        #expect(try await fill([1, 2, 3]) { $0 } == 6)
        // The store that is released has an error that the job does not observe, and says so.
        let issues = Collector<ReportedIssue>()
        await StoreIssueReporter.$scoped.withValue(StoreIssueReporter { issues.append($0) }) {
            await #expect(throws: OutOfStock.self) { try await fill([1]) { _ in throw OutOfStock() } }
        }
        #expect(issues.elements.count == 1)
    }

    @Test("A stop request shuts the store down in order: accepted work is finished, and nothing is left running")
    func requestToStop() async throws {
        // Requests by real signals are tested with a process of its own, the example.
        let (requests, continuation) = AsyncStream.makeStream(of: Int32.self)
        let goOn = Signal()
        let orders = Orders { quantity in
            await goOn.wait()
            return quantity
        }
        let store = Store(initialState: Orders.State(), reducer: orders)
        let lines = Collector<String>()
        let service = Task { await serve(store, until: requests, clock: ManualClock()) { lines.append($0) } }
        try await store.dispatch(.order(5))
        continuation.yield(SIGTERM)
        await until { !store.phase.isReady }
        #expect(store.send(.order(1)) == .refused(.shutDown))
        goOn.fire()
        #expect(await service.value.isClean)
        #expect(store.snapshot.filled == 5)
        #expect(lines.elements.isEmpty)
    }

    @Test("A graceful shutdown ends the server, then the store with its effects finished, and run() returns")
    func gracefulShutdownOfGroup() async throws {
        let goOn = Latch()
        let orders = Orders { quantity in
            await goOn.wait()
            return quantity
        }
        let store = Store(initialState: Orders.State(), reducer: orders)
        let outcomes = Collector<SendOutcome>()
        let (signals, terminal) = AsyncStream.makeStream(of: UnixSignal.self)
        // With a limit that the tests which run at the same time cannot use up.
        let group = ServiceGroup(
            services: [
                StoreService(store: store, limit: .seconds(36_000)), Server(store: store, outcomes: outcomes),
            ],
            gracefulShutdownSignals: [.sigterm],
            logger: Logger()
        )
        let program = ServiceGroup.$signals.withValue(signals) { Task { try await group.run() } }
        try await store.dispatch(.order(5))
        terminal.yield(.sigterm)
        await until { !store.phase.isReady }
        // The phase tells before the mailbox is closed.
        await until { !store.send(.order(0)).isAccepted }
        #expect(store.send(.order(1)) == .refused(.shutDown))
        #expect(outcomes.elements == [.accepted])
        goOn.open()
        try await program.value
        #expect(store.phase.description == "ended")
        #expect(store.snapshot.filled == 7)
    }

    @Test("A cancelled group cancels the effects of its store, before and during a graceful shutdown")
    func cancelledGroup() async throws {
        for isGraceful in [false, true] {
            let began = Signal()
            let orders = Orders { quantity in
                began.fire()
                await untilCancelled()
                throw CancellationError()
            }
            let store = Store(initialState: Orders.State(), reducer: orders)
            let (signals, terminal) = AsyncStream.makeStream(of: UnixSignal.self)
            let program = ServiceGroup.$signals.withValue(signals) {
                Task { try await serve(store, behind: Server(store: store, outcomes: Collector()), logger: Logger()) }
            }
            try await store.dispatch(.order(5))
            await began.wait()
            if isGraceful {
                terminal.yield(.sigterm)
                await until { !store.phase.isReady }
            }
            program.cancel()
            try await program.value
            #expect(store.phase.description == "ended")
            #expect(store.snapshot.filled == 0)
        }
    }

    @Test("A store that ends by itself ends its service")
    func endsByItself() async throws {
        let store = Store(initialState: Orders.State(), reducer: Orders { $0 })
        let service = Task { try await StoreService(store: store).run() }
        await store.shutdown(drain: .finishEffects)
        try await service.value
    }

    @Test("Errors of the warehouse are logged with their order")
    func errors() async throws {
        let store = Store(initialState: Orders.State(), reducer: Orders { _ in throw OutOfStock() })
        let lines = Collector<String>()
        let log = logErrors(of: store) { lines.append($0) }
        try await store.dispatch(.order(7))
        await store.shutdown(drain: .finishEffects)
        await log.value
        #expect(lines.elements.count == 1)
        #expect(lines.elements.first?.contains("order(7)") == true)
        #expect(lines.elements.first?.contains("OutOfStock") == true)
    }
}
