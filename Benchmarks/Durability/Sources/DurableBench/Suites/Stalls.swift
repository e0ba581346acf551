import ActorStore
import ActorStorePersistence
import Benchmarking
import Foundation
import Synchronization

/// The dispatched actions per second.
private let rate = 50.0

/// The wait of a caller during another operation that uses the disk: see the maximum.
func stallBenchmarks<Engine: DurableEngine>(on _: Engine.Type) -> [Benchmark] {
    Disturbance.allCases.map { disturbance in
        Benchmark.latency(
            "disturbed dispatch",
            parameters: ["sync": .text(SyncTime.slow.rawValue), "while": .text(disturbance.rawValue)],
            loads: .rates([rate]),
            configuration: Configuration(nanoseconds: disturbance == .nothing ? 4_000_000_000 : 8_000_000_000)
        ) {
            try await Stalled(on: Engine(.slow), disturbance)
        } tearDown: {
            await $0.end()
        } operation: {
            try await $0.dispatch()
        }
    }
}

/// The operations beside the dispatches.
private enum Disturbance: String, CaseIterable {
    case nothing
    case snapshots = "snapshots of 1,000,000 numbers are made"
    case compaction = "100,000 actions are deleted behind a snapshot"
    case writing = "3 MB a second of other actions are written, and checkpointed"
}

/// A change of one number, with additional bytes for its length.
private struct Change: Codable, Sendable {
    var index: Int
    var padding = ""
}

/// A store with a large state that receives dispatches, and is disturbed.
private final class Stalled<Engine: DurableEngine>: Sendable {
    private let store: DurableStore<[Int], Change>
    private let number = Atomic(0)
    private let engine: Engine
    private let disturber: Task<Void, any Error>

    init(on engine: Engine, _ disturbance: Disturbance) async throws {
        self.engine = engine
        let (store, engine) = (try await Self.open(try engine.makeLog()), engine)
        self.store = store
        if disturbance == .compaction {
            for index in 0..<100_000 { store.send(Change(index: index)) }
            try await store.checkpoint()
        }
        try engine.settle()
        switch disturbance {
        case .nothing:
            disturber = Task {}
        case .snapshots:
            disturber = Task.detached {
                while !Task.isCancelled {
                    store.send(Change(index: 0))
                    try await store.checkpoint()
                }
            }
        case .compaction:
            disturber = Task.detached { try await store.compact(keepingSnapshots: 1) }
        case .writing:
            disturber = Task.detached {
                let change = Change(index: 1, padding: String(repeating: "x", count: 30_000))
                let start = ContinuousClock.now
                var count = 0
                while !Task.isCancelled {
                    store.send(change)
                    count += 1
                    if count % 100 == 0 { try engine.checkpoint() }
                    try await Task.sleep(until: start + .milliseconds(10) * count, clock: .continuous)
                }
            }
        }
    }

    private static func open(_ log: any ActionLog) async throws -> DurableStore<[Int], Change> {
        try await Store.durable(
            in: log,
            initialState: [Int](0..<1_000_000),
            durability: DurabilityConfiguration(
                snapshots: .never,
                snapshotAtShutdown: false,
                pendingLimit: 1_000_000,
                digestInterval: nil
            )
        ) { (state: inout [Int], change: Change) in state[change.index] &+= 1 }
    }

    func dispatch() async throws {
        let index = number.add(1, ordering: .relaxed).newValue % 1_000
        try await store.dispatch(Change(index: index))
    }

    func end() async {
        disturber.cancel()
        _ = await disturber.result
        await store.shutdown(drain: .cancelEffects)
    }
}
