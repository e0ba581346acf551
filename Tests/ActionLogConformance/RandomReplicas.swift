import ActorStore
import ActorStorePersistence
import ActorStoreSimulation
import Foundation

extension ReplicaCheck {
    /// Replicas with random actions, faults of the log, and restarts.
    static let randomReplicas: [ReplicaCheck] = [UInt64](1...3).map { seed in
        ReplicaCheck("Replicas end with the same state after any failures and restarts, seed \(seed)") {
            laboratory in
            try await RandomReplicas(laboratory.log, seed: seed).run(rounds: 30)
        }
    }
}

/// Three replicas that dispatch while their connections fail and they are shut down and opened again.
///
/// Each order is a sender's number times 10,000 plus a count of the sender, so that the end shows lost, doubled and
/// disordered ones.
public final class RandomReplicas {
    private var logs: [FaultyLog]
    private var stores: [ShopStore] = []
    private var random: SimulationGenerator
    private var senders = 0
    /// The number of rounds for which each replica is still cut off.
    private var absences = [0, 0, 0]
    /// The acknowledgements of each sender: the minimum number of its orders in the log.
    private var acknowledged: [Int: Int] = [:]
    private let replication: ReplicationConfiguration

    /// Opens three replicas of a log, each with its own failures.
    public init(_ log: any ActionLog, seed: UInt64) {
        logs = (0..<3).map { _ in FaultyLog(log) }
        random = SimulationGenerator(seed: seed)
        replication = ReplicationConfiguration(
            reconnection: RetryPolicy(maxAttempts: .max, backoff: .constant(.milliseconds(1))),
            snapshots: SnapshotInterval(actions: 40),
            // So that absent replicas occasionally have to continue with a snapshot.
            retention: .snapshots(1),
            replicaPatience: .milliseconds(20),
            digestInterval: 25
        )
    }

    /// Runs a number of rounds, and compares the final states.
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

    /// Some concurrent orders of each replica, while one of them fails.
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

    /// - Returns: The number of orders acknowledged to the sender.
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
                    // A replica that is cut off would wait long.
                    guard number == count, kind == 2 else { continue }
                    try await store.commit()
                    // An action accepted by the store that reaches the replica during its shutdown is rejected.
                    guard store.store.statistics.rejectedActions == 0 else { return (sender, 0) }
                }
                told = number
            } catch {
                // Its outcome is unknown, so later ones must not overtake it.
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
            // In the middle of its sends, with the entries in flight lost or not.
            let report = await stores[index].shutdown(drain: .finishEffects, within: .seconds(20))
            try expect(report.failure, is: nil, "why it had stopped")
            stores[index] = try await reopen(log)
        case 6:
            // Like a killed process: the entries in flight have been appended, or never will be.
            log.disconnect()
            sender.cancel()
            logs[index] = FaultyLog(log.base)
            stores[index] = try await reopen(logs[index])
        case 7:
            // Its begun sends wait as well.
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
                guard error.isTransient else { throw error }
            }
        }
    }

    private func compare() async throws {
        for store in stores {
            while true {
                do {
                    // Some senders have not waited for their sends.
                    try await store.commit()
                    try await store.readBarrier()
                    break
                } catch let error as ActionLogError where error.isTransient {
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
        }
        // The pending sends of replicas that were cut off.
        for store in stores { try await store.commit() }
        let fresh = try await ShopStore.open(logs[0].base, replication)
        for store in stores {
            // Released connections are closed later, and may still have sent something.
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
            // Each once and in order, without missing acknowledged ones.
            try expect(numbers, is: Array(0..<numbers.count).map { $0 + 1 }, "the orders of sender \(sender)")
            try expect(numbers.count >= told, is: true, "whether all \(told) of sender \(sender) are among \(numbers)")
        }
        _ = await fresh.end()
    }
}
