import ActorStorePersistence
import Foundation

extension ConformanceCheck {
    /// Appended entries are read in order.
    static let entries: [ConformanceCheck] = [
        ConformanceCheck("An empty log has no entries, and begins at position 1") { laboratory in
            let connection = try laboratory.log.connect()
            let status = try connection.status()
            try expect(status.first, is: 1, "the first position")
            try expect(status.end, is: .start, "the end")
            try expect(try connection.read(after: 0, atMost: 1_000).count, is: 0, "the entries")
            try expect(try connection.identity(at: 0), is: nil, "the entry at 0")
            try expect(try connection.identity(at: 1), is: nil, "the entry at 1")
            try expect(try connection.lastNumber(of: "a"), is: 0, "the number of an origin without entries")
            try expect(try connection.snapshots().count, is: 0, "the snapshots")
        },
        ConformanceCheck("Entries are read as they were appended, with positions from 1 on without gaps") {
            laboratory in
            let connection = try laboratory.log.connect()
            try expect(try connection.append(group("a", 1...3)), is: 1, "the first position")
            try expect(try connection.append(group("b", 1...1)), is: 4, "the position after it")
            try expect(try connection.append(group("a", 4...5)), is: 5, "the next position")
            let all = group("a", 1...3) + group("b", 1...1) + group("a", 4...5)
            try expect(try connection.readAll(), is: all, "all entries")
            try expect(try connection.readAll(after: 4), is: Array(all.suffix(2)), "those after 4")
            try expect(try connection.readAll(after: 6).count, is: 0, "those after the end")
            try expect(try connection.readAll(after: 60).count, is: 0, "those far after the end")
            try expect(try connection.lastNumber(of: "a"), is: 5, "the last number of a")
            try expect(try connection.identity(at: 4), is: identity("b", 1), "the entry at 4")
            let end = ActionLogPoint(position: 6, identity: identity("a", 5))
            try expect(try connection.status().end, is: end, "the end")
        },
        ConformanceCheck("Another connection reads the appended entries of the same log") { laboratory in
            let (first, second) = (try laboratory.log.connect(), try laboratory.log.connect())
            try first.append(group("a", 1...2))
            try expect(try second.readAll(), is: group("a", 1...2), "the entries")
            try second.append(group("b", 1...1))
            try expect(try first.readAll(after: 2), is: group("b", 1...1), "the entries of the other one")
            try expect(try first.status(), is: try second.status(), "what the log has")
            let later = try laboratory.log.connect()
            try expect(try later.readAll().count, is: 3, "the entries that a later connection sees")
            try expect(try later.status().identity, is: try first.status().identity, "the identity of the log")
        },
        ConformanceCheck("A read returns the requested bytes at most, and one entry at least") { laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...50))
            for bytes in [0, 1, 30, 100, 1_000] {
                try expect(try connection.readAll(atMost: bytes), is: group("a", 1...50), "entries by \(bytes) bytes")
            }
            let size = group("a", 1...1)[0].size
            try expect(try connection.read(after: 0, atMost: 3 * size).count, is: 3, "entries of three sizes")
        },
        ConformanceCheck("Headers and payloads can be empty, large, and contain any bytes") { laboratory in
            let connection = try laboratory.log.connect()
            let payloads = [Data(), Data(0...255), Data(repeating: 0, count: 1), Data(repeating: 0xFF, count: 1 << 20)]
            let headers = ["", "\"'\\\n\r\t%$;--", "Zürich → 東京 🛫", String(repeating: "h", count: 10_000)]
            let written = zip(payloads, headers).enumerated().map { index, content in
                ActionLogEntry(identity("a'\" ü", UInt64(index) + 1), header: content.1, payload: content.0)
            }
            try connection.append(written)
            try expect(try connection.readAll() == written, is: true, "whether the entries are the same")
        },
        ConformanceCheck("Entries of concurrent connections are all in the log, each origin's in order") {
            laboratory in
            let origins = ["a", "b", "c"]
            let failure = Failure()
            DispatchQueue.concurrentPerform(iterations: origins.count) { index in
                failure.note {
                    let connection = try laboratory.log.connect()
                    var number: UInt64 = 1
                    while number < 40 {
                        do throws(ActionLogError) {
                            try connection.append(group(origins[index], number...number + 1))
                            number += 2
                        } catch {
                            // On a busy machine, the others can hold the log for longer than the engine waits.
                            guard error.code == .busy else { throw error }
                        }
                    }
                }
            }
            try failure.rethrow()
            let connection = try laboratory.log.connect()
            let all = try connection.readAll()
            for origin in origins {
                try expect(all.filter { $0.identity.origin == origin }, is: group(origin, 1...40), "those of \(origin)")
            }
            try expect(all.count, is: 120, "all of them")
            try expect(try connection.status().end.position, is: 120, "the last position")
            // Groups are contiguous.
            for (first, second) in zip(all, all.dropFirst()) where first.identity.number % 2 == 1 {
                try expect(second.identity.origin, is: first.identity.origin, "what follows in a group")
            }
        },
        ConformanceCheck("A wait ends when an entry is appended, at its timeout, or when it is interrupted") {
            laboratory in
            let (waiting, other) = (try laboratory.log.connect(), try laboratory.log.connect())
            try other.append(group("a", 1...1))
            // An entry exists already, so this takes no time.
            try waiting.wait(after: 0, for: .seconds(600))
            try waiting.wait(after: 1, for: .milliseconds(1))
            let failure = Failure()
            let queue = DispatchQueue(label: "appends")
            queue.asyncAfter(deadline: .now() + 0.02) {
                failure.note { try laboratory.log.connect().append(group("a", 2...2)) }
            }
            while try waiting.read(after: 1, atMost: 1).isEmpty { try waiting.wait(after: 1, for: .seconds(600)) }
            queue.sync {}
            try failure.rethrow()
            let interruption = waiting.interruption
            queue.asyncAfter(deadline: .now() + 0.02) { interruption.interrupt() }
            try expect(.closed, .disconnected, from: "a wait that is interrupted") {
                while true { try waiting.wait(after: 2, for: .seconds(600)) }
            }
            try expect(.closed, .disconnected, from: "what comes after that") { _ = try waiting.status() }
            try expect(try other.status().end.position, is: 2, "the end, by another connection")
        },
        ConformanceCheck("A waiting read returns entries appended meanwhile, and those before them") {
            laboratory in
            let (waiting, other) = (try laboratory.log.connect(), try laboratory.log.connect())
            try other.append(group("a", 1...1))
            func read(after position: UInt64, onceAfter known: UInt64, _ duration: Duration) throws -> [ActionLogEntry]
            {
                try waiting.read(after: position, atMost: 1 << 20, onceAfter: known, within: duration)
            }
            // An entry exists already, so this takes no time.
            try expect(try read(after: 0, onceAfter: 0, .seconds(600)), is: group("a", 1...1), "what is there")
            try expect(try read(after: 1, onceAfter: 0, .seconds(600)), is: [], "the entries after it")
            try expect(try read(after: 0, onceAfter: 1, .milliseconds(1)), is: group("a", 1...1), "what was there")
            let failure = Failure()
            let queue = DispatchQueue(label: "appends")
            queue.asyncAfter(deadline: .now() + 0.02) {
                failure.note { try laboratory.log.connect().append(group("a", 2...3)) }
            }
            var entries: [ActionLogEntry] = []
            while entries.count < 2 { entries = try read(after: 0, onceAfter: 1, .seconds(600)) }
            queue.sync {}
            try failure.rethrow()
            try expect(entries, is: group("a", 1...3), "what came")
            let few = try waiting.read(after: 1, atMost: 1, onceAfter: 2, within: .seconds(600))
            try expect(few, is: group("a", 2...2), "the first of what is more than was asked for")
            let interruption = waiting.interruption
            queue.asyncAfter(deadline: .now() + 0.02) { interruption.interrupt() }
            try expect(.closed, .disconnected, from: "a wait that is interrupted") {
                while true { _ = try read(after: 0, onceAfter: 3, .seconds(600)) }
            }
        },
    ]
}

/// The first error of several threads.
private final class Failure: @unchecked Sendable {
    // Sound: the variable is accessed only under the lock.
    private let lock = NSLock()
    private var error: (any Error)?

    func note(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            lock.withLock { self.error = self.error ?? error }
        }
    }

    func rethrow() throws { if let error = lock.withLock({ error }) { throw error } }
}
