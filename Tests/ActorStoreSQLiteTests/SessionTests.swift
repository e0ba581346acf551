#if SQLite
    import ActorStore
    import ActorStorePersistence
    import ActorStoreSQLite
    import Foundation
    import Testing

    @Suite("Sessions of a log in a file")
    struct SessionTests {
        private let claim = LeaseClaim(name: "writer", holder: "a", for: .seconds(600))
        private let other = LeaseClaim(name: "writer", holder: "b", for: .seconds(600))

        @Test("A lease ends with the connection that holds it, and is kept by a continuing one")
        func endOfSession() throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            let second = try log.connect()
            var first: (any ActionLogConnection)? = try log.connect()
            let lease = try #require(try first?.claim(claim))
            #expect(try second.claim(other) == lease)
            // A renewal by another connection of the same holder moves it there.
            first = nil
            let next = try second.claim(other)
            #expect(next.holder == "b")
            #expect(next.token > lease.token)
        }

        @Test("A lease belongs to the file, for any spelling of its path")
        func spelling() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            let lease = try connection.claim(claim)
            try FileManager.default.createSymbolicLink(atPath: folder("link"), withDestinationPath: folder("log"))
            let linked = try SQLiteLog(at: folder("link"))
            #expect(
                linked.name
                    == (try SQLiteLog(at: folder("./../\(URL(fileURLWithPath: folder.path).lastPathComponent)/log")))
                    .name
            )
            #expect(try linked.connect().claim(other) == lease)
        }

        #if os(Linux)
            @Test("A lease ends with its connection although a starting process has a copy of the descriptor")
            func copiedDescriptors() throws {
                let folder = try TemporaryFolder()
                let log = try SQLiteLog(at: folder("log"))
                var first: (any ActionLogConnection)? = try log.connect()
                let lease = try #require(try first?.claim(claim))
                // Like those of a child between fork and exec.
                let copies = try descriptors(of: folder("log")).map { dup($0) }
                defer { for copy in copies { close(copy) } }
                #expect(!copies.isEmpty)
                #expect(try log.connect().claim(other) == lease)
                first = nil
                #expect(try log.connect().claim(other).holder == "b")
            }

            private func descriptors(of path: String) throws -> [Int32] {
                let files = FileManager.default
                return try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }.filter {
                    // One that was open when the folder was read can be closed by now.
                    (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
                }
            }
        #endif

        @Test("Failed attempts leave a log with its holder, and its files closed")
        func failingAttempts() throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            let holder = try log.connect()
            let lease = try holder.claim(claim)
            try Data(count: 100).write(to: URL(fileURLWithPath: folder("foreign")))
            try Data().write(to: URL(fileURLWithPath: folder("linked")))
            try FileManager.default.linkItem(atPath: folder("linked"), toPath: folder("other"))
            func attempt() throws {
                #expect(throws: ActionLogError.self) { try SQLiteLog(at: folder("foreign")).connect() }
                #expect(throws: ActionLogError.self) { try SQLiteLog(at: folder("linked")).connect() }
                #expect(try log.connect().claim(other) == lease)
            }
            try attempt()
            #if os(Linux)
                let count = try descriptors(of: folder("log")).count
                for _ in 0..<50 { try attempt() }
                #expect(try descriptors(of: folder("foreign")).isEmpty)
                #expect(try descriptors(of: folder("linked")).isEmpty)
                // SQLite keeps some for later, while another connection of the process has the file.
                #expect(try descriptors(of: folder("log")).count == count)
            #endif
            try holder.append(1...1)
        }

        @Test("A reader with an old view delays neither commits nor deletions")
        func longReader() throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"))
            let connection = try log.connect()
            try connection.append(1...2_000)
            let reader = try SQLiteReader(folder("log"))
            try reader.begin()
            // Each of these would wait for ten seconds, or forever.
            let clock = ContinuousClock()
            var longest = Duration.zero
            for number in UInt64(2_001)...2_300 {
                longest = max(longest, try clock.measure { _ = try connection.append(number...number) })
            }
            longest = max(
                longest,
                try clock.measure { try connection.save(at: 2_100, [String(repeating: "s", count: 1 << 20)]) }
            )
            var isTrimming = true
            while isTrimming {
                longest = max(longest, try clock.measure { isTrimming = try connection.trim(through: 2_000) })
            }
            #expect(longest < .seconds(9))
            #expect(try reader.count() == 2_000)
            reader.end()
            #expect(try connection.status().first == 2_001)
        }

        @Test("An entry deleted during a lookup counts as deleted, not as unused", .timeLimit(.minutes(10)))
        func lookupDuringDeletion() throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"), acknowledgement: .system)
            let connection = try log.connect()
            let last: UInt64 = 3_000
            try connection.append(1...last)
            let deletion = DispatchGroup()
            deletion.enter()
            Thread.detachNewThread {
                defer { deletion.leave() }
                guard let connection = try? log.connect() else { return }
                for position in 1...last { while (try? connection.trim(through: position)) == true {} }
            }
            var position: UInt64 = 1
            var unused: UInt64?
            while position < last, unused == nil {
                switch Result(catching: { try connection.identity(at: position) }) {
                case .success(nil): unused = position
                case .success: break
                // It was deleted.
                case .failure: position = try connection.status().first
                }
            }
            #expect(unused == nil)
            deletion.wait()
            #expect(try connection.status().first == last + 1)
        }

        @Test("Other connections append while a large snapshot is discarded", .timeLimit(.minutes(10)))
        func appendsDuringDiscard() throws {
            let folder = try TemporaryFolder()
            let log = try SQLiteLog(at: folder("log"), acknowledgement: .system)
            let connection = try log.connect()
            try connection.append(1...1)
            let steps = 60
            let point = ActionLogPoint(position: 1, identity: try connection.identity(at: 1))
            let snapshot = ActionLogSnapshot(at: point, header: "", parts: 4 * steps)
            for number in 0..<snapshot.parts { try connection.write(Data(count: 1 << 18), number, of: snapshot) }
            let discarding = LockedValue<Result<Void, any Error>?>(nil)
            Thread.detachNewThread {
                let result = Result { try log.connect().discard(snapshot) }
                discarding.withLock { $0 = result }
            }
            var appended: UInt64 = 1
            while discarding.withLock({ $0 == nil }) {
                appended += 1
                try connection.append(appended...appended)
            }
            try discarding.withLock { $0 }?.get()
            #expect(try connection.part(snapshot.parts - 1, of: snapshot) == nil)
            #expect(appended > 10)
        }

        @Test("A deletion of large entries takes several short calls")
        func largeDeletion() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log"), acknowledgement: .system).connect()
            let payload = Data(count: 7 << 20)
            for number in UInt64(1)...4 {
                let identity = ActionLogEntry.Identity(origin: "a", number: number)
                let condition = AppendCondition(.contains(.start))
                try connection.append([ActionLogEntry(identity, header: "", payload: payload)], if: condition)
            }
            #expect(try connection.trim(through: 4))
            #expect(try connection.status().first == 3)
            while try connection.trim(through: 4) {}
            #expect(try connection.status().first == 5)
        }

        @Test("A shell with a transaction makes a commit fail soon, with a transient error")
        func shellWithTransaction() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            try connection.append(1...1)
            let reader = try SQLiteReader(folder("log"))
            try reader.execute("BEGIN IMMEDIATE")
            let start = ContinuousClock.now
            let error = #expect(throws: ActionLogError.self) { try connection.append(2...2) }
            #expect(ContinuousClock.now - start < .seconds(9))
            #expect(error?.code == .busy)
            #expect(error?.isTransient == true)
            try reader.execute("ROLLBACK")
            try connection.append(2...2)
            #expect(try connection.status().end.position == 2)
        }
    }
#endif
