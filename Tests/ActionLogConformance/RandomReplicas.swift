import ActorStore
import ActorStorePersistence
import ActorStoreSimulation
import Foundation

extension ReplicaCheck {
    /// Replicas with random actions, faults of the log, and restarts.
    static let randomReplicas: [ReplicaCheck] = [UInt64](1...3).map { seed in
        ReplicaCheck("Whatever fails and whoever restarts, replicas end with the same state, seed \(seed)") {
            laboratory in
            try await RandomReplicas(laboratory.log, seed: seed).run(rounds: 30)
        }
    }
}

/// Three replicas that dispatch while their connections fail and they are shut down and opened again.
///
/// Each order is a sender's number times 10,000 and a number that the sender counts, so that the end tells what was lost,
/// doubled, or disordered.
public final class RandomReplicas {
    private var logs: [FaultyLog]
    private var stores: [ShopStore] = []
    private var random: SimulationGenerator
    private var senders = 0
    /// For how many rounds each replica is still cut off.
    private var absences = [0, 0, 0]
    /// What each sender was told of: how many of its orders are in the log at least.
    private var acknowledged: [Int: Int] = [:]
    private let replication: ReplicationConfiguration

    /// Puts three replicas before a log, each with faults of its own.
    public init(_ log: any ActionLog, seed: UInt64) {
        logs = (0..<3).map { _ in FaultyLog(log) }
        random = SimulationGenerator(seed: seed)
        replication = ReplicationConfiguration(
            reconnection: RetryPolicy(maxAttempts: .max, backoff: .constant(.milliseconds(1))),
            snapshots: SnapshotInterval(actions: 40),
            // So that those who are away have to go on with a snapshot now and then.
            retention: .snapshots(1),
            replicaPatience: .milliseconds(20),
            digestInterval: 25
        )
    }

    /// Does so many rounds, and compares what is there in the end.
    public func run(rounds: Int) async throws {
        for log in logs { stores.append(try await .open(log, replication)) }
        for _ in 0..<rounds { try await round() }
        for log in logs {
            log.reconnect()
            log.failNoMore()
        }
        try await compare()
        for store in stores {
            let report = await store.end()
            try expect(report.isComplete, is: true, "whether nothing is left of \(report)")
        }
    }

    /// Some orders of each replica at the same time, while something happens to one of them.
    private func round() async throws {
        let sent = zip(stores, absences).map { store, absence -> Task<(sender: Int, count: Int), Never> in
            senders += 1
            let (sender, count) = (senders, Int.random(in: 1...15, using: &random))
            let kind = absence > 0 ? 3 : Int.random(in: 0..<3, using: &random)
            return Task { await Self.order(store, sender, count, kind) }
        }
        for index in absences.indices where absences[index] > 0 {
            absences[index] -= 1
            if absences[index] == 0 { logs[index].reconnect() }
        }
        let index = Int.random(in: 0..<3, using: &random)
        try await disturb(index, sent[index])
        for task in sent {
            let (sender, count) = await task.value
            acknowledged[sender] = count
        }
    }

    /// - Returns: How many orders the sender was told to be in the log.
    private static func order(_ store: ShopStore, _ sender: Int, _ count: Int, _ kind: Int) async -> (Int, Int) {
        var told = 0
        for number in 1...count {
            let order = Shop.Action.order(sender * 10_000 + number)
            do {
                switch kind {
                case 0: try await store.dispatch(order)
                case 1: try await store.dispatch(order, id: "\(sender) \(number)")
                default:
                    guard store.send(order).isAccepted else { return (sender, told) }
                    // One that is cut off would wait for long.
                    guard number == count, kind == 2 else { continue }
                    try await store.commit()
                    // What is accepted by the store, and comes to the replica when that is being shut down, is rejected.
                    guard store.store.statistics.rejectedActions == 0 else { return (sender, 0) }
                }
                told = number
            } catch {
                // It is not known what became of it, so that what comes after it must not overtake it.
                return (sender, told)
            }
        }
        return (sender, told)
    }

    private func disturb(_ index: Int, _ sender: Task<(sender: Int, count: Int), Never>) async throws {
        let log = logs[index]
        switch Int.random(in: 0..<9, using: &random) {
        case _ where absences[index] > 0: break
        case 0: log.fail(.append, with: .lostAnswer(.disconnected), .error(.busy))
        case 1: log.fail(.append, with: .error(.disconnected), .lostAnswer(.disconnected), .lostAnswer(.full))
        case 2: log.fail(.read, with: .error(.disconnected), .error(.disconnected))
        case 3: log.breakConnections()
        case 4:
            log.disconnect()
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...40, using: &random)))
            log.reconnect()
        case 5:
            // In the middle of what it sends, and with what is on its way lost or not.
            let report = await stores[index].shutdown(drain: .finishEffects, within: .seconds(20))
            try expect(report.failure, is: nil, "why it had stopped")
            stores[index] = try await reopen(log)
        case 6:
            // As a process that is killed: what is on its way has been appended, or never will be.
            log.disconnect()
            sender.cancel()
            logs[index] = FaultyLog(log.base)
            stores[index] = try await reopen(logs[index])
        case 7:
            // What it has begun to send waits as well.
            _ = await sender.value
            log.disconnect()
            absences[index] = 5
        default: log.fail(.finish, with: .lostAnswer(.disconnected))
        }
    }

    private func reopen(_ log: FaultyLog) async throws -> ShopStore {
        while true {
            do throws(ActionLogError) {
                return try await .open(log, replication)
            } catch {
                guard error.isPassing else { throw error }
            }
        }
    }

    private func compare() async throws {
        for store in stores {
            while true {
                do {
                    // Some senders have not waited for what they have sent.
                    try await store.commit()
                    try await store.readBarrier()
                    break
                } catch let error as ActionLogError where error.isPassing {
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
        }
        // What those have still to send who were cut off.
        for store in stores { try await store.commit() }
        let fresh = try await ShopStore.open(logs[0].base, replication)
        for store in stores {
            // What was released is closed some time later, and may still have sent something.
            repeat {
                try await store.readBarrier()
                try await fresh.readBarrier()
            } while store.revision < fresh.revision
            try expect(store.snapshot, is: fresh.snapshot, "the state")
            try expect(store.revision, is: fresh.revision, "the revision")
            try expect(store.statistics.failure, is: nil, "why it has stopped")
        }
        let state = fresh.snapshot
        for (sender, told) in acknowledged {
            let numbers = state.orders.filter { $0 / 10_000 == sender }.map { $0 % 10_000 }
            // Each once and in order, none of those missing that were acknowledged.
            try expect(numbers, is: Array(0..<numbers.count).map { $0 + 1 }, "the orders of sender \(sender)")
            try expect(numbers.count >= told, is: true, "whether all \(told) of sender \(sender) are among \(numbers)")
        }
        _ = await fresh.end()
    }
}
