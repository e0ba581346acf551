import Foundation
import Testing

@testable import ActorStorePersistence

@Suite("The state machine of a replica's pending entries")
struct ReplicaOutboxTests {
    var outbox = ReplicaOutbox<String, String>(of: "a", "log", after: 1, .buffer, limit: 4, byteLimit: 1_000)
    let error = ActionLogError(.closed, in: "log", "The end.")
    let problem = ActionLogError(.disconnected, in: "log", "The server is away.")

    private mutating func append(_ senders: String?...) {
        for sender in senders { _ = outbox.append("{}", Data("x".utf8), from: sender) }
    }

    private mutating func wait(for number: UInt64, _ waiter: String) -> Bool {
        if case .waits = outbox.wait(for: number, waiter, outbox.makeIdentity()) { true } else { false }
    }

    private mutating func take(atMost bytes: Int = 1_000) -> [UInt64] {
        outbox.take(atMost: bytes).map(\.identity.number)
    }

    @Test("Entries have numbers after the opening's, and are sent in that order, each once")
    mutating func taking() {
        append("a", "b", "c")
        #expect(take(atMost: 6) == [2, 3])
        #expect(take() == [4])
        #expect(take() == [])
        #expect(outbox.actions == 3)
    }

    @Test("An entry is settled after its acknowledgement and its reduction here, in either order")
    mutating func settling() {
        append("a", "b")
        #expect(wait(for: 2, "first") && wait(for: 3, "second"))
        _ = take()
        #expect(outbox.noteReduced(through: 3) == [])
        #expect(outbox.noteAppended(through: 2) == ["first"])
        #expect(outbox.noteAppended(through: 3) == ["second"])
        #expect(!wait(for: 3, "late"))
        append("c")
        #expect(wait(for: 4, "third"))
        _ = take()
        #expect(outbox.noteAppended(through: 4) == [])
        #expect(outbox.noteReduced(through: 4) == ["third"])
        #expect(outbox.actions == 0)
    }

    @Test("All unacknowledged entries are sent again after a lost connection")
    mutating func resending() {
        append("a", "b", "c")
        _ = take(atMost: 6)
        _ = outbox.noteAppended(through: 2)
        _ = outbox.noteReduced(through: 3)
        #expect(outbox.retry(problem, after: .seconds(1)) == .again(after: .seconds(1)))
        #expect(outbox.phase == .disconnected(problem))
        #expect(outbox.waitEnded() == .now)
        #expect(take() == [3, 4])
        _ = outbox.noteAppended(through: 4)
        #expect(outbox.phase == .connected)
    }

    @Test("Actions are accepted up to the limit of waiting ones, and again when some are settled")
    mutating func limit() {
        append("a", "b", "c")
        #expect(outbox.refusal(ofEffect: false) == nil)
        append("d")
        #expect(outbox.refusal(ofEffect: false)?.code == .overloaded)
        _ = take()
        _ = outbox.noteAppended(through: 2)
        #expect(outbox.refusal(ofEffect: false)?.code == .overloaded)
        _ = outbox.noteReduced(through: 2)
        #expect(outbox.refusal(ofEffect: false) == nil)
    }

    @Test("A replica configured to refuse actions without a connection does so after any loss of one")
    mutating func refusing() {
        outbox = ReplicaOutbox(of: "a", "log", after: 1, .refuse, limit: 4, byteLimit: 1_000)
        append("a")
        _ = take()
        _ = outbox.retry(problem, after: .seconds(1))
        #expect(outbox.refusal(ofEffect: true) == problem)
        _ = outbox.noteAppended(through: 2)
        #expect(outbox.refusal(ofEffect: true) == nil)
        outbox.noteReading(problem)
        #expect(outbox.refusal(ofEffect: false) == problem)
        outbox.noteReading(nil)
        #expect(outbox.refusal(ofEffect: false) == nil)
        // A problem of the log and not of the connection refuses nothing.
        _ = outbox.retry(nil, after: .seconds(1))
        #expect(outbox.refusal(ofEffect: false) == nil)
    }

    @Test("Only effects may send during the closing")
    mutating func closing() {
        outbox.isClosing = true
        #expect(outbox.refusal(ofEffect: false)?.code == .closed)
        #expect(outbox.refusal(ofEffect: true) == nil)
    }

    @Test("Senders are kept by the numbers of their actions until these have returned, or are missed")
    mutating func senders() {
        append("a", nil, "b", "c")
        #expect(outbox.actions == 3)
        #expect(outbox.takeSender(of: 2) == "a")
        #expect(outbox.takeSender(of: 2) == nil)
        let hold: Int? = outbox.updateSender(of: 4) { sender in
            sender = "changed"
            return 1
        }
        #expect(hold == 1)
        #expect(outbox.takeSenders(through: 4) == ["changed"])
        #expect(outbox.takeSenders(through: .max) == ["c"])
    }

    @Test("All waiters are resumed at the end, and nothing is accepted or sent any more")
    mutating func ending() {
        append("a", "b")
        #expect(wait(for: 2, "first") && wait(for: 3, "second"))
        let ended = outbox.end(error)
        #expect(ended.waiters == ["first", "second"])
        #expect(ended.senders == ["a", "b"])
        #expect(outbox.refusal(ofEffect: true) == error)
        #expect(outbox.phase == .ended(error))
        #expect(take() == [])
        #expect(!wait(for: 2, "late"))
        #expect(outbox.actions == 2)
    }

    @Test("A replica that waits before an entry reports it, and its end keeps the reason")
    mutating func waiting() {
        _ = outbox.end(problem, isWaiting: true)
        #expect(outbox.phase == .waiting(problem))
        _ = outbox.end(error)
        #expect(outbox.phase == .ended(problem))
    }
}

@Suite("The shared state of a replica's threads")
struct ReplicaAccountTests {
    let start = ContinuousClock.now
    let placement = EffectPlacement.leaseHolder(lasting: .seconds(10))
    var account: ReplicaAccount<Int, String, String>
    var logged = LoggedState(state: 0)

    init() {
        let replication = ReplicationConfiguration(effects: placement)
        account = ReplicaAccount("a", "log", replication, LogAccount(), RecoveryReport(), first: 1)
    }

    private func identity(_ origin: String, _ number: UInt64) -> ActionLogEntry.Identity {
        ActionLogEntry.Identity(origin: origin, number: number)
    }

    /// The next entry of the log has been reduced.
    private mutating func reduce(_ header: EntryHeader = EntryHeader(.opening), of origin: String, _ number: UInt64) {
        _ = logged.account.admit(header, of: identity(origin, number))
        _ = account.noteReduced(logged, isAction: false, isOwn: origin == "a", size: 0, at: start)
    }

    private mutating func acquire(_ token: UInt64) -> EffectsLease.Change? {
        let (lease, now) = (ActionLogLease(name: "effects", token: token, holder: "a"), start)
        return account.lease?.note(lease, askedAt: now, now: now)
    }

    private func effectRun(at seconds: Int) -> EffectRun {
        account.effectRun(placement, isOwn: false, at: start + .seconds(seconds))
    }

    private func opening(_ token: UInt64) -> EntryHeader {
        var header = EntryHeader(.opening)
        header.lease = token
        return header
    }

    @Test("A waiter for a position resumes when it has been reduced, and not before")
    mutating func barriers() {
        for (position, waiter) in [(5, "third"), (3, "first"), (4, "second")] as [(UInt64, String)] {
            account.barriers.add(waiter, for: position, account.barriers.makeIdentity())
        }
        #expect(account.noteReduced(through: ActionLogPoint(position: 2, identity: identity("b", 2)), nil) == [])
        #expect(
            account.noteReduced(through: ActionLogPoint(position: 4, identity: identity("b", 4)), nil)
                == ["first", "second"]
        )
        #expect(account.noteReduced(through: ActionLogPoint(position: 5, identity: identity("b", 5)), nil) == ["third"])
    }

    @Test("The known end of the log and its newest snapshot are those that it has, after a loss too")
    mutating func extent() {
        reduce(of: "b", 1)
        let status = { ActionLogStatus(identity: UUID(), first: 1, end: ActionLogPoint(position: $0, identity: nil)) }
        account.note(status(8))
        account.noteNewestSnapshot((revision: 5, position: 7), at: start)
        #expect(account.statistics(at: start).lag == 7)
        #expect(account.statistics(at: start + .seconds(3)).snapshotAge == .seconds(3))
        account.note(status(1))
        account.noteNewestSnapshot((revision: 4, position: 6), at: start)
        #expect(account.statistics(at: start).lag == 0)
        #expect(account.statistics(at: start).snapshotRevision == 4)
        account.noteNewestSnapshot(nil, at: start)
        #expect(account.statistics(at: start).snapshotRevision == nil)
        #expect(account.statistics(at: start).snapshotAge == nil)
        // A status that is older than what was reduced.
        reduce(of: "b", 2)
        account.note(status(1))
        #expect(account.statistics(at: start).lag == 0)
        #expect(account.statistics(at: start).entries == 2)
    }

    @Test("An append expects the newest known entry in the log, of this or another replica")
    mutating func newestPoint() {
        #expect(account.newestPoint == .start)
        reduce(of: "a", 1)
        #expect(account.newestPoint == ActionLogPoint(position: 1, identity: identity("a", 1)))
        _ = account.outbox.append("{}", Data(), from: nil)
        _ = account.noteAppended(identity("a", 2), at: 3, within: .zero)
        #expect(account.newestPoint == ActionLogPoint(position: 3, identity: identity("a", 2)))
        reduce(of: "b", 1)
        #expect(account.newestPoint == ActionLogPoint(position: 3, identity: identity("a", 2)))
        reduce(of: "a", 2)
        reduce(of: "b", 2)
        #expect(account.newestPoint == ActionLogPoint(position: 4, identity: identity("b", 2)))
    }

    @Test("Effects run while the replica has the lease by the log and by its own clock, and not by one alone")
    mutating func leases() {
        #expect(effectRun(at: 0) == .elsewhere)
        #expect(acquire(1) != nil)
        #expect(effectRun(at: 0) == .elsewhere)
        reduce(opening(1), of: "a", 1)
        #expect(effectRun(at: 9) == .here(lease: 1))
        #expect(effectRun(at: 10) == .elsewhere)
        // Another one has it by the log, although it has not expired by the clock.
        reduce(opening(2), of: "b", 1)
        #expect(effectRun(at: 9) == .elsewhere)
        #expect(account.refusal(ofEffect: true, under: 1)?.code == .fenced)
        #expect(account.refusal(ofEffect: true, under: 2) == nil)
    }
}

@Suite("Entries that a log must still have")
struct KnownOriginsTests {
    private func point(_ position: UInt64, _ origin: String) -> ActionLogPoint {
        ActionLogPoint(position: position, identity: ActionLogEntry.Identity(origin: origin, number: position))
    }

    @Test("The newest entry of each origin is kept, the newest of all last, up to a limit")
    func newest() {
        var known = KnownOrigins()
        for (position, origin) in [(1, "a"), (2, "b"), (3, "a"), (4, "a"), (5, "c")] as [(UInt64, String)] {
            known.note(point(position, origin))
        }
        #expect(known.points == [point(2, "b"), point(4, "a"), point(5, "c")])
        known.note(ActionLogPoint(position: 6, identity: nil))
        #expect(known.points.count == 3)
        for position in UInt64(10)..<100 { known.note(point(position, "origin \(position)")) }
        #expect(known.points.count == KnownOrigins.limit)
        #expect(known.points.last == point(99, "origin 99"))
    }
}

@Suite("The account of a log of several replicas")
struct ReplicaLogAccountTests {
    var account = LogAccount()

    private mutating func admit(_ header: EntryHeader) -> LogAccount.Verdict {
        let number = account.point.position + 1
        return account.admit(header, of: ActionLogEntry.Identity(origin: "origin \(number)", number: 1))
    }

    private func opening(lease: UInt64? = nil, reducer: Int? = nil) -> EntryHeader {
        var header = EntryHeader(.opening)
        (header.lease, header.reducer) = (lease, reducer)
        return header
    }

    private func action(lease: UInt64? = nil, reducer: Int = 1) -> EntryHeader {
        var header = EntryHeader(schema: 1, reducer: reducer)
        header.lease = lease
        return header
    }

    @Test("Actions sent under a lease count until the next one begins, and an older token changes nothing")
    mutating func leases() {
        #expect(admit(opening(lease: 1)) == .passed)
        #expect(admit(action(lease: 1)) == .reduced)
        #expect(admit(opening(lease: 3)) == .passed)
        #expect(account.holder == "origin 3")
        #expect(admit(action(lease: 1)) == .fenced)
        #expect(admit(action(lease: 3)) == .reduced)
        #expect(admit(action()) == .reduced)
        #expect(admit(opening(lease: 2)) == .passed)
        #expect(account.lease == 3)
        #expect(account.holder == "origin 3")
        #expect(account.fenced == 1)
        #expect(account.revision == 3)
    }

    @Test("Actions for an older reducer are skipped after a newer one has joined, and not before")
    mutating func reducers() {
        #expect(admit(opening(reducer: 1)) == .passed)
        #expect(admit(action(reducer: 1)) == .reduced)
        #expect(admit(action(reducer: 2)) == .reduced)
        #expect(admit(action(reducer: 1)) == .reduced)
        #expect(admit(opening(reducer: 2)) == .passed)
        #expect(admit(action(reducer: 1)) == .fenced)
        #expect(admit(opening(reducer: 1)) == .passed)
        #expect(admit(action(reducer: 1)) == .fenced)
        #expect(admit(action(reducer: 2)) == .reduced)
        #expect(account.reducer == 2)
    }

    @Test("An account is restored from its bytes, also one written before replicas had reducers")
    mutating func coding() throws {
        _ = admit(opening(lease: 7, reducer: 3))
        let data = try JSONEncoder().encode(account)
        #expect(try JSONDecoder().decode(LogAccount.self, from: data) == account)
        let old = #"{"point":{"position":2},"revision":1,"ids":[],"lease":4,"fenced":0,"repeats":0}"#
        let decoded = try JSONDecoder().decode(LogAccount.self, from: Data(old.utf8))
        #expect(decoded.reducer == nil)
        #expect(decoded.revision == 1)
    }

    @Test("Unreachable numbers are not those of a log")
    func credibility() throws {
        #expect(LogAccount().isCredible)
        let strange =
            #"{"point":{"position":2},"revision":18446744073709551615,"ids":[],"lease":4,"fenced":0,"repeats":0}"#
        #expect(try !JSONDecoder().decode(LogAccount.self, from: Data(strange.utf8)).isCredible)
    }
}
