import ActionLogConformance
import ActorStore
import Dispatch
import Foundation
import Testing

@testable import ActorStorePersistence

@Suite("Replicas of different programs", .timeLimit(.minutes(10)))
struct ReplicaVersionTests {
    let log = MemoryLog()

    private func append(_ header: String, _ payload: String, origin: String = "newer", number: UInt64 = 1) throws {
        let identity = ActionLogEntry.Identity(origin: origin, number: number)
        try log.connect().append([ActionLogEntry(identity, header: header, payload: Data(payload.utf8))])
    }

    @Test(
        "A replica waits before an unreadable action, reports it, accepts no actions, and blocks no other",
        arguments: [
            (#"{"kind":"action","reducer":1,"schema":1}"#, #"{"unknown":{}}"#, ActionLogError.Code.undecodable),
            (#"{"kind":"action","reducer":1,"schema":2}"#, #"{"order":{"_0":1}}"#, .unknownSchema),
            (#"{"kind":"action","reducer":2,"schema":1}"#, #"{"order":{"_0":1}}"#, .otherReducer),
            (#"{"kind":"something"}"#, "", .unknownFormat),
            (#"{"kind":"opening","lease":9223372036854775808}"#, "", .unknownFormat),
            ("data of another writer", "", .unknownFormat),
        ]
    )
    func waiting(header: String, payload: String, code: ActionLogError.Code) async throws {
        let store = try await ShopStore.open(
            log,
            ReplicationConfiguration(effects: .leaseHolder(lasting: .seconds(600)))
        )
        try await store.order(1...2)
        try await until { store.lease != nil }
        try await store.readBarrier()
        let position = store.statistics.position
        let waiting = Task { try await store.readBarrier() }
        try append(header, payload)
        let error = try #require(await store.failure())
        #expect(error.code == code)
        #expect(error.position == position + 1)
        #expect(store.phase.snapshot == .waiting(error))
        #expect(store.statistics.phase == .waiting(error))
        #expect(store.statistics.lastProblem == error)
        #expect(store.statistics.failure == nil)
        await expect(code, at: position + 1) { try await store.dispatch(.order(3)) }
        await expect(code) { try await store.commit() }
        await expect(code) { try await store.readBarrier() }
        #expect(store.send(.order(3)) == .refused(.rejected(by: "log")))
        _ = try? await waiting.value
        // It does not skip the next one either.
        try append(#"{"kind":"action","reducer":1,"schema":1}"#, #"{"order":{"_0":9}}"#, origin: "other")
        #expect(store.snapshot.orders == [1, 2])
        // Another one gets its lease.
        #expect(store.lease == nil)
        try await until {
            try log.connect().claim(LeaseClaim(name: "effects", holder: "x", for: .seconds(1))).holder == "x"
        }
        // Its state can still be saved.
        #expect(try await store.checkpoint() == 2)
        #expect(await store.end().failure?.code == code)
    }

    @Test("A replica with a newer reducer stops none of its kind, and older ones wait where it has joined")
    func newerReducer() async throws {
        let old = try await ShopStore.open(log)
        try await old.order(1...3)
        // Behind actions for the older reducer it cannot join.
        let newer = ReplicationConfiguration(reducerVersion: 2)
        await expect(.otherReducer) { try await ShopStore.open(log, newer, Shop(factor: 10)) }
        try await old.order(4...5)
        try await old.checkpoint()
        let new = try await ShopStore.open(log, newer, Shop(factor: 10))
        #expect(new.snapshot.orders == [1, 2, 3, 4, 5])
        #expect(await old.failure()?.code == .otherReducer)
        await expect(.otherReducer) { try await old.dispatch(.order(6)) }
        try await new.order([6])
        #expect(new.snapshot.orders == [1, 2, 3, 4, 5, 60])
        #expect(old.snapshot.orders == [1, 2, 3, 4, 5])
        let another = try await ShopStore.open(log, newer, Shop(factor: 10))
        #expect(another.snapshot == new.snapshot)
        #expect(new.statistics.failure == nil)
        // The older program can no longer join.
        await expect(.otherReducer) { try await ShopStore.open(log) }
        for store in [old, new, another] { await store.end() }
        await expect(.otherReducer) { try await ShopStore.open(log) }
    }

    @Test("A newer reducer does not join behind an unseen action for the older one, and stops no replica")
    func joiningBehindAnAction() async throws {
        let old = try await ShopStore.open(log)
        try await old.order([1])
        try await old.checkpoint()
        let faulty = FaultyLog(log)
        let goOn = DispatchSemaphore(value: 0)
        faulty.fail(.append, with: .wait(goOn))
        let joining = Task {
            try await ShopStore.open(faulty, ReplicationConfiguration(reducerVersion: 2), Shop(factor: 10))
        }
        try await until { faulty.count(of: .append) == 1 }
        try await old.order([2])
        goOn.signal()
        await expect(.otherReducer) { try await joining.value }
        try await old.order([3])
        #expect(old.snapshot.orders == [1, 2, 3])
        await old.end()
    }

    @Test("An action for an older reducer behind a newer one is skipped by all")
    func lateActions() async throws {
        let faulty = FaultyLog(log)
        let old = try await ShopStore.open(faulty)
        try await old.order(1...3)
        try await old.checkpoint()
        // It has no information about the newer one when it sends.
        faulty.disconnect()
        try await until { !old.statistics.isConnected }
        let late = Task { try await old.dispatch(.order(4)) }
        try await until { old.statistics.pendingActions == 1 }
        let newer = ReplicationConfiguration(reducerVersion: 2)
        let new = try await ShopStore.open(log, newer, Shop(factor: 10))
        faulty.failAlways(.read, with: .error(.disconnected))
        faulty.reconnect()
        try await until { new.statistics.fencedActions == 1 }
        faulty.failAlways(.read, with: nil)
        await expect(.otherReducer) { try await late.value }
        try await new.order([5])
        #expect(new.snapshot.orders == [1, 2, 3, 50])
        let another = try await ShopStore.open(log, newer, Shop(factor: 10))
        #expect(another.snapshot == new.snapshot)
        #expect(another.statistics.fencedActions == 1)
        for store in [old, new, another] { await store.end() }
    }

    @Test("A replica that was away waits before a newer reducer's snapshot, and acknowledges nothing fenced by it")
    func newerSnapshot() async throws {
        let faulty = FaultyLog(log)
        let impatient = ReplicationConfiguration(
            reconnection: RetryPolicy(maxAttempts: .max, backoff: .constant(.milliseconds(1))),
            snapshotAtShutdown: false,
            retention: .snapshots(1),
            replicaPatience: .zero
        )
        var newer = impatient
        newer.reducerVersion = 2
        let old = try await ShopStore.open(faulty, impatient)
        try await old.order(1...3)
        try await old.checkpoint()
        // It still writes, and reads nothing.
        faulty.failAlways(.read, with: .error(.disconnected))
        try await until { !old.statistics.isConnected }
        let new = try await ShopStore.open(log, newer, Shop(factor: 10))
        let late = Task { try await old.dispatch(.order(4)) }
        try await until { new.statistics.fencedActions == 1 }
        try await new.order([5])
        try await new.checkpoint()
        try await until { try log.connect().status().first > new.statistics.position }
        faulty.failNoMore()
        await expect(.otherReducer) { try await late.value }
        guard case .waiting(let error) = old.phase.snapshot else {
            Issue.record("It does not wait: \(old.phase.snapshot)")
            return
        }
        #expect(error.code == .otherReducer)
        #expect(old.snapshot.orders == [1, 2, 3])
        #expect(new.snapshot.orders == [1, 2, 3, 50])
        await old.end()
        await new.end()
    }

    @Test("A replica that was away waits before snapshots of a newer schema")
    func newerSchemaOfSnapshots() async throws {
        let faulty = FaultyLog(log)
        let configuration = ReplicationConfiguration(
            reconnection: RetryPolicy(maxAttempts: .max, backoff: .constant(.milliseconds(1))),
            snapshotAtShutdown: false,
            retention: .snapshots(1),
            replicaPatience: .zero
        )
        var newer = configuration
        newer.schema = StateSchema(version: 2) { _, data in
            data
        } migrateState: { _, data in
            data
        }
        let old = try await ShopStore.open(faulty, configuration)
        try await old.order(1...3)
        faulty.failAlways(.read, with: .error(.disconnected))
        try await until { !old.statistics.isConnected }
        let new = try await ShopStore.open(log, newer)
        try await new.order(4...5)
        try await new.checkpoint()
        try await until { try log.connect().status().first > new.statistics.position }
        faulty.failNoMore()
        try await until { if case .waiting = old.phase.snapshot { true } else { false } }
        #expect(await old.failure()?.code == .unknownSchema)
        #expect(old.snapshot.orders == [1, 2, 3])
        #expect(new.snapshot.orders == [1, 2, 3, 4, 5])
        await old.end()
        await new.end()
    }

    @Test("A replica with a newer reducer does not accept the loss of actions that an older one can read")
    func unreducedActions() async throws {
        let old = try await ShopStore.open(log, ReplicationConfiguration(snapshotAtShutdown: false))
        try await old.order(1...3)
        await old.end()
        let accepting = ReplicationConfiguration(recovery: .acceptingLoss, reducerVersion: 2)
        await expect(.otherReducer) { try await ShopStore.open(log, accepting) }
        let seam = try await ShopStore.open(log)
        #expect(seam.snapshot.orders == [1, 2, 3])
        await seam.end()
        let new = try await ShopStore.open(log, accepting)
        #expect(new.snapshot.orders == [1, 2, 3])
        await new.end()
    }

    @Test(
        "The newest reducer accepts losses, also if an action for an older one follows its unreadable opening",
        arguments: [nil, #"{"kind":"opening","lease":7}"#, #"{"kind":"opening"}"#]
    )
    func lateActionBehindALoss(otherEntry: String?) async throws {
        let old = try await ShopStore.open(log)
        try await old.order(1...3)
        await old.end()
        try append("{", "")
        for number in 4...6 as ClosedRange<UInt64> {
            let payload = #"{"order":{"_0":\#(number)}}"#
            try append(#"{"kind":"action","reducer":2,"schema":1}"#, payload, number: number - 2)
        }
        if let otherEntry { try append(otherEntry, "", number: 5) }
        try append(#"{"kind":"action","reducer":1,"schema":1}"#, #"{"order":{"_0":7}}"#, origin: "late")
        await expect(.otherReducer) {
            try await ShopStore.open(log, ReplicationConfiguration(recovery: .acceptingLoss))
        }
        let new = try await ShopStore.open(
            log,
            ReplicationConfiguration(recovery: .acceptingLoss, reducerVersion: 2)
        )
        #expect(new.snapshot.orders == Array(1...6))
        #expect(new.recovery.problems.map(\.code) == [.unknownFormat, .otherReducer])
        await new.end()
    }

    @Test(
        "The newest reducer accepts losses although it has appended no action, and is named to others",
        arguments: [nil, #"{"kind":"opening","lease":7}"#, #"{"kind":"opening"}"#]
    )
    func newestReducerWithoutActions(otherEntry: String?) async throws {
        let old = try await ShopStore.open(log, ReplicationConfiguration(snapshotAtShutdown: false))
        try await old.order(1...3)
        await old.end()
        // Its snapshot, from which it has joined, is lost.
        try append(#"{"kind":"opening","reducer":2,"revision":3}"#, "")
        if let otherEntry { try append(otherEntry, "", number: 2) }
        var accepting = ReplicationConfiguration(recovery: .acceptingLoss, reducerVersion: 3)
        let error = await #expect(throws: ActionLogError.self) { try await ShopStore.open(log, accepting) }
        #expect(error?.code == .otherReducer)
        #expect(error?.reason.contains("with version 2 of the reducer") == true, "\(error?.reason ?? "")")
        accepting.reducerVersion = 2
        let new = try await ShopStore.open(log, accepting)
        #expect(new.snapshot.orders == [])
        await new.end()
    }

    @Test("The shutdown of the older reducer's last replica leaves a snapshot for the newer one")
    func seam() async throws {
        let old = try await ShopStore.open(log)
        try await old.order(1...3)
        await old.end()
        let new = try await ShopStore.open(log, ReplicationConfiguration(reducerVersion: 2), Shop(factor: 10))
        #expect(new.snapshot.orders == [1, 2, 3])
        try await new.order([4])
        #expect(new.snapshot.orders == [1, 2, 3, 40])
        await new.end()
    }

    @Test("Replicas that make different states of the same actions are detected by digests: R4")
    func divergence() async throws {
        let replication = ReplicationConfiguration(snapshotAtShutdown: true, digestInterval: 10)
        let faulty = FaultyLog(log)
        let stores = try await [
            ShopStore.open(log, replication), .open(log, replication), .open(faulty, replication, Shop(factor: 2)),
        ]
        try await stores[0].order(1...10)
        let error = try #require(await stores[2].failure())
        #expect(error.code == .diverged)
        #expect(error.reason.contains("At revision 10"))
        await expect(.diverged) { try await stores[2].dispatch(.order(11)) }
        await expect(.diverged) { try await stores[2].checkpoint() }
        try await stores[1].order(11...20)
        try await stores[0].readBarrier()
        #expect(stores[0].snapshot == stores[1].snapshot)
        for store in stores { await store.end() }
        // It has left no snapshot behind.
        #expect(faulty.count(of: .finish) == 0)
        let next = try await ShopStore.open(log, replication)
        #expect(next.snapshot.orders == Array(1...20))
        await next.end()
    }

    @Test("A replica whose reducer was changed under its old version is detected at its opening")
    func divergenceAtOpening() async throws {
        let replication = ReplicationConfiguration(snapshotAtShutdown: false, digestInterval: 10)
        let store = try await ShopStore.open(log, replication)
        try await store.order(1...12)
        try await until { try log.connect().status().end.position == 14 }
        await expect(.diverged) { try await ShopStore.open(log, replication, Shop(factor: 2)) }
        await store.end()
    }

    @Test("A digest of a state with another schema ends no replica")
    func digestOfOtherSchema() async throws {
        var replication = ReplicationConfiguration(snapshotAtShutdown: false, digestInterval: 10)
        let first = try await ShopStore.open(log, replication)
        try await first.order(1...12)
        try await until { try log.connect().status().end.position == 14 }
        replication.schema = StateSchema(version: 2) { version, data in
            guard version == 1, case .order(let number) = try JSONDecoder().decode(Shop.Action.self, from: data) else {
                return data
            }
            return try JSONEncoder().encode(Shop.Action.order(number * 10))
        }
        let second = try await ShopStore.open(log, replication)
        #expect(second.snapshot.orders == (1...12).map { $0 * 10 })
        try await first.order(13...25)
        try await until { try log.connect().status().end.position == 29 }
        try await second.readBarrier()
        #expect(second.snapshot.orders == (1...25).map { $0 * 10 })
        for store in [first, second] { await store.end() }
    }

    @Test("Actions and snapshots of an older schema are migrated")
    func migration() async throws {
        let first = try await ShopStore.open(log, ReplicationConfiguration(snapshotAtShutdown: false))
        try await first.order(1...3)
        try await first.checkpoint()
        try await first.order(4...5)
        await first.end()
        let schema = StateSchema(version: 2) { version, data in
            #expect(version == 1)
            let action = try JSONDecoder().decode(Shop.Action.self, from: data)
            guard case .order(let number) = action else { return data }
            return try JSONEncoder().encode(Shop.Action.order(number * 10))
        } migrateState: { _, data in
            var state = try JSONDecoder().decode(Shop.State.self, from: data)
            state.orders = state.orders.map { $0 * 10 }
            return try JSONEncoder().encode(state)
        }
        let second = try await ShopStore.open(log, ReplicationConfiguration(schema: schema))
        #expect(second.snapshot.orders == [10, 20, 30, 40, 50])
        await second.end()
    }
}
