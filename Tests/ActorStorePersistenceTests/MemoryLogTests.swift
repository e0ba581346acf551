import ActionLogConformance
import ActorStorePersistence
import Foundation
import Testing

@Suite("The log in memory", .mayWait)
struct MemoryLogTests {
    @Test("A log in memory passes the conformance checks", arguments: ConformanceCheck.all)
    func conformance(check: ConformanceCheck) throws {
        let log = MemoryLog()
        try check.run(
            in: LogLaboratory(log) {
                log.loseEnd(after: $0)
            } sleep: {
                Thread.sleep(forTimeInterval: $0 / .seconds(1))
            }
        )
    }

    @Test("Connections to a disconnected log throw, and new ones continue where it was")
    func disconnection() throws {
        let log = MemoryLog(name: "stock")
        let connection = try log.connect()
        let entry = ActionLogEntry(
            ActionLogEntry.Identity(origin: "a", number: 1),
            header: "",
            payload: Data("bought".utf8)
        )
        try connection.append([entry], if: AppendCondition(.end(.start)))
        log.disconnect()
        let failure = #expect(throws: ActionLogError.self) { try connection.status() }
        #expect(failure?.code == .disconnected)
        #expect(failure?.isTransient == true)
        #expect(failure?.description == "stock: The log is disconnected. Connect again after reconnect().")
        #expect(throws: ActionLogError.self) { try log.connect() }
        log.reconnect()
        #expect(try log.connect().read(after: 0, atMost: 1_000) == [entry])
        #expect(try connection.status().end.position == 1)
    }

    @Test("A waiting connection is woken when the log is disconnected")
    func disconnectedWait() async throws {
        let log = MemoryLog()
        let connection = try log.connect()
        let thread = Thread { log.disconnect() }
        thread.start()
        #expect(throws: ActionLogError.self) { try connection.wait(after: 0, for: .seconds(600)) }
    }

    @Test("A finish that is repeated after a newer snapshot leaves the parts of its snapshot")
    func lateFinish() throws {
        let connection = try MemoryLog().connect()
        var snapshots: [ActionLogSnapshot] = []
        for number in 1...2 as ClosedRange<UInt64> {
            let identity = ActionLogEntry.Identity(origin: "a", number: number)
            try connection.append(
                [ActionLogEntry(identity, header: "", payload: Data())],
                if: AppendCondition(.contains(.start))
            )
            let point = ActionLogPoint(position: number, identity: identity)
            let snapshot = ActionLogSnapshot(at: point, header: "", parts: 1)
            try connection.write(Data([1]), 0, of: snapshot)
            #expect(try connection.finish(snapshot))
            snapshots.insert(snapshot, at: 0)
        }
        #expect(try connection.finish(snapshots[1]))
        #expect(try connection.snapshots() == snapshots)
        #expect(try connection.part(0, of: snapshots[1]) == Data([1]))
    }

    @Test("The limits of a configuration hold also when they are set later")
    func limits() {
        var durability = DurabilityConfiguration()
        (durability.pendingLimit, durability.pendingByteLimit, durability.leaseDuration) = (0, -1, .seconds(Int64.min))
        #expect(durability.pendingLimit == 1 && durability.pendingByteLimit == 1)
        #expect(durability.leaseDuration == .milliseconds(100))
        var replication = ReplicationConfiguration()
        (replication.pendingLimit, replication.pendingByteLimit) = (-1, 0)
        #expect(replication.pendingLimit == 1 && replication.pendingByteLimit == 1)
    }
}
