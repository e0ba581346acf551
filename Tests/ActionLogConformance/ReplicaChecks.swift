import ActorStore
import ActorStorePersistence
import Foundation

/// A property of a store's replicas on every engine, checked on an empty log.
public struct ReplicaCheck: Sendable, CustomStringConvertible {
    /// The sentence contradicted by a failure.
    public let description: String
    /// Whether it needs a log that can lose its end.
    public let needsLoss: Bool
    private let body: @Sendable (LogLaboratory) async throws -> Void

    init(
        _ description: String,
        needsLoss: Bool = false,
        _ body: @escaping @Sendable (LogLaboratory) async throws -> Void
    ) {
        self.description = description
        self.needsLoss = needsLoss
        self.body = body
    }

    /// Runs the check.
    ///
    /// - Throws: A ``ConformanceFailure`` if the replicas violate it.
    public func run(in laboratory: LogLaboratory) async throws { try await body(laboratory) }

    /// All checks.
    public static let all: [ReplicaCheck] = basics + losses + randomReplicas
}

/// Opens replicas, as many as there are configurations.
private func open(_ log: any ActionLog, count: Int) async throws -> [ShopStore] {
    var stores: [ShopStore] = []
    for _ in 0..<count { stores.append(try await .open(log)) }
    return stores
}

private func end(_ stores: [ShopStore]) async throws {
    for store in stores { try expect(await store.end().isComplete, is: true, "whether nothing is left") }
}

/// Fails unless a closure throws an error with a code.
private func expect(_ code: ActionLogError.Code, from what: String, _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as ActionLogError where error.code == code {
        return
    } catch {
        throw ConformanceFailure(description: "\(what) threw \(error), and not \(code)")
    }
    throw ConformanceFailure(description: "\(what) did not throw \(code)")
}

extension ReplicaCheck {
    /// Order, opening, answers, names, barriers, effects and snapshots.
    static let basics: [ReplicaCheck] = [
        ReplicaCheck("All replicas reduce all actions in one order, which contains that of each sender") { laboratory in
            let stores = try await open(laboratory.log, count: 3)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, store) in stores.enumerated() {
                    group.addTask {
                        for number in 1...40 {
                            try await store.dispatch(.order(index * 1_000 + number))
                            let last = store.snapshot.orders.last { $0 / 1_000 == index }
                            try expect(last, is: index * 1_000 + number, "the last order")
                        }
                    }
                }
                try await group.waitForAll()
            }
            for store in stores { try await store.readBarrier() }
            let orders = stores[0].snapshot.orders
            try expect(orders.count, is: 120, "the number of orders")
            for (index, store) in stores.enumerated() {
                try expect(store.snapshot.orders, is: orders, "the orders of replica \(index)")
                try expect(store.revision, is: 120, "the revision of replica \(index)")
                let mine = orders.filter { $0 / 1_000 == index }
                try expect(mine, is: Array(index * 1_000 + 1...index * 1_000 + 40), "those that it has sent")
            }
            try await end(stores)
        },
        ReplicaCheck("A replica opened later has all actions, with or without a snapshot, and after a restart") {
            laboratory in
            let first = try await ShopStore.open(laboratory.log)
            try await first.order(1...50)
            let second = try await ShopStore.open(laboratory.log)
            try expect(second.snapshot.orders, is: Array(1...50), "the state made of the actions")
            try expect(try await first.checkpoint(), is: 50, "the revision of the snapshot")
            try await first.order(51...60)
            let third = try await ShopStore.open(laboratory.log)
            try expect(third.snapshot.orders, is: Array(1...60), "the state made of the snapshot")
            try expect(third.recovery.snapshotRevision, is: 50, "the snapshot that it has begun with")
            try await third.dispatch(.order(61))
            try await first.readBarrier()
            try expect(first.snapshot.orders, is: Array(1...61), "what the first one has")
            try await end([first, second, third])
            let next = try await ShopStore.open(laboratory.log)
            try expect(next.snapshot.orders, is: Array(1...61), "what there is after all have gone")
            try expect(next.revision, is: 61, "its revision")
            try await end([next])
        },
        ReplicaCheck("A read behind a barrier includes all actions acknowledged before, by any replica") { laboratory in
            let stores = try await open(laboratory.log, count: 2)
            for number in 1...30 {
                let (writer, reader) = (stores[number % 2], stores[1 - number % 2])
                try await writer.dispatch(.order(number))
                try await reader.readBarrier()
                try expect(reader.snapshot.orders.last, is: number, "the last order")
            }
            try await end(stores)
        },
        ReplicaCheck("A request is answered at its place in the order of all") { laboratory in
            let stores = try await open(laboratory.log, count: 2)
            let places = try await withThrowingTaskGroup(of: [Int: Int].self) { group in
                for (index, store) in stores.enumerated() {
                    group.addTask {
                        var places: [Int: Int] = [:]
                        for number in 1...25 {
                            let order = index * 1_000 + number
                            places[order] = try await store.ask(Shop.Queue(order: order))
                        }
                        return places
                    }
                }
                return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
            }
            for store in stores { try await store.readBarrier() }
            let orders = stores[0].snapshot.orders
            try expect(orders.count, is: 50, "the number of orders")
            for (place, order) in orders.enumerated() { try expect(places[order], is: place + 1, "the place") }
            try await end(stores)
        },
        ReplicaCheck("A named action is reduced once, wherever it is sent, also after a restart") {
            laboratory in
            let stores = try await open(laboratory.log, count: 2)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in stores {
                    for _ in 0..<5 { group.addTask { try await store.dispatch(.order(1), id: "one") } }
                }
                try await group.waitForAll()
            }
            for store in stores { try await store.readBarrier() }
            for store in stores { try expect(store.snapshot.orders, is: [1], "the orders") }
            try await end(stores)
            let next = try await ShopStore.open(laboratory.log)
            try await next.dispatch(.order(1), id: "one")
            try expect(next.snapshot.orders, is: [1], "the orders after a restart")
            try await end([next])
        },
        ReplicaCheck("One of several actions for the same revision is reduced") { laboratory in
            let stores = try await open(laboratory.log, count: 2)
            for round in 1...10 {
                for store in stores { try await store.readBarrier() }
                let revision = stores[0].revision
                let reduced = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for store in stores {
                        group.addTask {
                            do {
                                try await store.dispatch(.order(round), expecting: revision)
                                return true
                            } catch let error as ActionLogError where error.code == .unexpectedRevision {
                                return false
                            }
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                try expect(reduced, is: 1, "the number of actions reported as reduced")
            }
            for store in stores { try await store.readBarrier() }
            for store in stores { try expect(store.snapshot.orders, is: Array(1...10), "the orders") }
            try await end(stores)
        },
        ReplicaCheck("Effects run on the holder of the lease, and on the next one after it has gone") { laboratory in
            let done = Events<String>()
            func join(_ name: String, lasting duration: Duration) async throws -> ShopStore {
                let replication = ReplicationConfiguration(name: name, effects: .leaseHolder(lasting: duration))
                return try await .open(laboratory.log, replication, Shop { number in done.add("\(name)\(number)") })
            }
            let first = try await join("a", lasting: .seconds(600))
            for await holder in first.effectsHolder.values(of: \.self) where holder?.holder == first.origin { break }
            let second = try await join("b", lasting: .seconds(4))
            try await second.dispatch(.deliver(1))
            try await first.dispatch(.deliver(2))
            for store in [first, second] { await store.reaches { $0.deliveries.sorted() == [1, 2] } }
            try expect(done.all.sorted(), is: ["a1", "a2"], "where they ran")
            let token = first.lease?.token ?? .max
            try await end([first])
            for await holder in second.effectsHolder.values(of: \.self) where holder?.holder == second.origin { break }
            try await second.dispatch(.deliver(3))
            await second.reaches { $0.deliveries.contains(3) }
            try expect(second.lease.map { $0.token > token }, is: true, "whether the token is greater")
            try expect(done.all.last, is: "b3", "where the last one ran")
            try await end([second])
        },
        ReplicaCheck("Entries are deleted behind the second snapshot, and replicas can still open") { laboratory in
            // Without a grace period for departed replicas.
            let replication = ReplicationConfiguration(snapshotAtShutdown: false, replicaPatience: .zero)
            let store = try await ShopStore.open(laboratory.log, replication)
            for checkpoint in 1...4 {
                try await store.order(checkpoint * 100..<checkpoint * 100 + 20)
                try expect(try await store.checkpoint(), is: UInt64(checkpoint * 20), "the revision of the snapshot")
            }
            let connection = try laboratory.log.connect()
            // The replica's first entry comes before its actions.
            while try connection.status().first < 62 || connection.snapshots().count > 2 {
                try await Task.sleep(for: .milliseconds(5))
            }
            try expect(try connection.snapshots().count, is: 2, "the number of snapshots")
            let second = try await ShopStore.open(laboratory.log, replication)
            try expect(second.snapshot, is: store.snapshot, "the state of another replica")
            try await store.order([1])
            try await second.readBarrier()
            try expect(second.snapshot.orders.last, is: 1, "what comes afterwards")
            try await end([store, second])
        },
    ]
}

extension ReplicaCheck {
    /// The behaviour after the log has lost its end.
    static let losses: [ReplicaCheck] = [
        ReplicaCheck("A lost end stops all replicas that have reduced it, and others can open", needsLoss: true) {
            laboratory in
            guard let loseEnd = laboratory.loseEnd else { return }
            let stores = try await open(laboratory.log, count: 2)
            try await stores[0].order(1...5)
            let kept = stores[0].statistics.position
            try await stores[0].order(6...8)
            try await stores[1].readBarrier()
            // While they send.
            let senders = stores.map { store in
                Task { while (try? await store.dispatch(.order(100))) != nil {} }
            }
            try loseEnd(kept)
            for store in stores {
                try expect(await store.failure()?.code, is: .lostEntries, "why it has stopped")
                try await expect(.lostEntries, from: "another action") { try await store.dispatch(.order(9)) }
            }
            for sender in senders { await sender.value }
            for store in stores { _ = await store.end() }
            // Some engines keep their own acknowledgements.
            let next = try await ShopStore.open(laboratory.log, ReplicationConfiguration(recovery: .acceptingLoss))
            try expect(next.snapshot.orders, is: Array(1...5), "what the next one has")
            try await next.order(10...12)
            let other = try await ShopStore.open(laboratory.log)
            try expect(other.snapshot.orders, is: [1, 2, 3, 4, 5, 10, 11, 12], "what another one has")
            try await end([next, other])
        },
        ReplicaCheck("A lost end stops a replica that was away, although others have gone further", needsLoss: true) {
            laboratory in
            guard let loseEnd = laboratory.loseEnd else { return }
            let log = FaultyLog(laboratory.log)
            let first = try await ShopStore.open(log)
            try await first.order(1...5)
            let kept = first.statistics.position
            try await first.order(6...8)
            log.disconnect()
            for await phase in first.phase.values(of: \.self) where phase != .connected { break }
            try loseEnd(kept)
            let replication = ReplicationConfiguration(replicaPatience: .zero, recovery: .acceptingLoss)
            let second = try await ShopStore.open(laboratory.log, replication)
            for number in 1...3 {
                try await second.order(number * 100...number * 100 + 10)
                try await second.checkpoint()
            }
            log.reconnect()
            try expect(await first.failure()?.code, is: .lostEntries, "why it has stopped")
            try expect(first.snapshot.orders, is: Array(1...8), "its state")
            try expect(second.statistics.failure, is: nil, "what has stopped the other one")
            _ = await first.end()
            try await end([second])
        },
    ]
}
