#if Journal
    import ActorStore
    @testable import ActorStoreJournal
    import Foundation
    import Testing

    @Suite("Archives of journals", .timeLimit(.minutes(10)))
    struct JournalArchiveTests {
        let workplace: Workplace

        init() throws { workplace = try Workplace() }

        func archive(_ count: Int, compacting: Bool = false) async throws -> String {
            let store = try await NotebookStore.open(at: workplace.journal)
            try await store.write(1...count - 2)
            if compacting { try await store.compact(keepingSnapshots: 1) }
            try await store.write(count - 1...count)
            #expect(try await store.export(to: workplace.path("archive")) == UInt64(count))
            try await store.end()
            return workplace.path("archive")
        }

        @Test("A journal that was archived and restored is the same", arguments: [false, true])
        func roundTrip(compacting: Bool) async throws {
            let archive = try await archive(1_000, compacting: compacting)
            #expect(try await JournalArchive.restore(from: archive, to: workplace.path("copy")) == 1_000)
            let copy = try await NotebookStore.open(at: workplace.path("copy"))
            #expect(copy.snapshot.numbers == Array(1...1_000))
            #expect(copy.revision == 1_000)
            if !compacting { #expect(try await copy.state(at: 500).numbers == Array(1...500)) }
            try await copy.write([1_001])
            try await copy.end()
        }

        @Test("An archive that was cut off or changed makes nothing")
        func damaged() async throws {
            let path = try await archive(20)
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            let copy = workplace.path("copy")
            func expect(_ lines: some Sequence<Substring>, _ revision: UInt64?, _ cause: JournalError.Cause)
                async throws
            {
                try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
                await #expect(throws: JournalError(path, revision: revision, cause)) {
                    try await JournalArchive.restore(from: path, to: copy)
                }
            }
            try await expect(lines.dropLast(), 21, .undecodable("The archive is cut off."))
            try await expect(lines.prefix(5) + lines.dropFirst(6), 5, .missingRecords(next: 6))
            try await expect(lines.prefix(15) + lines.suffix(1), 15, .missingRecords(next: 21))
            let changed = lines.map { Substring($0.replacingOccurrences(of: "17", with: "18")) }
            await #expect(throws: JournalError.self) {
                try changed.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
                try await JournalArchive.restore(from: path, to: copy)
            }
            try await expect([#"{"kind":"end","revision":0,"schema":0}"#], nil, .notAJournal)
            await #expect(throws: JournalError(workplace.journal, .notEmpty)) {
                try await JournalArchive.restore(from: path, to: workplace.journal)
            }
            try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
            #expect(try await JournalArchive.restore(from: path, to: copy) == 20)
        }
    }
#endif
