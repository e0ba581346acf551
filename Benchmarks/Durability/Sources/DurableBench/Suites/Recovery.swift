import ActorStore
import ActorStorePersistence
import Benchmarking
import Foundation

private let actions = 1_000_000

/// Opening a log of many actions without a snapshot, beside reading as many plain rows, and decoding and reducing them.
func recoveryBenchmarks<Plain: PlainInserts>(beside _: Plain.Type) -> [Benchmark] {
    let parameters: Parameters = ["actions": .integer(actions)]
    // Each takes seconds.
    let configuration = Configuration(
        operationsPerSample: actions,
        nanoseconds: 1,
        minimumSamples: 3,
        warmUpSamples: 0,
        countsAllocations: false
    )
    return [
        Benchmark(
            "recovery",
            parameters: parameters,
            comparedWith: ["plain rows, read, decoded and reduced"],
            configuration: configuration
        ) {
            let engine = try Plain.Engine(.disk)
            let log = try engine.makeLog()
            try await fill(log)
            return (engine: engine, log: log)
        } measure: { fixture, count in
            let store = try await fixture.log.openLedger(quiet)
            guard store.snapshot.bookings == count else { throw SetUpError("The recovery has lost actions.") }
            await store.shutdown(drain: .cancelEffects)
        },
        Benchmark("plain rows, read, decoded and reduced", parameters: parameters, configuration: configuration) {
            let plain = try Plain(on: Plain.Engine(.disk))
            try plain.insert(actions, atOnce: 10_000)
            return plain
        } measure: { plain, count in
            var ledger = Ledger()
            let codec = JSONStateCodec()
            try plain.readAll { ledger.book(try codec.decode(Booking.self, from: Data($0))) }
            guard ledger.bookings == count else { throw SetUpError("Rows are missing.") }
        },
    ]
}

/// Writes only on request.
private let quiet = DurabilityConfiguration(
    level: .interval(.seconds(1)),
    snapshots: .never,
    snapshotAtShutdown: false,
    pendingLimit: 2 * actions,
    pendingByteLimit: .max
)

private func fill(_ log: any ActionLog) async throws {
    let store = try await log.openLedger(quiet)
    for number in 0..<actions { store.send(Booking(task: 0, number: number)) }
    try await store.commit()
    await store.shutdown(drain: .cancelEffects)
}
