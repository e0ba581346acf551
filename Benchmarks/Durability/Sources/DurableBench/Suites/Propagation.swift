import ActorStore
import ActorStorePersistence
import Benchmarking
import Foundation
import Propagation
import Synchronization

/// The number of observing processes.
private let replicaCounts = [1, 2, 4, 8]

/// The dispatched actions per second: few enough that two cores are enough for all processes.
private let rate = 100.0

/// The number of tasks that dispatch at full speed.
private let tasks = 16

/// The time until an observer of a replica in another process has seen an action dispatched in this one, beside the
/// database's own means to notify as many processes.
///
/// At a fixed rate with the shorter syncs of the disk: slow ones would hide the rest. At full speed with slow ones,
/// which the tasks share: otherwise the two cores would be the bottleneck.
func propagationBenchmarks<Engine: PropagationEngine>(on _: Engine.Type, beside feed: String) -> [Benchmark] {
    func benchmarks(
        _ replicas: Int,
        _ syncTime: SyncTime,
        _ more: Parameters,
        _ loads: LatencyLoads,
        callers: (ofStore: Producers, ofFeed: Producers),
        seconds: Int
    ) -> [Benchmark] {
        let own: Parameters = ["replicas": .integer(replicas), "sync": .text(syncTime.rawValue)]
        func benchmark(
            _ name: String,
            comparedWith baselines: [String] = [],
            _ callers: Producers,
            _ setUp: @escaping @Sendable (Engine) async throws -> PropagationFixture
        ) -> Benchmark {
            .propagation(
                name,
                parameters: own.merging(more) { own, _ in own },
                comparedWith: baselines,
                loads: loads,
                callers: callers,
                configuration: Configuration(nanoseconds: seconds * 1_000_000_000)
            ) {
                let propagation = try await setUp(Engine(syncTime))
                try await propagation.warmUp()
                return propagation
            } tearDown: {
                await $0.end()
            } operation: { propagation, start in
                try await propagation.send(at: start)
            } observe: { propagation in
                try await propagation.observe()
            }
        }
        return [
            benchmark("dispatch, until a replica has seen it", comparedWith: [feed], callers.ofStore) {
                try await PropagationFixture(byReplicasOn: $0, replicas)
            },
            benchmark(feed, callers.ofFeed) { try await PropagationFixture(byFeedsOf: $0, replicas) },
        ]
    }
    return replicaCounts.flatMap { replicas in
        // Eight give enough signals for a p99.9.
        let seconds = replicas < 8 ? 6 : 13
        return benchmarks(replicas, .disk, [:], .rates([rate]), callers: (.one, .one), seconds: seconds)
    }
        + replicaCounts.flatMap { replicas in
            benchmarks(
                replicas,
                .slow,
                ["tasks": .integer(tasks)],
                .unlimited,
                callers: (.tasks(tasks), .threads(tasks)),
                seconds: 2
            )
        }
}

/// An engine of logs that notifies processes of writes by others.
protocol PropagationEngine: DurableEngine {
    associatedtype Feed: SignalFeed

    /// The address of the server for other processes.
    var place: ObserverTask.Place { get }

    /// A log of that name.
    func makeLog(_ stream: String) -> any ActionLog

    /// The database's own means.
    func makeFeed(_ stream: String) throws -> Feed
}

extension RedisEngine: PropagationEngine {
    var place: ObserverTask.Place { .redis(port: instance.port) }

    func makeLog(_ stream: String) -> any ActionLog { instance.log(stream) }

    func makeFeed(_ stream: String) throws -> RedisFeed { try RedisFeed(port: instance.port, stream: stream) }
}

extension PostgresEngine: PropagationEngine {
    var place: ObserverTask.Place { .postgres(connectionString: instance.connectionString) }

    func makeLog(_ stream: String) -> any ActionLog { instance.log(stream) }

    func makeFeed(_ stream: String) throws -> PostgresFeed {
        try PostgresFeed(instance.connectionString, table: stream)
    }
}

/// A sender of signals, and the processes that see them.
private final class PropagationFixture: Sendable {
    /// Sends one, and returns when it is durable.
    private let send: @Sendable (Signal) async throws -> Void
    private let endSending: @Sendable () async -> Void
    private let observers: [ObserverProcess]
    private let folder: Folder
    private let count = Atomic(0)

    init<Engine: PropagationEngine>(byReplicasOn engine: Engine, _ replicas: Int) async throws {
        let stream = Self.makeName()
        let store = try await engine.makeLog(stream).openReplica()
        send = { try await store.dispatch($0) }
        endSending = { await store.shutdown(drain: .cancelEffects) }
        folder = try Folder()
        observers = try await Self.observers(replicas, ObserverTask(.replica, engine.place, stream: stream), folder)
    }

    init<Engine: PropagationEngine>(byFeedsOf engine: Engine, _ replicas: Int) async throws {
        let stream = Self.makeName()
        try engine.makeFeed(stream).create()
        // One for each concurrent sender.
        let idle = Pool { () throws -> Engine.Feed in
            let feed = try engine.makeFeed(stream)
            try feed.beginPublishing()
            return feed
        }
        send = { signal in
            let bytes = try JSONStateCodec().encode(signal)
            try idle.use { try $0.publish(bytes) }
        }
        endSending = {}
        folder = try Folder()
        observers = try await Self.observers(replicas, ObserverTask(.plain, engine.place, stream: stream), folder)
    }

    /// A word that is also an SQL name.
    private static func makeName() -> String { "signals_\(UInt64.random(in: .min ... .max))" }

    private static func observers(
        _ count: Int,
        _ task: ObserverTask,
        _ folder: Folder
    ) async throws -> [ObserverProcess] {
        let observers = try (0..<count).map { _ in try ObserverProcess(task, in: folder) }
        for observer in observers { try await observer.waitUntilReady() }
        return observers
    }

    /// Sends some unmeasured signals.
    func warmUp() async throws {
        for _ in 0..<50 { try await send(at: MonotonicClock.now) }
        _ = try await observe()
    }

    func send(at start: Int) async throws {
        try await send(Signal(number: count.add(1, ordering: .relaxed).newValue, sent: start))
    }

    /// The signals that all observers have seen since the last call.
    func observe() async throws -> Histogram {
        let sent = count.load(ordering: .relaxed)
        return try await withThrowingTaskGroup(of: Histogram.self) { group in
            for observer in observers { group.addTask { try await observer.report(after: sent) } }
            var all = Histogram()
            for try await seen in group { all.add(seen) }
            return all
        }
    }

    func end() async { await endSending() }
}

/// Values that are each used by one thread at a time, as many as are used concurrently.
private final class Pool<Element: Sendable>: Sendable {
    private let idle = Mutex<[Element]>([])
    private let make: @Sendable () throws -> Element

    init(_ make: @escaping @Sendable () throws -> Element) { self.make = make }

    func use(_ body: (Element) throws -> Void) throws {
        let element = try idle.withLock { $0.popLast() } ?? make()
        try body(element)
        idle.withLock { $0.append(element) }
    }
}
