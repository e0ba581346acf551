import ActorStore
import Synchronization
import Testing
import TreeCollections

@Suite("Driven effects of tables", .timeLimit(.minutes(10)))
struct KeyedEffectTests {
    @Test(
        "Each entry that runs has an effect; it is cancelled when the entry runs no longer or goes, and no others are"
    )
    func entries() async throws {
        let (store, work) = (Workshop.store(), HeldWork())
        store.effect(forEach: \.jobs) { id, state in
            let run = state.jobs[id]?.runs ?? 0
            return .run { context in
                await work.run("\(id).\(run)")
                context.send(.change { $0.jobs[id]?.succeed() })
            }
        }
        try await store.change { state in
            for id in 1...4 { state.jobs[id] = .running() }
            state.jobs[5] = .idle()
        }
        await work.waitUntilBegun(4)
        #expect(store.statistics.runningEffects == 4)
        try await store.change {
            $0.jobs[1]?.cancel(); $0.jobs[2] = nil; $0.jobs[3]?.restart()
        }
        await work.waitUntilCancelled(3)
        await work.waitUntilBegun(5)
        #expect(Set(work.begun.elements) == ["1.1", "2.1", "3.1", "4.1", "3.2"])
        #expect(Set(work.cancelled.elements) == ["1.1", "2.1", "3.1"])
        work.finish("4.1")
        work.finish("3.2")
        await until { store.statistics.runningEffects == 0 }
        #expect(store.snapshot.jobs[4]?.isSucceeded == true && store.snapshot.jobs[3]?.isSucceeded == true)
        #expect(store.snapshot.jobs[1]?.isCancelled == true)
    }

    @Test("Dictionaries and keyed arrays do as well, and the state can be a part of an entry")
    func otherTables() async throws {
        let (store, work) = (Workshop.store(), HeldWork())
        store.effect(forEach: \.tools) { name, _ in .run { _ in await work.run(name) } }
        store.effect(forEach: \.orders, on: \.work) { id, order, context in
            await work.run("\(id) \(order.note)")
            context.send(.change { $0.orders[id: id]?.work.succeed() })
        } catch: { id, error in
            .log("\(id) \(error)")
        }
        try await store.change { state in
            state.tools["saw"] = .running()
            state.orders = [.init(id: 1), .init(id: 2, note: "two", work: .running())]
        }
        await work.waitUntilBegun(2)
        // What moves, or gets another note, runs on.
        try await store.change {
            $0.orders.reverse(); $0.orders[id: 2]?.note = "changed"
        }
        #expect(Set(work.begun.elements) == ["saw", "2 two"])
        work.finish("2 two")
        await until { store.snapshot.orders[id: 2]?.work.isSucceeded == true }
        try await store.change { $0.tools["saw"] = nil }
        await work.waitUntilCancelled()
        #expect(work.cancelled.elements == ["saw"])
    }

    @Test("Entries that retry wait each for its own delay")
    func retries() async throws {
        struct Broken: Error {}
        let (store, clock, attempts) = (Workshop.store(), ManualClock(), Collector<String>())
        store.effect(forEach: \.jobs, clock: clock) { id, state in
            let attempt = state.jobs[id]?.currentAttempt ?? -1
            return .run { _ in
                attempts.append("\(id).\(attempt)")
                throw Broken()
            } catch: { error in
                .change { $0.jobs[id]?.retryOrFail(with: EffectFailure(error)) }
            }
        }
        try await store.change { state in
            state.jobs[1] = .running(maxAttempts: 2)
            state.jobs[2] = .running(maxAttempts: 2, delay: .seconds(1), backoff: .constant(.seconds(5)))
        }
        await clock.waitForSleeper(until: .seconds(2))
        await clock.waitForSleeper(until: .seconds(1))
        clock.advance(by: .seconds(1))
        await clock.waitForSleeper(until: .seconds(6))
        clock.advance(by: .seconds(1))
        await until { store.snapshot.jobs[1]?.isFailed == true }
        clock.advance(by: .seconds(4))
        await until { store.snapshot.jobs[2]?.isFailed == true }
        #expect(attempts.elements == ["1.0", "2.0", "1.1", "2.1"])
    }

    @Test("An entry has one effect, also if its key is once an object of a class, and once of a subclass")
    func keysOfSubclasses() async throws {
        typealias Jobs = [Serial: EffectState<Never>]
        let reducer = Reduce<Jobs, Jobs> { jobs, replacement in
            jobs = replacement
            return .none
        }
        let (store, outcomes) = (Store(initialState: [:], reducer: reducer), Collector<Bool>())
        let (begun, goOn) = (Signal(), Signal())
        store.effect(forEach: \.self) { _, _ in
            .run { context in
                begun.fire()
                await goOn.wait()
                outcomes.append(context.send([:]).isAccepted)
            }
        }
        try await store.dispatch([Serial(1): .running()])
        await begun.wait()
        try await store.dispatch([LongSerial(1): .idle()])
        goOn.fire()
        await store.shutdown(drain: .finishEffects)
        #expect(outcomes.elements == [false])
    }

    /// An entry that counts how often it is compared.
    struct Entry: Equatable, Sendable {
        var number = 0
        var work = EffectState<Never>()

        static let comparisons = Atomic<Int>(0)

        static func == (left: Entry, right: Entry) -> Bool {
            comparisons.add(1, ordering: .relaxed)
            return left.number == right.number && left.work == right.work
        }
    }

    struct Table: Equatable, Sendable {
        var entries = TreeDictionary<Int, Entry>()
        var note = ""
    }

    @Test("One changed entry costs what one costs, whatever the number of entries; other actions cost nothing")
    func costs() async throws {
        let asked = Collector<Int>()
        var comparisons: [Int] = []
        for count in [1_000, 100_000] {
            var state = Table()
            for id in 0..<count { state.entries[id] = Entry(number: id) }
            let store = Store(initialState: state) { (state: inout Table, change: @Sendable (inout Table) -> Void) in
                change(&state)
            }
            store.effect(forEach: \.entries, on: \.work) { id, _ in
                asked.append(id)
                return .none
            }
            Entry.comparisons.store(0, ordering: .relaxed)
            try await store.dispatch { $0.note = "other" }
            #expect(Entry.comparisons.load(ordering: .relaxed) == 0)
            try await store.dispatch { $0.entries[7]?.work.run() }
            comparisons.append(Entry.comparisons.load(ordering: .relaxed))
        }
        #expect(asked.elements == [7, 7])
        // A node of the tree has at most 32 entries.
        #expect(comparisons.allSatisfy { $0 <= 64 }, "\(comparisons)")
    }

    @Test("The entries of an array are known by their indices, so that one that moves is another one")
    func arrays() async throws {
        struct Row: Equatable, Sendable {
            let name: String
            var work: EffectState<EffectFailure>
        }
        let rows = ["a", "b"].enumerated().map { Row(name: $1, work: .running(id: UInt64($0))) }
        let store = Store(initialState: rows) { (rows: inout [Row], index: Int) in rows.remove(at: index) }
        let work = HeldWork()
        store.effect(forEach: \.self, on: \.work) { index, row, _ in await work.run("\(index)\(row.name)") }
        await work.waitUntilBegun(2)
        try await store.dispatch(0)
        await work.waitUntilBegun(3)
        await work.waitUntilCancelled(2)
        #expect(Set(work.begun.elements.prefix(2)) == ["0a", "1b"] && work.begun.elements.last == "0b")
        #expect(Set(work.cancelled.elements) == ["0a", "1b"] && store.statistics.runningEffects == 1)
        try await store.dispatch(0)
        await work.waitUntilCancelled(3)
    }
}
