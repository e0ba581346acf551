import ActorStore
import ActorStoreInstruments
import ActorStoreTesting
import Foundation
import Testing

@testable import TestFixtures

// Stand-ins for swift-log, swift-metrics and swift-distributed-tracing, with the names that the article's listings use.

private struct Logger: Sendable {
    let lines = Collector<String>()

    func debug(_ text: String, metadata: [String: String]) { lines.append("debug \(text)") }
    func warning(_ text: String, metadata: [String: String]) { lines.append("warning \(text)") }
    func error(_ text: String, metadata: [String: String]) { lines.append("error \(text) \(metadata["error"] ?? "")") }
}

private struct Timer: Sendable {
    let label: String
    let durations = Collector<Duration>()

    init(label: String) { self.label = label }

    func record(duration: Duration) { durations.append(duration) }
}

private struct Counter: Sendable {
    let label: String
    let counts = Collector<Int>()

    init(label: String) { self.label = label }

    func increment(by count: Int) { counts.append(count) }
}

private enum Span {
    /// The names of the spans around the current task, the outermost first.
    @TaskLocal static var current: [String] = []
}

private func withSpan<Result: Sendable>(
    _ name: String,
    _ operation: (String) async throws -> Result
) async throws -> Result {
    try await Span.$current.withValue(Span.current + [name]) { try await operation(name) }
}

private func print(_ value: Any) {}

/// The listings of the article "Instruments".
@Suite("The article about instruments", .timeLimit(.minutes(10)))
struct InstrumentsTests {
    struct Orders: Reducer {
        enum Action: Sendable { case order(Int), filled(Int) }

        struct OutOfStock: Error {}

        let warehouse: @Sendable (Int) async throws -> Int

        func reduce(into state: inout Int, action: Action) -> Effect<Action> {
            switch action {
            case .order(let quantity):
                // In a reducer. The span is current in the effect's task:
                // spans of the warehouse's client are its children.
                return .run { [warehouse] send in
                    let filled = try await withSpan("fill order") { _ in try await warehouse(quantity) }
                    send(.filled(filled))
                }
            case .filled(let quantity):
                state += quantity
                return .none
            }
        }
    }

    struct SlowReducers: StoreInstrument {
        func record(_ event: InstrumentEvent) {
            guard case .actionReduced(let event) = event, event.duration > .milliseconds(5) else { return }
            print("\(event.store) #\(event.revision): \(event.duration)")
        }
    }

    private struct LogInstrument: StoreInstrument {
        let logger: Logger

        func record(_ event: InstrumentEvent) {
            switch event {
            case .actionReduced(let event):
                let metadata = ["store": "\(event.store)", "action": "\(String(redacting: event.action))"]
                logger.debug("reduced", metadata: metadata)
            case .actionDropped(let event):
                logger.warning("dropped", metadata: ["store": "\(event.store)", "reason": "\(event.reason)"])
            case .effectFailed(let event, let error):
                let reason = String(redacting: error)
                logger.error("failed", metadata: ["effect": "\(event.effect.source)", "error": "\(reason)"])
            default: break
            }
        }
    }

    private struct MetricsInstrument: StoreInstrument {
        let reductions = Timer(label: "store.reductions")
        let waits = Timer(label: "store.waits")
        let effects = Timer(label: "store.effects")
        let dropped = Counter(label: "store.dropped")

        func record(_ event: InstrumentEvent) {
            switch event {
            case .actionAccepted(let event): waits.record(duration: event.waiting)
            case .actionReduced(let event): reductions.record(duration: event.duration)
            case .actionDropped(let event): dropped.increment(by: event.count)
            case .effectEnded(let event): effects.record(duration: event.duration)
            default: break
            }
        }
    }

    @Test("Instruments are used until they are removed, and take their time from a clock")
    func use() async throws {
        let store = Store(initialState: 0, reducer: Orders { $0 })
        let use = store.use(SlowReducers())
        use.remove()  // Or never.
        let testClock = TestClock()
        store.use(RecordingInstrument(), clock: testClock)
        try await store.dispatch(.filled(1))
    }

    @Test("A trace is written to a file")
    func trace() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = Store(initialState: 0, reducer: Orders { $0 })
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        let trace = ChromeTraceInstrument { text in file.write(Data(text.utf8)) }
        store.use(trace)
        try await store.dispatch(.filled(1))
        await store.shutdown(drain: .finishEffects)
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains("filled"))
    }

    @Test("Adapters write logs and metrics")
    func adapters() async throws {
        let (logger, metrics) = (Logger(), MetricsInstrument())
        let store = Store(initialState: 0, reducer: Orders { _ in throw Orders.OutOfStock() })
        store.use(LogInstrument(logger: logger))
        store.use(metrics)
        let errors = store.errors
        try await store.dispatch(.order(1))
        await store.shutdown(drain: .finishEffects)
        #expect(logger.lines.elements == ["debug reduced", "error failed OutOfStock()"])
        #expect(metrics.reductions.durations.elements.count == 1)
        #expect(metrics.waits.durations.elements.count == 1)
        withExtendedLifetime(errors) {}
    }

    @Test("The span of an effect is a child of the one in which its action was dispatched")
    func spans() async throws {
        let spans = Collector<[String]>()
        let store = Store(
            initialState: 0,
            reducer: Orders { quantity in
                spans.append(Span.current)
                return quantity
            }
        )
        // In a request handler. The span covers the action and its effects.
        try await withSpan("order") { _ in
            try await store.dispatch(.order(3)).finish()
        }
        #expect(spans.elements == [["order", "fill order"]])
        #expect(store.snapshot == 3)
    }
}
