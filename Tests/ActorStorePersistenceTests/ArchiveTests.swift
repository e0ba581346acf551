import ActionLogConformance
import ActorStore
import Foundation
import Testing

@testable import ActorStorePersistence

@Suite("Archives of logs", .timeLimit(.minutes(10)))
struct ArchiveTests {
    private let folder = NSTemporaryDirectory() + "archive-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    private func removeFolder() { try? FileManager.default.removeItem(atPath: folder) }

    @Test(
        "A log created from an archive continues where the exported one was, also behind a snapshot",
        arguments: [true, false]
    )
    func roundTrip(isCompacted: Bool) async throws {
        defer { removeFolder() }
        let store = try await LedgerStore.open(MemoryLog())
        try await store.dispatch(.book(1), id: "one")
        try await store.book(2...40)
        if isCompacted { try await store.compact(keepingSnapshots: 1) }
        try await store.book(41...50)
        let count = try await store.export(to: path("ledger"))
        let copy = MemoryLog()
        #expect(try await ActionLogArchive.restore(from: path("ledger"), to: copy) == count)
        let restored = try await LedgerStore.open(copy)
        #expect(restored.snapshot == store.snapshot)
        #expect(restored.revision == store.revision)
        if !isCompacted { #expect(try await restored.state(at: 25).amounts == Array(1...25)) }
        // Names are kept.
        try await restored.dispatch(.book(1), id: "one")
        #expect(restored.revision == 50)
        await expect(.notEmpty) { try await ActionLogArchive.restore(from: path("ledger"), to: copy) }
        await store.end()
        await restored.end()
        let attributes = try FileManager.default.attributesOfItem(atPath: path("ledger"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    /// Writes an archive that is restored in several groups, with or without a state before its entries.
    private func writeArchive(hasState: Bool) async throws -> Ledger.State {
        let store = try await LedgerStore.open(MemoryLog())
        try await store.book(1...40)
        if hasState { try await store.compact(keepingSnapshots: 1) }
        for _ in 0..<20 { store.store.send(contentsOf: (0..<1_000).map { .book(1_000_000_000_000_000_000 + $0) }) }
        try await store.book(41...42)
        // Behind the last entry.
        try await store.checkpoint()
        try await store.export(to: path("ledger"))
        await store.end()
        return store.snapshot
    }

    private func join(_ log: some ActionLog) async throws -> ReplicatedStore<Ledger.State, Ledger.Action> {
        try await Store.replicated(through: log, initialState: Ledger.State(), reducer: Ledger())
    }

    @Test("A log whose restore was interrupted is opened only if the loss is accepted", arguments: [true, false])
    func interruptedRestore(hasState: Bool) async throws {
        defer { removeFolder() }
        let state = try await writeArchive(hasState: hasState)
        let whole = FaultyLog(MemoryLog())
        try await ActionLogArchive.restore(from: path("ledger"), to: whole)
        for call in [FaultyLog.Call.append, .write, .finish, .trim] {
            let count = whole.count(of: call)
            switch call {
            case .append: #expect(count > 3)
            // Of the state before the entries.
            case .trim: #expect((count > 0) == hasState)
            default: #expect(count > 0)
            }
            for number in 1..<(count + 1) {
                let log = FaultyLog(MemoryLog())
                log.fail(call, number: number, with: .error(.disconnected))
                await expect(.disconnected) { try await ActionLogArchive.restore(from: path("ledger"), to: log) }
                log.failNoMore()
                let end = try log.connect().status().end
                // Nothing was written yet.
                if end == .start { continue }
                for timeout in [Duration.zero, .milliseconds(50)] {
                    await expect(.damaged, at: end.position) {
                        try await LedgerStore.open(log, DurabilityConfiguration(openingTimeout: timeout))
                    }
                }
                await expect(.damaged, at: end.position) { try await join(log) }
                #expect(try log.connect().status().end == end)
                // Without a snapshot, the loss has to be accepted again.
                log.failAlways(.write, with: .error(.refused))
                let unsaved = try await LedgerStore.open(log, DurabilityConfiguration(recovery: .acceptingLoss))
                await unsaved.end()
                log.failNoMore()
                await expect(.damaged) { try await LedgerStore.open(log) }
                let accepting = try await LedgerStore.open(log, DurabilityConfiguration(recovery: .acceptingLoss))
                #expect(accepting.recovery.problems.map(\.code) == [.damaged])
                try await accepting.book(1...1)
                await accepting.end()
                let next = try await LedgerStore.open(log)
                #expect(next.recovery.problems.isEmpty)
                #expect(next.snapshot == accepting.snapshot)
                await next.end()
            }
        }
        let replica = try await join(whole)
        #expect(replica.snapshot == state)
        await replica.shutdown(drain: .finishEffects)
    }

    @Test(
        "A store that was opening when a restore began opens the whole archive, or nothing",
        arguments: [true, false]
    )
    func restoreDuringOpening(isInterrupted: Bool) async throws {
        defer { removeFolder() }
        for hasState in [true, false] {
            let state = try await writeArchive(hasState: hasState)
            let memory = MemoryLog()
            let (log, target, goOn) = (FaultyLog(memory), FaultyLog(memory), DispatchSemaphore(value: 0))
            // The store has read the empty log then.
            log.fail(.claim, with: .wait(goOn))
            let opening = Task { try await LedgerStore.open(log) }
            try await until { log.count(of: .claim) == 1 }
            if isInterrupted { target.fail(.append, number: 3, with: .error(.disconnected)) }
            _ = try? await ActionLogArchive.restore(from: path("ledger"), to: target)
            goOn.signal()
            if isInterrupted {
                await expect(.damaged) { try await opening.value }
            } else {
                let store = try await opening.value
                #expect(store.snapshot == state)
                await store.end()
            }
        }
    }

    @Test("An opening that reads entries before a restore deletes the first one opens the whole archive, or nothing")
    func deletionDuringOpening() async throws {
        defer { removeFolder() }
        let state = try await writeArchive(hasState: true)
        var opened = 0
        for number in 2...8 {
            let memory = MemoryLog()
            let (log, target) = (FaultyLog(memory), FaultyLog(memory))
            let (claim, trim, read) = (
                DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            log.fail(.claim, with: .wait(claim))
            target.fail(.trim, number: 1, with: .wait(trim))
            let result = LockedValue<Result<LedgerStore, any Error>?>(nil)
            let opening = Task {
                do {
                    let store = try await LedgerStore.open(log)
                    result.withLock { $0 = .success(store) }
                } catch {
                    result.withLock { $0 = .failure(error) }
                }
            }
            // It has read the empty log.
            try await until { log.count(of: .claim) == 1 }
            let path = path("ledger")
            let restore = Task { try await ActionLogArchive.restore(from: path, to: target) }
            try await until { target.count(of: .trim) == 1 }
            log.fail(.read, number: number, with: .wait(read))
            claim.signal()
            try await until { log.count(of: .read) == number || result.withLock { $0 } != nil }
            trim.signal()
            _ = try await restore.value
            read.signal()
            await opening.value
            switch result.withLock({ $0 }) {
            case .success(let store):
                #expect(store.snapshot == state)
                await store.end()
                opened += 1
            case .failure(let error): #expect((error as? ActionLogError)?.code == .damaged)
            case nil: Issue.record("The opening has no result.")
            }
            let next = try await LedgerStore.open(memory)
            #expect(next.snapshot == state)
            await next.end()
        }
        #expect(opened > 0)
    }

    @Test("A restored log opens after compactions, and from an archive of its own")
    func generations() async throws {
        defer { removeFolder() }
        for hasState in [true, false] {
            var state = try await writeArchive(hasState: hasState)
            for generation in 0..<3 {
                let log = MemoryLog()
                try await ActionLogArchive.restore(from: path("ledger"), to: log)
                for count in [0, 1, 2] {
                    let store = try await LedgerStore.open(log)
                    #expect(store.snapshot == state)
                    #expect(store.recovery.problems.isEmpty)
                    try await store.book(generation...generation)
                    if count > 0, generation > 0 { try await store.compact(keepingSnapshots: count) }
                    if count == 1 { try await store.export(to: path("ledger")) }
                    state = store.snapshot
                    await store.end()
                }
                let store = try await LedgerStore.open(log)
                try await store.export(to: path("ledger"))
                await store.end()
            }
        }
    }

    @Test("An export replaces an older archive or an empty file, and no other file")
    func replacedFiles() async throws {
        defer { removeFolder() }
        let store = try await LedgerStore.open(MemoryLog())
        try await store.book(1...2)
        let others = ["SQLite format 3\0", "A text of one line", "{}\n", "{\"kind\":\"entry\"}\n"]
        for (number, other) in others.enumerated() {
            let url = URL(fileURLWithPath: path("\(number)"))
            try Data(other.utf8).write(to: url)
            await expect(.refused) { try await store.export(to: url.path) }
            #expect(try Data(contentsOf: url) == Data(other.utf8))
        }
        await expect(.refused) { try await store.export(to: folder) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == others.count)
        try Data().write(to: URL(fileURLWithPath: path("ledger")))
        for _ in 0..<2 { #expect(try await store.export(to: path("ledger")) >= 2) }
        await store.end()
    }

    @Test("An archive changed or truncated anywhere is refused, and writes nothing")
    func damage() async throws {
        defer { removeFolder() }
        let store = try await LedgerStore.open(MemoryLog())
        try await store.book(1...10)
        try await store.export(to: path("ledger"))
        await store.end()
        let whole = try Data(contentsOf: URL(fileURLWithPath: path("ledger")))
        var lines = String(decoding: whole, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
        lines.remove(at: 4)
        let variants =
            [
                Data(lines.joined(separator: "\n").utf8) + Data("\n".utf8),
                Data("{\"kind\":\"end\",\"position\":0}\n".utf8),
                Data(String(decoding: whole, as: UTF8.self).replacing("\"_0\\\":7", with: "\"_0\\\":8").utf8),
            ] + stride(from: 1, to: whole.count, by: 97).map { whole.prefix($0) }
        for data in variants {
            try data.write(to: URL(fileURLWithPath: path("broken")))
            let copy = MemoryLog()
            do {
                try await ActionLogArchive.restore(from: path("broken"), to: copy)
                Issue.record("\(data.count) bytes were taken for an archive.")
            } catch {
                #expect([.damaged, .unknownFormat].contains(error.code), "\(error)")
            }
            #expect(try copy.connect().status().end == .start)
        }
    }

    @Test("A log created from an archive does not claim entries that the exported one had deleted")
    func trimmedLog() async throws {
        defer { removeFolder() }
        let store = try await LedgerStore.open(MemoryLog())
        try await store.book(1...40)
        try await store.compact(keepingSnapshots: 1)
        try await store.book(41...50)
        try await store.export(to: path("ledger"))
        await store.end()
        let copy = MemoryLog()
        try await ActionLogArchive.restore(from: path("ledger"), to: copy)
        let restored = try await LedgerStore.open(copy, DurabilityConfiguration(snapshotAtShutdown: false))
        #expect(try await restored.state(at: 45).amounts == Array(1...45))
        await expect(.unknownRevision) { try await restored.state(at: 5) }
        await restored.end()
        // The next release, without a migration from the exported state.
        let next = DurabilityConfiguration(schema: StateSchema(version: 2))
        await expect(.unknownSchema) { try await LedgerStore.open(copy, next) }
    }

    @Test(
        "A log restored from an archive starts from its newest snapshot, behind the actions of an older reducer",
        arguments: [LogRetention.everything, .snapshots(2)]
    )
    func seam(retention: LogRetention) async throws {
        defer { removeFolder() }
        let log = MemoryLog()
        var durability = DurabilityConfiguration(retention: retention)
        let old = try await LedgerStore.open(log, durability)
        try await old.book(1...10)
        try await old.checkpoint()
        try await old.book(11...20)
        await old.end()
        durability.reducerVersion = 2
        durability.snapshotAtShutdown = false
        let new = try await LedgerStore.open(log, durability, Ledger(factor: 2))
        let amounts = Array(1...20) + [42, 44]
        try await new.book(21...22)
        let count = try await new.export(to: path("ledger"))
        await new.end()
        let copy = MemoryLog()
        #expect(try await ActionLogArchive.restore(from: path("ledger"), to: copy) == count)
        let restored = try await LedgerStore.open(copy, durability, Ledger(factor: 2))
        #expect(restored.snapshot.amounts == amounts)
        #expect(restored.revision == 22)
        #expect(restored.recovery.problems.isEmpty)
        try await restored.book(23...23)
        // An archive of what was restored, too.
        try await restored.export(to: path("again"))
        await restored.end()
        let second = MemoryLog()
        try await ActionLogArchive.restore(from: path("again"), to: second)
        let again = try await LedgerStore.open(second, durability, Ledger(factor: 2))
        #expect(again.snapshot.amounts == amounts + [46])
        await again.end()
    }

    @Test("An archive has the newest snapshot that the exporting program can read")
    func snapshotOfNewerSchema() async throws {
        defer { removeFolder() }
        let log = MemoryLog()
        let old = try await LedgerStore.open(log)
        try await old.book(1...5)
        await old.end()
        let durability = DurabilityConfiguration(snapshotAtShutdown: false, reducerVersion: 2)
        let store = try await LedgerStore.open(log, durability)
        try await until { try log.connect().snapshots().count == 2 }
        try await store.book(6...7)
        await store.end()
        // A release that is rolled back.
        let migration = StateSchema(version: 2) { _, data in
            data
        } migrateState: { _, data in
            data
        }
        let newer = DurabilityConfiguration(schema: migration, reducerVersion: 3)
        await expect(.otherReducer) { try await LedgerStore.open(log, newer) }
        let seam = try await LedgerStore.open(log, DurabilityConfiguration(reducerVersion: 2))
        await seam.end()
        let release = try await LedgerStore.open(log, newer)
        await release.end()
        let again = try await LedgerStore.open(log, durability)
        #expect(again.recovery.problems.map(\.code) == [.unknownSchema])
        try await again.export(to: path("ledger"))
        await again.end()
        let copy = MemoryLog()
        try await ActionLogArchive.restore(from: path("ledger"), to: copy)
        let restored = try await LedgerStore.open(copy, durability)
        #expect(restored.snapshot.amounts == Array(1...7))
        await restored.end()
    }

    @Test("An archive of the former format, which has no number of states, is restored")
    func formerFormat() async throws {
        defer { removeFolder() }
        let store = try await LedgerStore.open(MemoryLog())
        try await store.book(1...40)
        try await store.compact(keepingSnapshots: 1)
        try await store.book(41...45)
        try await store.export(to: path("ledger"))
        await store.end()
        var text = try String(contentsOfFile: path("ledger"), encoding: .utf8)
        for (new, former) in [(#""format":3"#, #""format":2"#), (#","number":1,"position":5"#, #","position":5"#)] {
            #expect(text.components(separatedBy: new).count == 2, "\(text.suffix(100))")
            text = text.replacing(new, with: former)
        }
        try text.write(toFile: path("former"), atomically: true, encoding: .utf8)
        let copy = MemoryLog()
        #expect(try await ActionLogArchive.restore(from: path("former"), to: copy) == 5)
        let restored = try await LedgerStore.open(copy)
        #expect(restored.snapshot.amounts == Array(1...45))
        await restored.end()
    }

    @Test("An archive with a missing state part, or with parts out of order, is refused")
    func damagedState() async throws {
        defer { removeFolder() }
        let store = try await LedgerStore.open(MemoryLog())
        // More than two parts.
        for _ in 0..<40 { store.store.send(contentsOf: (0..<1_000).map { .book(1_000_000_000_000_000_000 + $0) }) }
        try await store.compact(keepingSnapshots: 1)
        try await store.export(to: path("ledger"))
        await store.end()
        let lines = try String(contentsOfFile: path("ledger"), encoding: .utf8).split(separator: "\n")
        let states = lines.indices.filter { lines[$0].contains(#""kind":"state""#) }
        try #require(states.count > 2)
        var variants = states.map { state in lines.indices.filter { $0 != state } }
        variants.append(Array(lines.indices))
        variants[states.count].swapAt(states[0], states[1])
        for variant in variants {
            let text = variant.map { lines[$0] + "\n" }.joined()
            try text.write(toFile: path("broken"), atomically: true, encoding: .utf8)
            let copy = MemoryLog()
            await expect(.damaged) { try await ActionLogArchive.restore(from: path("broken"), to: copy) }
            #expect(try copy.connect().status().end == .start)
        }
    }

    @Test("Impossible numbers in an archive are reported as damage, and do not trap")
    func hostileNumbers() async throws {
        defer { removeFolder() }
        let entry = #"{"kind":"entry","position":18446744073709551615,"checksum":4670024983894021155}"#
        let archive = #"{"format":2,"kind":"log"}"# + "\n" + entry + "\n" + #"{"kind":"end","position":1}"# + "\n"
        try archive.write(toFile: path("hostile"), atomically: true, encoding: .utf8)
        await expect(.damaged) { try await ActionLogArchive.restore(from: path("hostile"), to: MemoryLog()) }
        let log = MemoryLog()
        let store = try await LedgerStore.open(log)
        try await store.book(1...3)
        let connection = try log.connect()
        let point = try connection.status().end
        // The account of a state is a part of it.
        try connection.finish(ActionLogSnapshot(at: point, header: "", parts: 0))
        _ = try connection.trim(through: point.position)
        await expect(.damaged) { try await store.export(to: path("ledger")) }
        await store.end()
    }

    @Test("A failed export leaves the older archive unchanged")
    func failingExport() async throws {
        defer { removeFolder() }
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log)
        try await store.book(1...5)
        try await store.export(to: path("ledger"))
        let before = try Data(contentsOf: URL(fileURLWithPath: path("ledger")))
        await expect(.refused) { try await store.export(to: path("nowhere/ledger")) }
        log.fail(.connect, with: .error(.disconnected))
        await expect(.disconnected) { try await store.export(to: path("ledger")) }
        // After the new one was begun: an unreadable entry is a reason to need the old one.
        log.fail(.read, with: .error(.damaged))
        await expect(.damaged) { try await store.export(to: path("ledger")) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path("ledger"))) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["ledger"])
        await store.end()
    }

    @Test("An archive with a missing, repeated or additional line is refused")
    func missingAndRepeatedLines() async throws {
        defer { removeFolder() }
        let store = try await LedgerStore.open(MemoryLog())
        try await store.book(1...40)
        try await store.compact(keepingSnapshots: 1)
        try await store.book(41...43)
        try await store.checkpoint()
        try await store.book(44...45)
        try await store.export(to: path("ledger"))
        await store.end()
        let lines = try String(contentsOfFile: path("ledger"), encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(lines[1].contains(#""kind":"account""#) && lines[2].contains(#""kind":"state""#))
        var variants: [(String, [String])] = [("twice", lines + lines), ("more", lines + ["{}"])]
        for index in lines.indices {
            // Also several lines, such as the whole state.
            for end in index..<lines.count {
                variants.append(("without \(index) to \(end)", Array(lines[..<index] + lines[(end + 1)...])))
            }
            for place in 1...lines.count {
                var doubled = lines
                doubled.insert(lines[index], at: place)
                variants.append(("\(index) again at \(place)", doubled))
            }
        }
        // The whole state between two entries.
        let state = lines.indices.suffix(from: 3).filter { !lines[$0].contains(#""kind":"entry""#) }.dropLast()
        try #require(state.count == 2)
        variants.append(("state again", Array(lines[...state[1]]) + Array(lines[state[0]...])))
        for (name, variant) in variants {
            try variant.map { $0 + "\n" }.joined().write(toFile: path("x"), atomically: true, encoding: .utf8)
            let copy = MemoryLog()
            let error = await #expect(throws: ActionLogError.self, "\(name)") {
                try await ActionLogArchive.restore(from: path("x"), to: copy)
            }
            #expect(error?.code == .damaged || error?.code == .unknownFormat, "\(name)")
            #expect(try copy.connect().status().end == .start)
        }
    }

    @Test("A path with a NUL character is refused, and the file before it is kept")
    func nulInPath() async throws {
        defer { removeFolder() }
        let store = try await LedgerStore.open(MemoryLog())
        try await store.book(1...2)
        try await store.export(to: path("ledger"))
        for name in ["ledger", "new"] {
            await expect(.refused) { try await store.export(to: path(name) + "\0b") }
            await expect(.refused) { try await ActionLogArchive.restore(from: path(name) + "\0b", to: MemoryLog()) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["ledger"])
        await store.end()
    }

    @Test("An export begins with a newer snapshot if an older one cannot be read")
    func unreadableSnapshot() async throws {
        defer { removeFolder() }
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log)
        for last in [5, 10] {
            try await store.book(last - 4...last)
            try await store.checkpoint()
        }
        try await store.compact(keepingSnapshots: 2)
        try await store.book(11...12)
        log.fail(.part, with: .error(.damaged))
        #expect(try await store.export(to: path("ledger")) == 2)
        log.fail(.part, with: .error(.damaged), .error(.damaged))
        await expect(.damaged) { try await store.export(to: path("other")) }
        log.fail(.part, with: .error(.refused))
        await expect(.refused) { try await store.export(to: path("other")) }
        let copy = MemoryLog()
        try await ActionLogArchive.restore(from: path("ledger"), to: copy)
        let restored = try await LedgerStore.open(copy)
        #expect(restored.snapshot.amounts == Array(1...12))
        await restored.end()
        await store.end()
    }

    @Test("An archive with an entry that is too large for a log writes nothing to it")
    func tooLargeEntry() async throws {
        struct SmallLog: ActionLog {
            let base = MemoryLog()
            let name = "small"
            let largestEntry = 60
            func connect() throws(ActionLogError) -> any ActionLogConnection { try base.connect() }
        }
        defer { removeFolder() }
        let log = MemoryLog()
        let store = try await LedgerStore.open(log)
        try await store.book(1...3)
        try await store.dispatch(.book(4), id: String(repeating: "long", count: 20))
        try await store.export(to: path("ledger"))
        await store.end()
        let small = SmallLog()
        await expect(.tooLarge) { try await ActionLogArchive.restore(from: path("ledger"), to: small) }
        #expect(try small.connect().status().end == .start)
    }

    @Test("A file that is not an archive is distinguished from a damaged one")
    func otherFiles() async throws {
        defer { removeFolder() }
        for text in ["", "A text of one line", "Two\nlines\n", "SQLite format 3\0\n", "{}\n", "{\"kind\":\"none\"}\n"] {
            try text.write(toFile: path("other"), atomically: true, encoding: .utf8)
            await expect(.unknownFormat) { try await ActionLogArchive.restore(from: path("other"), to: MemoryLog()) }
        }
        await expect(.refused) { try await ActionLogArchive.restore(from: path("missing"), to: MemoryLog()) }
        await expect(.refused) { try await ActionLogArchive.restore(from: folder, to: MemoryLog()) }
    }
}
