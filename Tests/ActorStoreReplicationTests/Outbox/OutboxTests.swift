#if Replication
    @testable import ActorStoreReplication
    import Testing

    @Suite("What a replica has not got through yet")
    struct OutboxTests {
        var outbox = Outbox<String, String>(.buffer, limit: 4)
        let error = ReplicationError("s", .closed)

        mutating func take(atMost limit: Int) -> [Outbox<String, String>.Item] { outbox.take(atMost: limit) }
        mutating func wake() -> Bool { outbox.wake() }
        mutating func connect() -> Bool { outbox.connect() }
        mutating func wakes(_ action: String) -> Bool { outbox.append(action, lease: nil, isAwaited: true).wakes }
        mutating func end(_ error: ReplicationError) -> [String] { outbox.end(error) }

        mutating func wait(for number: UInt64, _ waiter: String) -> Outbox<String, String>.Wait {
            outbox.wait(for: number, waiter, outbox.makeIdentity(), isSender: true)
        }

        mutating func reduce(through number: UInt64) -> [(waiter: String, error: ReplicationError?)] {
            outbox.reduce(through: number)
        }

        mutating func append(_ actions: String...) {
            for action in actions { _ = outbox.append(action, lease: nil, isAwaited: true) }
        }

        @Test("Actions are taken in order, at most so many at a time, each once")
        mutating func taking() {
            append("a", "b", "c")
            #expect(take(atMost: 2).map(\.action) == ["a", "b"])
            #expect(take(atMost: 2).map(\.action) == ["c"])
            #expect(take(atMost: 2).isEmpty)
            append("d")
            #expect(take(atMost: 2).map(\.number) == [4])
        }

        @Test("The writer is woken by the first action, and again only when it has gone to sleep")
        mutating func waking() {
            #expect(wakes("a"))
            #expect(!wakes("b"))
            _ = outbox.take(atMost: 9)
            #expect(!wakes("c"))
            _ = outbox.take(atMost: 9)
            #expect(take(atMost: 9).isEmpty)
            #expect(wakes("d"))
        }

        @Test("After a lost connection everything is taken again that is not known to be in the stream")
        mutating func resending() {
            append("a", "b", "c")
            _ = outbox.take(atMost: 2)
            _ = outbox.acknowledge(through: 1)
            outbox.disconnect()
            #expect(!outbox.isConnected)
            #expect(!wake())
            #expect(connect())
            #expect(take(atMost: 9).map(\.number) == [2, 3])
        }

        @Test("What comes back by the stream is not sent again, also if the answer never came")
        mutating func cameBack() {
            append("a", "b", "c")
            _ = outbox.take(atMost: 3)
            outbox.disconnect()
            _ = outbox.reduce(through: 2)
            _ = outbox.acknowledge(through: 2)
            _ = outbox.connect()
            #expect(take(atMost: 9).map(\.number) == [3])
            #expect(outbox.pending == 1)
        }

        @Test("Whoever waits goes on when the action has been reduced, or at once if it has been already")
        mutating func waiting() {
            append("a", "b")
            guard case .waits = wait(for: 2, "second"), case .waits = wait(for: 1, "first") else {
                Issue.record("They do not wait.")
                return
            }
            #expect(reduce(through: 1).map(\.waiter) == ["first"])
            #expect(reduce(through: 2).map(\.waiter) == ["second"])
            #expect(reduce(through: 2).isEmpty)
            guard case .over(nil) = wait(for: 2, "late") else {
                Issue.record("It waits.")
                return
            }
        }

        @Test("Who waits for an action that could not be encoded learns it, before or after it has come back")
        mutating func unencodable() {
            append("a", "b")
            _ = wait(for: 1, "early")
            for item in take(atMost: 2) { outbox.noteUnencodable(item, error) }
            // Who only wants to know that all has been reduced does not, and takes it from nobody.
            _ = outbox.wait(for: 2, "other", 99, isSender: false)
            let released = reduce(through: 2)
            #expect(released.map(\.waiter) == ["early", "other"])
            #expect(released.map(\.error) == [error, nil])
            guard case .over(error) = wait(for: 2, "late") else {
                Issue.record("It does not learn it.")
                return
            }
        }

        @Test("No more actions are accepted than may wait, and again when some have been reduced")
        mutating func limit() {
            append("a", "b", "c")
            #expect(outbox.refusal(for: "s", ofEffect: false) == nil)
            append("d")
            #expect(outbox.refusal(for: "s", ofEffect: false)?.cause == .overloaded(limit: 4))
            _ = outbox.reduce(through: 1)
            #expect(outbox.refusal(for: "s", ofEffect: false) == nil)
        }

        @Test("Told to refuse actions without a connection, it does, whichever connection is lost")
        mutating func refusing() {
            outbox = Outbox(.refuse, limit: 4)
            #expect(outbox.refusal(for: "s", ofEffect: false) == nil)
            outbox.disconnect()
            #expect(outbox.refusal(for: "s", ofEffect: false)?.cause == .disconnected)
            _ = outbox.connect()
            outbox.isReading = false
            #expect(outbox.refusal(for: "s", ofEffect: false)?.cause == .disconnected)
            outbox.isReading = true
            #expect(outbox.refusal(for: "s", ofEffect: false) == nil)
        }

        @Test("At the end all who wait are let go, and nothing is accepted or taken any more")
        mutating func ending() {
            append("a", "b")
            _ = wait(for: 1, "first")
            _ = wait(for: 1, "second")
            #expect(end(error).sorted() == ["first", "second"])
            #expect(outbox.refusal(for: "s", ofEffect: false) == error)
            #expect(take(atMost: 9).isEmpty)
            #expect(!wake())
            guard case .over(error) = wait(for: 2, "late") else {
                Issue.record("It waits.")
                return
            }
        }

        @Test("Several can wait for the same action, and one of them be taken back")
        mutating func several() {
            append("a")
            _ = outbox.wait(for: 1, "first", 1, isSender: true)
            _ = outbox.wait(for: 1, "second", 2, isSender: true)
            _ = outbox.wait(for: 1, "third", 3, isSender: true)
            let removed = [outbox.removeWaiter(for: 1, 2), outbox.removeWaiter(for: 1, 2)]
            #expect(removed == ["second", nil])
            #expect(reduce(through: 1).map(\.waiter) == ["first", "third"])
        }

        @Test("While it closes, only effects may send")
        mutating func closing() {
            outbox.isClosing = true
            #expect(outbox.refusal(for: "s", ofEffect: false)?.cause == .closed)
            #expect(outbox.refusal(for: "s", ofEffect: true) == nil)
        }

        @Test("Many actions keep their numbers while those before them go")
        mutating func many() {
            outbox = Outbox(.buffer, limit: .max)
            var next: UInt64 = 1
            for round in 0..<2_000 {
                for _ in 0..<7 { append("x") }
                let batch = outbox.take(atMost: 5)
                #expect(batch.first?.number == next)
                next = (batch.last?.number ?? 0) + 1
                if round.isMultiple(of: 3) { _ = outbox.acknowledge(through: next - 1) }
            }
            #expect(outbox.accepted == 14_000)
            outbox.disconnect()
            _ = outbox.connect()
            let first: UInt64 = 5 * 1_999 + 1
            #expect(take(atMost: 1).map(\.number) == [first])
        }
    }
#endif
