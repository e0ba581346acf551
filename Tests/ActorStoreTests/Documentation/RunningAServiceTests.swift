import ActorStore
import Dispatch
import Foundation
import Testing

/// What a library for services asks of one.
private protocol Service: Sendable {
    func run() async throws
}

/// What a test does in place of such a library.
private enum GracefulShutdown {
    @TaskLocal static var handlers: Collector<@Sendable () -> Void>?
}

private nonisolated(nonsending) func withGracefulShutdownHandler(
    _ operation: nonisolated(nonsending) () async throws -> Void,
    onGracefulShutdown handler: @escaping @Sendable () -> Void
) async throws {
    GracefulShutdown.handlers?.append(handler)
    try await operation()
}

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

    private struct OrderService: Service {
        let store: Store<Orders.State, Orders.Action>

        func run() async throws {
            try await withGracefulShutdownHandler {
                try await store.run()
            } onGracefulShutdown: {
                store.beginShutdown(drain: .finishEffects)
            }
        }
    }

    func fill(_ orders: [Int], from warehouse: @escaping @Sendable (Int) async throws -> Int) async throws -> Int {
        try await withStore(initialState: Orders.State(), reducer: Orders(warehouse: warehouse)) { store in
            for quantity in orders { try await store.dispatch(.order(quantity)).finish() }
            return store.snapshot.filled
        }
    }

    /// The signals that ask the program to stop, from now on.
    func requestsToStop(_ signals: [Int32] = [SIGINT, SIGTERM]) -> AsyncStream<Int32> {
        let (requests, continuation) = AsyncStream.makeStream(of: Int32.self)
        for number in signals {
            // Otherwise it ends the process before anybody is told.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                continuation.yield(number)
                // The second time it ends the process, and the source, which has to live until now, is let go.
                signal(number, SIG_DFL)
                source.cancel()
            }
            source.resume()
        }
        return requests
    }

    func serve(
        _ store: Store<Orders.State, Orders.Action>,
        until requests: AsyncStream<Int32>,
        clock: some Clock<Duration> = ContinuousClock(),
        log: @Sendable (String) -> Void
    ) async -> ShutdownReport {
        for await _ in requests { break }
        let report = await store.shutdown(drain: .finishEffects, within: .seconds(25), clock: clock)
        for effect in report.unfinishedEffects { log("\(effect)") }
        return report
    }

    func logErrors(
        of store: Store<Orders.State, Orders.Action>,
        to log: @escaping @Sendable (String) -> Void
    ) -> Task<Void, Never> {
        let failures = store.errors
        return Task { for await failure in failures { log("\(failure)") } }
    }

    struct OutOfStock: Error {}

    @Test("Every listing of the article is code that is compiled and run here, word for word")
    func listings() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let path = "Sources/ActorStore/ActorStore.docc/RunningAService.md"
        let article = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
            .replacingOccurrences(of: "private struct OrderService", with: "struct OrderService")
        let compiled = GuideTests.withoutIndentation(source)
        let listings = GuideTests.listings(of: article)
        #expect(listings.count == 6)
        for listing in listings {
            #expect(compiled.contains(GuideTests.withoutIndentation(listing)), "Not in the test source:\n\(listing)")
        }
    }

    @Test("A job has its store for as long as it runs")
    func job() async throws {
        #expect(try await fill([1, 2, 3]) { $0 } == 6)
        await #expect(throws: OutOfStock.self) { try await fill([1]) { _ in throw OutOfStock() } }
    }

    @Test("A request to stop shuts the store down in order: what was accepted is done, and nothing is left running")
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
        while store.phase.isReady { await Task.yield() }
        #expect(store.send(.order(1)) == .refused(.shutDown))
        goOn.fire()
        #expect(await service.value.isClean)
        #expect(store.snapshot.filled == 5)
        #expect(lines.elements.isEmpty)
    }

    @Test("A library for services runs the store, shuts it down gracefully, and can cancel it")
    func library() async throws {
        for isPatient in [true, false] {
            let goOn = Signal()
            let orders = Orders { quantity in
                await withTaskCancellationHandler {
                    await goOn.wait()
                } onCancel: {
                    goOn.fire()
                }
                return quantity
            }
            let store = Store(initialState: Orders.State(), reducer: orders)
            let handlers = Collector<@Sendable () -> Void>()
            let service = GracefulShutdown.$handlers.withValue(handlers) {
                Task { try await OrderService(store: store).run() }
            }
            try await store.dispatch(.order(5))
            while handlers.elements.isEmpty { await Task.yield() }
            for handler in handlers.elements { handler() }
            if isPatient { goOn.fire() } else { service.cancel() }
            try await service.value
            #expect(store.phase.description == "ended")
            #expect(store.snapshot.filled == (isPatient ? 5 : 0))
        }
    }

    @Test("What the warehouse throws is logged, with the order that it is about")
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
