import ActorStore
import ActorStoreCommands
import Testing

@testable import ActorStoreTesting

@Suite("Recorders", .timeLimit(.minutes(10)))
struct RecorderTests {
    private func counter() -> Store<Int, Int> {
        Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
    }

    @Test("A sequence is recorded and read in order, each value once, however late it comes")
    func sequence() async throws {
        let store = counter()
        let counts = Recorder(store.values(of: \.self, buffering: .unbounded))
        try await store.dispatch(1)
        try await store.dispatch(2)
        #expect(try await counts.values(3, timeout: .seconds(60)) == [0, 1, 3])
        store.send(4)
        #expect(try await counts.next(timeout: .seconds(60)) == 7)
        #expect(counts.elements == [0, 1, 3, 7])
        await store.shutdown(drain: .cancelEffects)
        await counts.expectEnd(timeout: .seconds(60))
        #expect(counts.hasEnded)
    }

    @Test("A closure can be recorded")
    func closure() async throws {
        let store = counter()
        let counts = Recorder<Int>()
        let token = store.observe(\.self) { counts.record($0) }
        try await store.dispatch(1)
        await counts.expect([0, 1])
        token.cancel()
        counts.finish()
        counts.record(9)
        #expect(counts.elements == [0, 1])
    }

    @Test("The executor of a test store is run by the caller that waits for a recorded value")
    func onExecutor() async throws {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        let notes = Recorder(store.store.values(of: \.note, buffering: .unbounded), running: store.executor)
        await store.dispatch(.echo("one")) { $0.note = "?" }
        await notes.expect(["", "?", "one"])
        await store.receive(.write("one")) { $0.note = "one" }
    }

    @Test("Different or too few values fail the test with the difference")
    func expectations() async {
        let names = Recorder<String>()
        names.record("Ada")
        let line: UInt = #line + 1
        let other = await failures { await names.expect(["Bob"]) }
        #expect(other.map(\.location.line) == [line])
        #expect(other.first?.message.contains("-   [0]: \"Bob\"") == true)
        let few = await failures { await names.expect(["Eve"], timeout: .zero) }
        #expect(few.count == 1)
        names.record("Eve")
        names.finish()
        let rest = await failures { await names.expectEnd() }
        #expect(rest.map(\.message) == ["Values came before the end that were not read: [\"Eve\"]"])
        let endless = await failures { await Recorder<Int>().expectEnd(timeout: .zero) }
        #expect(endless.count == 1)
    }

    @Test("A missing value is an error with the reason")
    func errors() async throws {
        struct Broken: Error {}
        let recorder = Recorder<Int>()
        await #expect(throws: RecorderError.timedOut) { try await recorder.next(timeout: .zero) }
        let task = Task { try await recorder.next(timeout: .seconds(60)) }
        task.cancel()
        await #expect(throws: RecorderError.cancelled) { try await task.value }
        recorder.record(1)
        recorder.finish()
        await #expect(throws: RecorderError.ended) { try await recorder.values(2) }
        #expect(try await recorder.values(1) == [1])
        let failing = Recorder(AsyncThrowingStream<Int, any Error> { $0.finish(throwing: Broken()) })
        #expect(try await failing.valuesUntilEnd(timeout: .seconds(60)) == [])
        #expect(failing.failure is Broken)
    }

    @Test("Each of several waiting callers gets its own value")
    func severalReaders() async throws {
        for round in 0..<200 {
            let recorder = Recorder<Int>()
            async let first = recorder.next(timeout: .seconds(60))
            async let second = recorder.next(timeout: .seconds(60))
            await Task.yield()
            recorder.record(round)
            recorder.record(-1)
            #expect(try await [first, second].sorted() == [-1, round])
        }
    }

    @Test("Each of several expectations gets its own values, and waits for them")
    func severalExpectations() async throws {
        for _ in 0..<50 {
            let recorder = Recorder<Int>()
            await withDiscardingTaskGroup { group in
                for _ in 0..<8 { group.addTask { await recorder.expect([1], timeout: .seconds(300)) } }
                await Task.yield()
                for _ in 0..<8 {
                    recorder.record(1)
                    await Task.yield()
                }
            }
        }
    }

    @Test("A recording ends with its recorder")
    func release() async throws {
        let store = counter()
        let ended = Recorder<Void>()
        do {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            continuation.onTermination = { _ in ended.record(()) }
            let recorder = Recorder(stream)
            continuation.yield(1)
            #expect(try await recorder.next(timeout: .seconds(60)) == 1)
        }
        _ = try await ended.next(timeout: .seconds(60))
        _ = store
    }
}
