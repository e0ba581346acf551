import ActorStore
import ActorStoreCommands
import Synchronization
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("Driven effects of tables", .timeLimit(.minutes(10)))
struct KeyedEffectTests {
    @Test(
        "Each running entry has an effect, cancelled when the entry stops running or goes, and no others are"
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

    @Test("Dictionaries and keyed arrays drive effects, and the state can be a part of an entry")
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
        // Moved entries, and those with another note, run on.
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

    @Test("Entries wait for their own retry delays")
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

    @Test("An entry has one effect, also if its key is an object seen as a class and as a subclass")
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

    /// A table of the workshop.
    enum Table: CaseIterable, Sendable {
        case tree, dictionary, array

        func set(_ work: EffectState<EffectFailure>?, note: String = "", in state: inout Workshop.State) {
            switch self {
            case .tree: state.jobs[1] = work
            case .dictionary: state.tools["1"] = work
            case .array: state.orders[id: 1] = work.map { .init(id: 1, note: note, work: $0) }
            }
        }

        /// Sends an action for each of some operations of the entry, as one turn or one by one.
        func send(
            _ works: [(EffectState<EffectFailure>?, note: String)],
            asBatch: Bool = true,
            to store: Store<Workshop.State, Workshop.Action>
        ) {
            let changes = works.map { (work, note) in
                Workshop.Action.change { set(work, note: note, in: &$0) }
            }
            if asBatch { store.send(contentsOf: changes) } else { for change in changes { store.send(change) } }
        }
    }

    @Test(
        "An entry removed and re-added by a batch has a new effect, as with single actions",
        arguments: Table.allCases,
        [true, false]
    )
    func replacedInABatch(table: Table, isBatch: Bool) async throws {
        for isEqual in [true, false] {
            let (store, work, asked) = (Workshop.store(), HeldWork(), Collector<String>())
            @Sendable func ask(_ state: Workshop.State) -> DrivenEffect<Workshop.State, Workshop.Action> {
                let name = "\(asked.elements.count)"
                asked.append(state.orders[id: 1]?.note ?? "")
                return .run { context in
                    await work.run(name)
                    context.send(.log(name))
                }
            }
            switch table {
            case .tree: store.effect(forEach: \.jobs) { _, state in ask(state) }
            case .dictionary: store.effect(forEach: \.tools) { _, state in ask(state) }
            case .array: store.effect(forEach: \.orders, on: \.work) { _, state in ask(state) }
            }
            try await store.change { table.set(.running(), note: "old", in: &$0) }
            await work.waitUntilBegun()
            // The attempts are equal, and so are the tables before and after, unless the note differs.
            table.send([(nil, ""), (.running(), isEqual ? "old" : "new")], asBatch: isBatch, to: store)
            await work.waitUntilBegun(2)
            await work.waitUntilCancelled()
            work.finish("1")
            await until { store.snapshot.log == ["1"] }
            #expect(work.cancelled.elements == ["0"])
            #expect(asked.elements == (table == .array ? ["old", isEqual ? "old" : "new"] : ["", ""]))
            await until { store.statistics.lateActions == 1 }
        }
    }

    @Test("The effect of an entry that goes and comes in a batch is requested once at the end, if the entry is there")
    func askedOnce() async throws {
        let (store, work, asked) = (Workshop.store(), HeldWork(), Collector<String>())
        store.effect(forEach: \.orders, on: \.work) { id, state in
            let name = "\(id) \(state.orders[id: id]?.note ?? "")"
            asked.append(name)
            return .run { _ in await work.run(name) }
        }
        try await store.change {
            $0.orders = [.init(id: 1, note: "a", work: .running()), .init(id: 2, work: .running())]
        }
        await work.waitUntilBegun(2)
        Table.array.send([(nil, ""), (.running(), "b"), (nil, ""), (.running(), "c")], to: store)
        await work.waitUntilBegun(3)
        Table.array.send([(nil, ""), (.running(), "d"), (nil, "")], to: store)
        Table.array.send([(.running(), "e"), (nil, ""), (.idle(), "f")], to: store)
        await work.waitUntilCancelled(2)
        #expect(asked.elements == ["1 a", "2 ", "1 c"])
        #expect(work.cancelled.elements == ["1 a", "1 c"] && store.statistics.runningEffects == 1)
        await store.shutdown(drain: .cancelEffects)
    }

    @Test("An entry replaced by a batch has a new effect at a child, a scope and a computed table")
    func replacedElsewhere() async throws {
        let (store, asked) = (Workshop.store(), Collector<String>())
        let child = store.child(initialState: 0, reducer: EmptyReducer<Int, Workshop.Action>())
        child.effect(forEach: \.parent.jobs) { _, _ in
            asked.append("child")
            return .none
        }
        store.scope(\.jobs).effect(forEach: \.self) { _, _ in
            asked.append("scope")
            return .none
        }
        store.scope { state in state.jobs }.effect(forEach: \.self) { _, _ in
            asked.append("closure")
            return .none
        }
        store.effect(forEach: \.computedJobs) { _, _ in
            asked.append("computed")
            return .none
        }
        for _ in 0..<2 { Table.tree.send([(nil, ""), (.running(), "")], to: store) }
        let places = ["child", "closure", "computed", "scope"]
        #expect(asked.elements.sorted() == places.flatMap { [$0, $0] })
        withExtendedLifetime(child) {}
    }

    @Test("A postponed effect is not requested again after a batch replaces its entry, whose own effect is")
    func postponedAndReplaced() async throws {
        let (store, asked) = (Workshop.store(), Collector<Bool>())
        store.effect(forEach: \.jobs) { _, state in
            asked.append(state.isOpen)
            return .postpone(until: \.isOpen)
        }
        try await store.change { $0.jobs[1] = .running() }
        store.send(contentsOf: [
            .change { $0.jobs[1] = nil },
            .change {
                $0.jobs[1] = .running(); $0.isOpen = true
            },
        ])
        #expect(asked.elements == [false, true])
        try await store.change { $0.isOpen = false }
        try await store.change { $0.isOpen = true }
        #expect(asked.elements == [false, true, true])
    }

    @Test("Values captured by effects of entries are released with them, also after a batch", arguments: [false, true])
    func released(isEndOfStore: Bool) async throws {
        let released = Signal()
        var store: Store<Workshop.State, Workshop.Action>? = Workshop.store()
        do {
            let captured = Token { released.fire() }
            let observation = store?
                .effect(forEach: \.jobs) { _, _ in
                    withExtendedLifetime(captured) { .none }
                }
            if let store { for _ in 0..<2 { Table.tree.send([(nil, ""), (.running(), "")], to: store) } }
            if !isEndOfStore { observation?.cancel() }
        }
        if isEndOfStore { store = nil }
        await released.wait()
        withExtendedLifetime(store) {}
    }

    /// An entry that counts its comparisons.
    struct Entry: Equatable, Sendable {
        var number = 0
        var work = EffectState<Never>()

        static let comparisons = Atomic<Int>(0)

        static func == (left: Entry, right: Entry) -> Bool {
            comparisons.add(1, ordering: .relaxed)
            return left.number == right.number && left.work == right.work
        }
    }

    struct Ledger: Equatable, Sendable {
        var entries = TreeDictionary<Int, Entry>()
        var note = ""
    }

    @Test("One changed entry costs the same for any number of entries; other actions cost nothing")
    func costs() async throws {
        let asked = Collector<Int>()
        var comparisons: [Int] = []
        for count in [1_000, 100_000] {
            var state = Ledger()
            for id in 0..<count { state.entries[id] = Entry(number: id) }
            let store = Store(initialState: state) { (state: inout Ledger, change: @Sendable (inout Ledger) -> Void) in
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

    @Test("The entries of an array are identified by their indices: a moved one is another entry")
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

extension Workshop.State {
    fileprivate var computedJobs: TreeDictionary<Int, EffectState<EffectFailure>> { jobs }
}
