#if SQLite
    import ActionLogConformance
    import ActorStorePersistence
    import ActorStoreSQLite
    import Foundation
    import Testing

    @Suite("The files of a log")
    struct LogFileTests {
        @Test(
            "A path without a file name is refused before anything is written",
            arguments: ["", ":memory:", "file:stock?mode=memory", "FILE:stock", "a\0b"]
        )
        func pathsThatAreNone(path: String) {
            let error = #expect(throws: ActionLogError.self) { try SQLiteLog(at: path) }
            #expect(error?.code == .unsafe)
        }

        @Test(
            "The record of the end has each name of an origin",
            arguments: ["a", "a b", "\u{FEFF}a", "é%41", "e\u{301}", "\u{1F6EB}\n"]
        )
        func namesInEndNote(origin: String) throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            let identity = ActionLogEntry.Identity(origin: origin, number: 1)
            try connection.append([ActionLogEntry(identity, header: "", payload: Data())])
            let recorded = try SQLiteLog(at: folder("log")).connect().status().acknowledged
            #expect(recorded?.identity?.origin.utf8.elementsEqual(origin.utf8) == true)
        }

        @Test("A missing folder is named in the error")
        func missingFolder() throws {
            let folder = try TemporaryFolder()
            let error = #expect(throws: ActionLogError.self) { try SQLiteLog(at: folder("none/log")) }
            #expect(error?.code == .refused)
            #expect(error?.description.contains(folder("none")) == true)
        }

        @Test("A folder is refused as the file of a log")
        func pathOfFolder() throws {
            let folder = try TemporaryFolder()
            let error = #expect(throws: ActionLogError.self) { try SQLiteLog(at: folder.path) }
            #expect(error?.code == .unsafe)
            #expect(error?.reason == "This is a folder. Use the path of a file in it.")
        }

        @Test("A deleted entry is overwritten in the file")
        func deletedEntry() throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            let connection = try log.connect()
            let (marker, origin) = (Data("personal data".utf8), "a")
            for number in 1...100 as ClosedRange<UInt64> {
                let identity = ActionLogEntry.Identity(origin: origin, number: number)
                try connection.append([ActionLogEntry(identity, header: "", payload: number < 90 ? marker : Data())])
            }
            while try connection.trim(through: 95) {}
            try shell(folder("log"), "PRAGMA wal_checkpoint(TRUNCATE)")
            #expect(try connection.status().first == 96)
            #expect(folder.contents("log")?.range(of: marker) == nil)
        }

        @Test("All files of a log are readable by their owner alone")
        func access() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            try connection.append(1...3)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(Set(files) == ["log", "log-wal", "log-shm", "log-end"])
            for file in files {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder(file))
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
            }
            _ = connection
        }

        @Test("A file of another kind is refused, and left unchanged")
        func foreignFiles() throws {
            let folder = try TemporaryFolder()
            try Data("Dear diary, today I was no database. ".utf8).write(to: URL(fileURLWithPath: folder("text")))
            try Data().write(to: URL(fileURLWithPath: folder("other")))
            try shell(folder("other"), "CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('Ada')")
            for name in ["text", "other"] {
                let before = folder.contents(name)
                let error = #expect(throws: ActionLogError.self) { try SQLiteLog(at: folder(name)).connect() }
                #expect(error?.code == .unknownFormat)
                #expect(folder.contents(name) == before)
            }
        }

        @Test("A log of a later format is refused")
        func laterFormat() throws {
            let folder = try TemporaryFolder()
            _ = try SQLiteLog(at: folder("log")).connect()
            try shell(folder("log"), "PRAGMA user_version=2")
            let error = #expect(throws: ActionLogError.self) { try SQLiteLog(at: folder("log")).connect() }
            #expect(error?.code == .unknownFormat)
        }

        @Test("A log is refused if SQLite does not keep a write-ahead log for it")
        func otherJournalModes() throws {
            let folder = try TemporaryFolder()
            _ = try SQLiteLog(at: folder("log")).connect()
            try shell(folder("log"), "PRAGMA journal_mode=DELETE")
            let error = #expect(throws: ActionLogError.self) { try SQLiteLog(at: folder("log")).connect() }
            #expect(error?.code == .unsafe)
        }

        @Test("Opening and closing a log with a damaged write-ahead log changes neither file")
        func damagedWriteAheadLog() throws {
            let folder = try TemporaryFolder()
            var connection: (any ActionLogConnection)? = try SQLiteLog(at: folder("log")).connect()
            for number in UInt64(1)...200 { try connection?.append(number...number) }
            connection = nil
            var log = try #require(folder.contents("log-wal"))
            // Within the frames: those behind it are intact, and not visible.
            log[log.count / 2] ^= 0xFF
            try log.write(to: URL(fileURLWithPath: folder("log-wal")))
            let database = folder.contents("log")
            connection = try SQLiteLog(at: folder("log")).connect()
            let status = try #require(try connection?.status())
            #expect(status.end.position < 200)
            // The missing part is known.
            #expect(status.acknowledged == ActionLogPoint(position: 200, identity: entry(200).identity))
            connection = nil
            #expect(folder.contents("log-wal") == log)
            #expect(folder.contents("log") == database)
            // So that it can be restored.
            log[log.count / 2] ^= 0xFF
            try log.write(to: URL(fileURLWithPath: folder("log-wal")))
            #expect(try SQLiteLog(at: folder("log")).connect().status().end.position == 200)
        }

        @Test("An entry changed in the file is detected, and those around it are read")
        func damagedEntry() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            try connection.append(1...5)
            try shell(folder("log"), "UPDATE entries SET payload = x'00' WHERE position = 3")
            #expect(try connection.read(after: 0, atMost: 1_000).map(\.identity.number) == [1, 2])
            let error = #expect(throws: ActionLogError.self) { try connection.read(after: 2, atMost: 1_000) }
            #expect(error?.code == .damaged)
            #expect(error?.position == 3)
            #expect(try connection.read(after: 3, atMost: 1_000).map(\.identity.number) == [4, 5])
            try shell(folder("log"), "DELETE FROM entries WHERE position = 4")
            #expect(throws: ActionLogError.self) { try connection.read(after: 3, atMost: 1_000) }
        }

        @Test("A part of a snapshot changed in the file is detected")
        func damagedSnapshot() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            try connection.append(1...5)
            let snapshot = try connection.save(at: 4, ["one", "two"])
            try shell(folder("log"), "UPDATE parts SET payload = x'00' WHERE number = 1")
            #expect(try connection.part(0, of: snapshot) == Data("one".utf8))
            let error = #expect(throws: ActionLogError.self) { try connection.part(1, of: snapshot) }
            #expect(error?.code == .damaged)
            try shell(folder("log"), "UPDATE snapshots SET header = 'x'")
            #expect(try connection.snapshots() == [])
        }

        @Test("A damaged record of the end is ignored")
        func damagedEndNote() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            try connection.append(1...3)
            let (note, acknowledged) = (try #require(folder.contents("log-end")), try connection.status().acknowledged)
            #expect(acknowledged == ActionLogPoint(position: 3, identity: entry(3).identity))
            for index in note.indices {
                var changed = note
                changed[index] ^= 1
                try changed.write(to: URL(fileURLWithPath: folder("log-end")))
                let found = try connection.status().acknowledged
                #expect(found == nil || found == acknowledged, "\(index)")
            }
        }

        @Test("Parts of an unfinished snapshot are kept for a day, whatever is deleted meanwhile")
        func unfinishedSnapshot() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            try connection.append(1...5)
            let finished = try connection.save(at: 3)
            let point = ActionLogPoint(position: 5, identity: entry(5).identity)
            let unfinished = ActionLogSnapshot(at: point, header: "{}", parts: 1)
            try connection.write(Data("part".utf8), 0, of: unfinished)
            while try connection.trim(through: 3) {}
            #expect(try connection.part(0, of: unfinished) == Data("part".utf8))
            try shell(folder("log"), "UPDATE parts SET time = time - 90000")
            while try connection.trim(through: 0) {}
            #expect(try connection.part(0, of: unfinished) == nil)
            #expect(try connection.part(0, of: finished) != nil)
            #expect(try connection.status().first == 4)
        }

        @Test("A damaged snapshot does not prevent another one at its position")
        func placeOfDamagedSnapshot() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            try connection.append(1...5)
            try connection.save(at: 5)
            try shell(folder("log"), "UPDATE snapshots SET checksum = checksum + 1")
            var snapshots = try connection.snapshots()
            #expect(snapshots == [])
            let next = ActionLogSnapshot(
                at: ActionLogPoint(position: 5, identity: entry(5).identity),
                header: "{}",
                parts: 0
            )
            #expect(try connection.finish(next))
            snapshots = try connection.snapshots()
            #expect(snapshots == [next])
        }

        @Test("An oversized entry is refused, and appending continues")
        func largeEntries() throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"), largestEntry: 100)
            let connection = try log.connect()
            let large = ActionLogEntry(.init(origin: "a", number: 1), header: "", payload: Data(count: 101))
            let error = #expect(throws: ActionLogError.self) {
                try connection.append([large], if: AppendCondition(.end(.start)))
            }
            #expect(error?.code == .tooLarge)
            try connection.append(1...1)
            #expect(try connection.status().end.position == 1)
        }

        @Test("A file or write-ahead log deleted by another program acknowledges nothing more")
        func deletedFiles() throws {
            let folder = try TemporaryFolder()
            var connection: (any ActionLogConnection)? = try SQLiteLog(at: folder("log")).connect()
            try connection?.append(1...3)
            try shell(folder("log"), "PRAGMA wal_checkpoint(TRUNCATE)")
            // Like SQLite's shell, which considers itself the last one after the file was read in this process, which
            // released all its locks.
            try FileManager.default.removeItem(atPath: folder("log-wal"))
            let error = #expect(throws: ActionLogError.self) { try connection?.append(4...4) }
            #expect(error?.code == .disconnected)
            #expect(throws: ActionLogError.self) { try connection?.append(4...4) }
            connection = nil
            let later = try SQLiteLog(at: folder("log")).connect()
            try later.append(4...4)
            #expect(try later.read(after: 0, atMost: 1_000).map(\.identity.number) == [1, 2, 3, 4])
            // The file itself.
            try FileManager.default.moveItem(atPath: folder("log"), toPath: folder("moved"))
            let moved = #expect(throws: ActionLogError.self) { try later.append(5...5) }
            #expect(moved?.code == .disconnected)
        }

        @Test("A log whose file or locks another program replaced is detected before the next write")
        func replacedFiles() async throws {
            for name in ["log", "log-shm"] {
                let folder = try TemporaryFolder()
                let log = try SQLiteLog(at: folder("log"))
                let connection = try log.connect()
                try connection.append(1...3)
                try await log.backup(to: folder("copy"))
                try FileManager.default.removeItem(atPath: folder(name))
                try FileManager.default.moveItem(atPath: folder("copy"), toPath: folder(name))
                let error = #expect(throws: ActionLogError.self) { try connection.status() }
                #expect(error?.code == .disconnected)
                #expect(throws: ActionLogError.self) { try connection.append(4...4) }
            }
        }

        @Test(
            "A log whose files were replaced is opened again when no connection of the process uses the former ones",
            arguments: [["log"], ["log-wal", "log-shm"], ["log", "log-wal", "log-shm"]]
        )
        func replacedFilesOfSeveralConnections(names: [String]) async throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            var waiting: (any ActionLogConnection)? = try log.connect()
            try waiting?.append(1...3)
            try shell(folder("log"), "PRAGMA wal_checkpoint(TRUNCATE)")
            try await log.backup(to: folder("copy"))
            for name in names { try FileManager.default.removeItem(atPath: folder(name)) }
            if names.contains("log") { try FileManager.default.moveItem(atPath: folder("copy"), toPath: folder("log")) }
            let error = #expect(throws: ActionLogError.self) { try log.connect() }
            #expect(error?.code == .busy)
            // A connection that only waits notices it.
            let noticed = #expect(throws: ActionLogError.self) { try waiting?.wait(after: 3, for: .milliseconds(1)) }
            #expect(noticed?.code == .disconnected)
            #expect(throws: ActionLogError.self) { try waiting?.read(after: 0, atMost: 1_000) }
            waiting = nil
            let later = try log.connect()
            try later.append(4...4)
            #expect(try later.read(after: 0, atMost: 1_000).map(\.identity.number) == [1, 2, 3, 4])
        }

        @Test("A file with two names is refused, and the store that has it continues")
        func hardLink() throws {
            let folder = try TemporaryFolder()
            var connection: (any ActionLogConnection)? = try SQLiteLog(at: folder("log")).connect()
            try connection?.append(1...3)
            try FileManager.default.linkItem(atPath: folder("log"), toPath: folder("other"))
            let error = #expect(throws: ActionLogError.self) { _ = try SQLiteLog(at: folder("other")).connect() }
            #expect(error?.code == .unsafe)
            try connection?.append(4...4)
            #expect(try SQLiteLog(at: folder("log")).connect().status().end.position == 4)
            connection = nil
            let later = #expect(throws: ActionLogError.self) { _ = try SQLiteLog(at: folder("log")).connect() }
            #expect(later?.code == .unsafe)
            try FileManager.default.removeItem(atPath: folder("other"))
            #expect(try SQLiteLog(at: folder("log")).connect().status().end.position == 4)
        }

        @Test("A log that has given its last token gives no more, and does not trap")
        func lastToken() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            try shell(folder("log"), "UPDATE log SET token = \(Int64.max)")
            let error = #expect(throws: ActionLogError.self) {
                try connection.claim(LeaseClaim(name: "writer", holder: "a", for: .seconds(1)))
            }
            #expect(error?.code == .damaged)
        }

        @Test("Tokens of a log and of its restored copy differ, also after the clock was set back")
        func tokensOfCopy() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            let future: Int64 = 4_102_444_800_000 << 20
            var tokens: Set<UInt64> = []
            for _ in 0..<3 {
                // The state of a copy that was made while the clock was ahead.
                try shell(folder("log"), "DELETE FROM leases; UPDATE log SET token = \(future)")
                tokens.insert(try connection.claim(LeaseClaim(name: "writer", holder: "a", for: .seconds(1))).token)
            }
            #expect(tokens.count > 1)
            #expect(tokens.allSatisfy { $0 > future })
        }

        @Test("A symbolic link to a missing file stands for that file")
        func danglingLink() throws {
            let folder = try TemporaryFolder()
            for (link, target) in [("absolute", folder("first")), ("relative", "second"), ("chain", "relative")] {
                try FileManager.default.createSymbolicLink(atPath: folder(link), withDestinationPath: target)
            }
            let name = try SQLiteLog(at: folder("first")).name
            #expect(try SQLiteLog(at: folder("absolute")).name == name)
            #expect(try SQLiteLog(at: folder("chain")).name == SQLiteLog(at: folder("second")).name)
            try SQLiteLog(at: folder("absolute")).connect().append(1...2)
            #expect(try SQLiteLog(at: folder("first")).connect().status().acknowledged?.position == 2)
            try FileManager.default.createSymbolicLink(atPath: folder("loop"), withDestinationPath: "loop")
            let error = #expect(throws: ActionLogError.self) { _ = try SQLiteLog(at: folder("loop")) }
            #expect(error?.code == .refused)
        }

        @Test("A copy of a log does not replace a log in use")
        func backupOntoOpenLog() async throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            try log.connect().append(1...5)
            let other = try SQLiteLog(at: folder("other"))
            let connection = try other.connect()
            try connection.append(1...2)
            await expect(.refused) { try await log.backup(to: folder("other")) }
            try connection.append(3...4)
            #expect(try other.connect().status().end.position == 4)
        }

        @Test("A copy that was opened is replaced when its companion files were deleted")
        func backupOntoOpenedCopy() async throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            let connection = try log.connect()
            try connection.append(1...2)
            try await log.backup(to: folder("copy"))
            try SQLiteLog(at: folder("copy")).connect().append(3...3)
            try connection.append(3...4)
            await expect(.refused) { try await log.backup(to: folder("copy")) }
            for name in ["copy-wal", "copy-shm"] { try FileManager.default.removeItem(atPath: folder(name)) }
            try await log.backup(to: folder("copy"))
            #expect(try SQLiteLog(at: folder("copy")).connect().status().end.position == 4)
        }

        @Test("A copy of a log under writes is consistent, and replaces a file only when it is complete")
        func backup() async throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            let connection = try log.connect()
            for number in UInt64(1)...50 { try connection.append(number...number) }
            try connection.save(at: 20)
            try Data("an older copy".utf8).write(to: URL(fileURLWithPath: folder("copy")))
            try await log.backup(to: folder("copy"))
            try connection.append(51...60)
            let copy = try SQLiteLog(at: folder("copy")).connect()
            #expect(try copy.status().end.position == 50)
            #expect(try copy.status().identity == connection.status().identity)
            #expect(try copy.snapshots().map(\.point.position) == [20])
            let attributes = try FileManager.default.attributesOfItem(atPath: folder("copy"))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            // A copy onto itself, of nothing, and to nowhere.
            await #expect(throws: ActionLogError.self) { try await log.backup(to: folder("log")) }
            await #expect(throws: ActionLogError.self) {
                try await SQLiteLog(at: folder("none")).backup(to: folder("other"))
            }
            await #expect(throws: ActionLogError.self) { try await log.backup(to: folder("none/copy")) }
            #expect(try connection.status().end.position == 60)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(
                files.allSatisfy { $0.hasPrefix("log") || ["copy", "copy-wal", "copy-shm"].contains($0) },
                "\(files)"
            )
        }

        @Test(
            "A log whose name is that of another log's file is refused",
            arguments: ["-wal", "-shm", "-journal", "-end"]
        )
        func companionNames(end: String) throws {
            for names in [["log" + end, "log"], ["log", "log" + end]] {
                let folder = try TemporaryFolder()
                try SQLiteLog(at: folder(names[0])).connect().append(1...5)
                // So that the file itself has everything.
                try shell(folder(names[0]), "PRAGMA wal_checkpoint(TRUNCATE)")
                try? FileManager.default.removeItem(atPath: folder(names[0] + "-wal"))
                let error = #expect(throws: ActionLogError.self) {
                    try SQLiteLog(at: folder(names[1])).connect().append(1...5)
                }
                #expect(error?.code == .unsafe || error?.code == .unknownFormat)
                #expect(try SQLiteLog(at: folder(names[0])).connect().read(after: 0, atMost: 1_000).count == 5)
            }
        }

        @Test("A file can have the inode number of an open log's companion that was deleted")
        func reusedNumber() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            try connection.append(1...5)
            // SQLite deletes the other log's journal, because that log is empty.
            try FileManager.default.linkItem(atPath: folder("log-wal"), toPath: folder("other-journal"))
            let other = try SQLiteLog(at: folder("other"))
            let error = #expect(throws: ActionLogError.self) { try other.connect() }
            #expect(error?.code == .unsafe)
            unlink(folder("log-wal"))
            try other.connect().append(1...5)
        }

        #if os(Linux)
            @Test(
                "The name of an open log's file is refused, and its connection keeps its locks",
                arguments: ["-wal", "-shm", "-journal", "-end"]
            )
            func companionOfOpenLog(end: String) async throws {
                let folder = try TemporaryFolder()
                let connection = try SQLiteLog(at: folder("log")).connect()
                try connection.append(1...5)
                let before = try await locks(in: folder)
                let other = try SQLiteLog(at: folder("log" + end))
                let error = #expect(throws: ActionLogError.self) { try other.connect() }
                #expect(error?.code == .unsafe)
                await #expect(throws: ActionLogError.self) { try await other.backup(to: folder("copy")) }
                try await until { try locks(on: folder("log")) + locks(on: folder("log-shm")) == before }
                // The names of its companions' companions, and a companion of another name.
                let next = try SQLiteLog(at: folder("log-shm" + end))
                #expect(throws: ActionLogError.self) { try next.connect() }
                await expect(.refused) { try await SQLiteLog(at: folder("log")).backup(to: next.name) }
                try FileManager.default.createSymbolicLink(
                    atPath: folder("other" + end),
                    withDestinationPath: folder("log-shm")
                )
                #expect(throws: ActionLogError.self) { try SQLiteLog(at: folder("other")).connect() }
                try await until { try locks(on: folder("log")) + locks(on: folder("log-shm")) == before }
            }

            @Test("A connection keeps its locks while its file is moved away and the log is opened")
            func movedFile() async throws {
                let folder = try TemporaryFolder()
                let log = try SQLiteLog(at: folder("log"))
                let connection = try log.connect()
                try connection.append(1...5)
                let before = try await locks(in: folder)
                try FileManager.default.moveItem(atPath: folder("log"), toPath: folder("moved"))
                #expect(throws: ActionLogError.self) { try log.connect() }
                try FileManager.default.moveItem(atPath: folder("moved"), toPath: folder("log"))
                try await until { try locks(on: folder("log")) + locks(on: folder("log-shm")) == before }
                try connection.append(6...6)
                #expect(try log.connect().status().end.position == 6)
            }

            /// Returns the number of locks of this process on a log, once no checkpoint runs there.
            private func locks(in folder: TemporaryFolder) async throws -> Int {
                var counts: [Int] = []
                try await until {
                    counts.append(try locks(on: folder("log")) + locks(on: folder("log-shm")))
                    return counts.count > 20 && Set(counts.suffix(20)).count == 1
                }
                return counts.last ?? 0
            }

            /// Returns the number of locks of this process on a file.
            private func locks(on path: String) throws -> Int {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                let number = try #require(attributes[.systemFileNumber] as? NSNumber)
                let table = FileManager.default.contents(atPath: "/proc/locks") ?? Data()
                return String(decoding: table, as: UTF8.self).split(separator: "\n").count { line in
                    line.contains(":\(number) ") && line.contains(" \(getpid()) ")
                }
            }
        #endif

        @Test("A folder, a device or a pipe is refused")
        func otherKinds() throws {
            let folder = try TemporaryFolder()
            mkfifo(folder("pipe"), 0o600)
            for path in [folder.path, "/dev/null", folder("pipe")] {
                let error = #expect(throws: ActionLogError.self, "\(path)") { try SQLiteLog(at: path).connect() }
                #expect(error?.code == .unsafe, "\(path)")
            }
        }

        @Test("A file that is empty or missing is an error, and its write-ahead log is kept", arguments: [true, false])
        func emptiedFile(isMissing: Bool) throws {
            let folder = try TemporaryFolder()
            try SQLiteLog(at: folder("log")).connect().append(1...5)
            let log = try #require(folder.contents("log-wal"))
            if isMissing { unlink(folder("log")) } else { truncate(folder("log"), 0) }
            let error = #expect(throws: ActionLogError.self) { try SQLiteLog(at: folder("log")).connect() }
            #expect(error?.code == .damaged)
            #expect(folder.contents("log-wal") == log)
            #expect(FileManager.default.fileExists(atPath: folder("log")) == !isMissing)
            // It has everything: SQLite reads it if the file has a page.
            try Data(count: 4_096).write(to: URL(fileURLWithPath: folder("log")))
            #expect(try SQLiteLog(at: folder("log")).connect().status().end.position == 5)
            // For a new log, the error names all files to delete.
            let ends = ["-wal", "-shm", "-end"]
            #expect((ends + ["-journal"]).allSatisfy { error?.reason.contains("`\($0)`") == true })
            for end in [""] + ends { try FileManager.default.removeItem(atPath: folder("log" + end)) }
            #expect(try SQLiteLog(at: folder("log")).connect().status().acknowledged == nil)
        }

        @Test("A lease with an impossible session does not trap")
        func impossibleSessions() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            let claim = LeaseClaim(name: "writer", holder: "a", for: .seconds(600))
            for session in [Int64.min, -1, 0, 1 << 62, .max] {
                _ = try connection.claim(claim)
                try shell(folder("log"), "UPDATE leases SET session = \(session)")
                _ = try connection.claim(LeaseClaim(name: "writer", holder: "b", for: .seconds(600)))
            }
        }

        @Test("The last acknowledged entry is recorded for origins of any length")
        func longOrigins() throws {
            for origin in ["", "a", String(repeating: "a", count: 5_000), String(repeating: "\u{439}", count: 300)] {
                let folder = try TemporaryFolder()
                let connection = try SQLiteLog(at: folder("log")).connect()
                try connection.append(1...2, of: origin)
                #expect(try connection.status().acknowledged == connection.status().end)
                // A shorter record over a longer one.
                try connection.append(1...1, of: "b")
                #expect(try connection.status().acknowledged?.identity == entry(1, of: "b").identity)
            }
        }

        @Test("The last acknowledged entry is recorded again when its file was deleted")
        func deletedEndNote() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            try connection.append(1...3)
            try FileManager.default.removeItem(atPath: folder("log-end"))
            try connection.append(4...4)
            #expect(try connection.status().acknowledged?.position == 4)
        }

        @Test("A process without free file descriptors can open a log later, and detects a lost end")
        func shortage() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                try SQLiteLog(at: folder("log")).connect().append(1...10)
                try loseEnd(of: folder("log"), after: 5)
                var codes: [ActionLogError.Code?] = []
                for count in 0...10 {
                    for name in ["log", "new\(count)"] {
                        let log = try SQLiteLog(at: folder(name))
                        let error = withFreeDescriptors(count) {
                            failure {
                                let acknowledged = try log.connect().status().acknowledged?.position
                                #expect(name != "log" || acknowledged == 10, "\(count)")
                            }
                        }
                        #expect(error?.isTransient != false, "\(count), \(name): \(error as Any)")
                        codes.append(error?.code)
                    }
                }
                #expect(codes.first == .disconnected)
                #expect(codes.last == .some(nil))
            }
        }

        @Test("A connection in use needs no further file descriptors")
        func shortageInUse() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                let log = try SQLiteLog(at: folder("log"))
                let (connection, reader) = (try log.connect(), try log.connect())
                try connection.append(1...3)
                _ = try (connection.status(), reader.status())
                try withFreeDescriptors(0) {
                    #expect(try connection.status().end.position == 3)
                    try connection.append(4...4)
                    #expect(try reader.status().end.position == 4)
                    #expect(failure { _ = try log.connect() }?.code == .disconnected)
                }
                #expect(try reader.status().acknowledged?.position == 4)
            }
        }

        @Test("A log that was replaced can be opened although a store of the process that has ended is retained")
        func replacedAfterEnd() async throws {
            let place = try Workplace()
            let store = try await NotebookStore.open(at: place.log)
            try await store.write(1...3)
            try await SQLiteLog(at: place.log).backup(to: place.path("copy"))
            try SQLiteLog(at: place.log).connect().append(1...1, of: "b")
            await #expect(throws: ActionLogError.self) { try await store.dispatch(.write(4)) }
            for name in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: place.log + name) }
            try FileManager.default.moveItem(atPath: place.path("copy"), toPath: place.log)
            let accepting = DurabilityConfiguration(recovery: .acceptingLoss, openingTimeout: .seconds(60))
            // The writer of the former store closes the file a moment after the error.
            var next: NotebookStore?
            while next == nil {
                do throws(ActionLogError) { next = try await .open(at: place.log, accepting) } catch {
                    try #require(error.code == .busy)
                }
            }
            #expect(next?.snapshot.numbers == [1, 2, 3])
            await next?.end()
            await store.end()
        }

        @Test("A lost end is accepted once, also by a log that does not wait for the disk")
        func acceptedLoss() throws {
            let folder = try TemporaryFolder()
            try SQLiteLog(at: folder("log")).connect().append(1...10)
            try loseEnd(of: folder("log"), after: 5)
            let log = try SQLiteLog(at: folder("log"), acknowledgement: .system)
            #expect(try log.connect().status().acknowledged?.position == 10)
            try log.connect().append(1...1, of: "b")
            #expect(try log.connect().status().acknowledged == nil)
            // What is still there remains recorded.
            try SQLiteLog(at: folder("log")).connect().append(2...3, of: "b")
            try log.connect().append(4...4, of: "b")
            #expect(try log.connect().status().acknowledged?.position == 8)
        }

        @Test("A copy onto a file that belongs to a log is refused", arguments: ["-wal", "-shm", "-journal", "-end"])
        func backupOntoCompanion(end: String) async throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            let connection = try log.connect()
            try connection.append(1...2)
            await expect(.refused) { try await log.backup(to: folder("log" + end)) }
            try connection.append(3...4)
            #expect(try log.connect().status().end.position == 4)
        }

        @Test("A copy onto a folder or a pipe is refused")
        func backupOntoOthers() async throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            try log.connect().append(1...2)
            try FileManager.default.createDirectory(atPath: folder("folder"), withIntermediateDirectories: false)
            mkfifo(folder("pipe"), 0o600)
            for name in ["folder", "pipe"] { await expect(.unsafe) { try await log.backup(to: folder(name)) } }
            #expect(throws: ActionLogError.self) { try SQLiteLog(at: folder("pipe")).connect() }
        }

        #if os(Linux)
            @Test("A copy is made in a folder to which its user may only write")
            func backupIntoUnreadableFolder() async throws {
                await #expect(processExitsWith: .success) {
                    let folder = try TemporaryFolder()
                    mkdir(folder("box"), 0o700)
                    // An administrator can read every folder.
                    if geteuid() == 0 {
                        for path in [folder.path, folder("box")] { chown(path, 65_534, 65_534) }
                        seteuid(65_534)
                    }
                    // The folder of temporary files may be closed to others.
                    guard FileManager.default.fileExists(atPath: folder("box")) else { return }
                    chmod(folder("box"), 0o300)
                    let log = try SQLiteLog(at: folder("log"))
                    try log.connect().append(1...2)
                    try await log.backup(to: folder("box/copy"))
                    chmod(folder("box"), 0o700)
                    #expect(try FileManager.default.contentsOfDirectory(atPath: folder("box")) == ["copy"])
                    #expect(try SQLiteLog(at: folder("box/copy")).connect().status().end.position == 2)
                }
            }
        #endif

        @Test("A copy beside a journal is refused, because SQLite would undo the journal's transaction in the copy")
        func backupBesideJournal() async throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            try log.connect().append(1...2)
            try Data("journal".utf8).write(to: URL(fileURLWithPath: folder("copy-journal")))
            await expect(.refused) { try await log.backup(to: folder("copy")) }
            try FileManager.default.removeItem(atPath: folder("copy-journal"))
            try await log.backup(to: folder("copy"))
        }

        @Test("A copy whose name continues that of a folder or of another file is made")
        func backupBesideOthers() async throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            try log.connect().append(1...2)
            try FileManager.default.createDirectory(atPath: folder("week"), withIntermediateDirectories: false)
            try Data("text".utf8).write(to: URL(fileURLWithPath: folder("year")))
            for name in ["week-end", "year-end"] {
                try await log.backup(to: folder(name))
                #expect(try SQLiteLog(at: folder(name)).connect().status().end.position == 2)
            }
        }

        @Test("A copy that was opened and changed is replaced when all of its files were deleted")
        func backupOntoChangedCopy() async throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            let connection = try log.connect()
            try connection.append(1...2)
            try await log.backup(to: folder("copy"))
            try SQLiteLog(at: folder("copy")).connect().append(1...1, of: "b")
            let error = await #expect(throws: ActionLogError.self) { try await log.backup(to: folder("copy")) }
            let ends = ["-wal", "-shm", "-end"]
            #expect((ends + ["-journal"]).allSatisfy { error?.reason.contains("`\($0)`") == true })
            for end in [""] + ends { try FileManager.default.removeItem(atPath: folder("copy" + end)) }
            try await log.backup(to: folder("copy"))
            #expect(try SQLiteLog(at: folder("copy")).connect().status().acknowledged == nil)
        }

        @Test("Entries are deleted also where a thousand of them are missing")
        func deletionBehindGap() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log"), acknowledgement: .system).connect()
            try connection.append(1...4_000)
            try shell(folder("log"), "DELETE FROM entries WHERE position <= 1500")
            while try connection.trim(through: 3_000) {}
            #expect(try connection.status().first == 3_001)
        }

        #if os(Linux)
            @Test("A file that is mounted by itself is refused, because its two paths have different companions")
            func mountedFile() throws {
                let folder = try TemporaryFolder()
                let path = folder("a file")
                try Data().write(to: URL(fileURLWithPath: path))
                try SQLiteLog(at: folder("log")).connect().append(1...3)
                // Only an administrator can do this.
                guard mount(folder("log"), path, nil, UInt(MS_BIND), nil) == 0 else { return }
                defer { umount(path) }
                let error = #expect(throws: ActionLogError.self) { try SQLiteLog(at: path).connect() }
                #expect(error?.code == .unsafe)
                #expect(try SQLiteLog(at: folder("log")).connect().status().end.position == 3)
            }
        #endif
    }
#endif
