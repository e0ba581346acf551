import ActionLogConformance
import ActorStore
import ActorStoreTesting
import Testing

@testable import ActorStorePersistence

/// Each call of a log fails once, in each way, at any place in the lifetime of a store.
@Suite("Single failures of each log call", .timeLimit(.minutes(60)))
struct EachCallFailsTests {
    private static let faults: [FaultyLog.Fault] = [
        .error(.disconnected), .lostAnswer(.disconnected), .error(.busy), .lostAnswer(.busy), .error(.refused),
    ]

    @Test("A durable store loses, doubles and delays nothing after a failure of any call of its log")
    func durable() async throws { await live { DurableLife() } }

    @Test("A replica loses, doubles and delays nothing after a failure of any call of its log")
    func replicated() async throws { await live { ReplicaLife() } }

    private func live(_ makeLife: @escaping @Sendable () -> some Life) async {
        let probe = makeLife()
        await probe.run()
        #expect(probe.problems.isEmpty, "without a fault: \(probe.problems)")
        var places: [(call: FaultyLog.Call, number: Int, fault: FaultyLog.Fault)] = []
        for call in FaultyLog.Call.allCases {
            let count = probe.log.count(of: call)
            guard count > 0 else { continue }
            for number in 1...count {
                for fault in Self.faults { places.append((call, number, fault)) }
                if call == .append { places.append((call, number, .late(.disconnected))) }
            }
        }
        await forEach(places) { place in
            let life = makeLife()
            life.log.fail(place.call, number: place.number, with: place.fault)
            let isOver = CancellationNote()
            Task {
                await life.run()
                isOver.note()
            }
            let end = ContinuousClock.now + .seconds(300)
            while !isOver.isNoted, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(2)) }
            #expect(isOver.isNoted, "\(place): it hangs after \(life.steps)")
            #expect(life.problems.isEmpty, "\(place): \(life.problems)")
        }
    }

    /// A few at a time, because most of their time is spent waiting.
    private func forEach<Element: Sendable>(
        _ elements: [Element],
        _ body: @escaping @Sendable (Element) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, element) in elements.enumerated() {
                if index >= 8 { await group.next() }
                group.addTask { await body(element) }
            }
        }
    }
}

/// The lifetime of a store, in which one call of the log may fail.
private protocol Life: Sendable {
    var log: FaultyLog { get }
    var notes: LifeNotes { get }
    func run() async
}

/// The violations in the lifetime of a store, and its begun operations.
private final class LifeNotes: Sendable {
    private let contents = LockedValue<(problems: [String], steps: [String])>(([], []))

    var problems: [String] { contents.withLock { $0.problems } }
    var steps: [String] { contents.withLock { $0.steps } }

    func note(_ problem: String) { contents.withLock { $0.problems.append(problem) } }

    func step(_ name: String) { contents.withLock { $0.steps.append(name) } }
}

extension Life {
    fileprivate var problems: [String] { notes.problems }
    fileprivate var steps: [String] { notes.steps }

    fileprivate func note(_ problem: String) { notes.note(problem) }

    fileprivate func step(_ name: String) { notes.step(name) }

    fileprivate func check(_ condition: Bool, _ problem: String) { if !condition { note(problem) } }
}

/// The written entries, and the pending operations.
private struct Diary: Reducer {
    struct State: Codable, Sendable, Equatable {
        var written: [Int] = []
        var due: [Int: Int] = [:]
    }

    enum Action: Codable, Sendable, Equatable {
        case write(Int)
        /// Informs the outside of it.
        case tell(Int)
        /// Has to be done.
        case owe(Int)
        case done(Int)
    }

    let outside: Outside

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .write(let number): state.written.append(number)
        case .tell(let number):
            state.written.append(number)
            return .run { [outside] _ in outside.tell(number) }
        case .owe(let number):
            state.written.append(number)
            state.due[number] = number
        case .done(let number): state.due[number] = nil
        }
        return .none
    }
}

extension RetryPolicy {
    fileprivate static let atOnce = RetryPolicy(maxAttempts: .max, backoff: .constant(.milliseconds(1)))
}

/// A durable store is opened, used by a retrying client, shut down, and opened again.
private final class DurableLife: Life {
    private typealias DiaryStore = DurableStore<Diary.State, Diary.Action>

    let clock: TestClock
    let memory: MemoryLog
    let log: FaultyLog
    private let told = Outside()
    let notes = LifeNotes()

    init() {
        clock = TestClock()
        memory = MemoryLog(clock: clock)
        log = FaultyLog(memory)
    }

    func run() async {
        do {
            var store = try await open(log)
            for number in 1...3 { try await write(.write(number), number, &store) }
            step("group")
            let group = store
            let missing = await withTaskGroup(of: Int?.self, returning: [Int].self) { tasks in
                for number in 4...7 {
                    tasks.addTask { (try? await group.dispatch(.write(number), id: "\(number)")) == nil ? number : nil }
                }
                return await tasks.reduce(into: []) { if let number = $1 { $0.append(number) } }
            }
            for number in missing { try await write(.write(number), number, &store) }
            try await write(.tell(8), 8, &store)
            step("barrier")
            try? await store.readBarrier()
            step("checkpoint")
            // A second attempt, because only the fault prevents the first.
            if (try? await store.checkpoint()) == nil, store.statistics.failure == nil {
                do { _ = try await store.checkpoint() } catch { note("a second checkpoint: \(error)") }
            }
            runEffects(store)
            try await write(.owe(9), 9, &store)
            step("compact")
            try? await store.compact(keepingSnapshots: 1)
            step("past")
            if let past = try? await store.state(at: store.revision) {
                check(past == store.snapshot || store.snapshot.due.isEmpty, "the past is \(past)")
            }
            try await end(store)
            store = try await open(log)
            runEffects(store)
            try await write(.write(10), 10, &store)
            step("obligation")
            let working = store
            try await until { working.snapshot.due.isEmpty || working.statistics.failure != nil }
            try await end(store)
            let last = try await open(memory)
            runEffects(last)
            try await until { last.snapshot.due.isEmpty }
            let state = last.snapshot
            check(state.written.sorted() == Array(1...10), "the log has \(state.written)")
            check(Array(state.written.prefix(3)) == [1, 2, 3], "the order is \(state.written)")
            check(told.amounts.filter { $0 == 8 }.count <= 1, "the outside received \(told.amounts)")
            check(told.amounts.contains(9), "\(told.amounts) was done")
            await last.shutdown(drain: .finishEffects)
        } catch {
            note("\(error)")
        }
    }

    private func open(_ log: some ActionLog) async throws -> DiaryStore {
        step("open")
        for _ in 0..<5 {
            do {
                return try await Store.durable(
                    in: log,
                    initialState: Diary.State(),
                    reducer: Diary(outside: told),
                    durability: DurabilityConfiguration(
                        snapshots: SnapshotInterval(actions: 4),
                        retention: .snapshots(1),
                        digestInterval: 3,
                        leaseDuration: .seconds(600)
                    )
                )
            } catch  where error.code == .inUse {
                await clock.advance(by: .seconds(600))
            } catch {}
        }
        throw ActionLogError(.closed, in: log.name, "It cannot be opened.")
    }

    private func runEffects(_ store: DiaryStore) {
        store.runEffects(for: \.due, retry: .atOnce) { [told] number, _ in
            told.tell(number)
            return .done(number)
        }
    }

    /// Retries until it is acknowledged.
    private func write(_ action: Diary.Action, _ number: Int, _ store: inout DiaryStore) async throws {
        step("write \(number)")
        for _ in 0..<5 {
            if (try? await store.dispatch(action, id: "\(number)")) != nil { return }
            guard store.statistics.failure != nil else { continue }
            try await end(store)
            store = try await open(log)
            runEffects(store)
        }
        throw ActionLogError(.closed, in: log.name, "\(number) is not acknowledged.")
    }

    private func end(_ store: DiaryStore) async throws {
        step("end")
        let report = await store.shutdown(drain: .finishEffects)
        let figures = store.statistics
        guard report.isComplete else { return }
        check(figures.committedRevision == figures.revision, "\(figures)")
        // A digest may still be in flight, which counts as bytes.
        check(figures.pendingActions == 0, "\(figures)")
        let connection = try memory.connect()
        let (status, newest) = (try connection.status(), try connection.snapshots().first)
        let coding = try SnapshotCoding(coding: EntryCoding(DurabilityConfiguration().coding, reducer: 1, log: memory))
        let revision = newest.flatMap { coding.revision(of: $0) }
        // A permanent refusal is not retried.
        if figures.lastProblem?.code != .refused {
            check(figures.snapshotRevision == figures.revision, "\(figures)")
            check(revision == figures.revision, "the snapshot is of \(revision as Any), not \(figures.revision)")
        }
        guard figures.lastProblem == nil else { return }
        check(figures.entries == status.end.position + 1 - status.first, "\(status) \(figures)")
    }
}

/// A replica is opened beside another one, used by a retrying client, shut down, and opened again.
private final class ReplicaLife: Life {
    private typealias DiaryStore = ReplicatedStore<Diary.State, Diary.Action>

    private let memory = MemoryLog()
    let log: FaultyLog
    private let told = Outside()
    let notes = LifeNotes()

    init() { log = FaultyLog(memory) }

    func run() async {
        do {
            var store = try await open(log)
            let other = try await open(memory)
            for number in 1...3 { try await write(.write(number), number, &store) }
            step("group")
            let group = store
            let missing = await withTaskGroup(of: Int?.self, returning: [Int].self) { tasks in
                for number in 4...7 {
                    tasks.addTask {
                        let writer = number.isMultiple(of: 2) ? group : other
                        return (try? await writer.dispatch(.write(number), id: "\(number)")) == nil ? number : nil
                    }
                }
                return await tasks.reduce(into: []) { if let number = $1 { $0.append(number) } }
            }
            for number in missing { try await write(.write(number), number, &store) }
            try await write(.tell(8), 8, &store)
            step("barrier")
            try? await store.readBarrier()
            step("checkpoint")
            if (try? await store.checkpoint()) == nil, store.statistics.failure == nil {
                do { _ = try await store.checkpoint() } catch { note("a second checkpoint: \(error)") }
            }
            try await write(.owe(9), 9, &store)
            step("obligation")
            let written = store
            try await until { written.snapshot.due.isEmpty || written.statistics.failure != nil }
            try await end(store)
            store = try await open(log)
            try await write(.write(10), 10, &store)
            try await other.readBarrier()
            // A second attempt, because only the fault prevents the first.
            let isRead = (try? await store.readBarrier()) != nil
            if !isRead, store.statistics.failure == nil { try await store.readBarrier() }
            // An obligation may still be in flight.
            let reopened = store
            try await until { reopened.snapshot == other.snapshot || reopened.statistics.failure != nil }
            try await end(store)
            let state = other.snapshot
            check(state.written.sorted() == Array(1...10), "the log has \(state.written)")
            check(Array(state.written.prefix(3)) == [1, 2, 3], "the order is \(state.written)")
            step("left obligation")
            try await until { other.snapshot.due.isEmpty }
            check(told.amounts.filter { $0 == 8 }.count <= 1, "the outside received \(told.amounts)")
            check(told.amounts.contains(9), "\(told.amounts) was done")
            check(await other.shutdown(drain: .finishEffects).isComplete, "the other replica does not end")
            let last = try await open(memory)
            check(last.snapshot == other.snapshot, "\(last.snapshot) differs from \(other.snapshot)")
            await last.shutdown(drain: .finishEffects)
        } catch {
            note("\(error)")
        }
    }

    private func open(_ log: some ActionLog) async throws -> DiaryStore {
        step("open")
        for _ in 0..<5 {
            let store = try? await Store.replicated(
                through: log,
                initialState: Diary.State(),
                reducer: Diary(outside: told),
                replication: ReplicationConfiguration(
                    effects: .leaseHolder(lasting: .seconds(1)),
                    reconnection: .atOnce,
                    snapshots: SnapshotInterval(actions: 4),
                    retention: .snapshots(1),
                    digestInterval: 3
                )
            )
            guard let store else { continue }
            store.runEffects(for: \.due, retry: .atOnce) { [told] number, _ in
                told.tell(number)
                return .done(number)
            }
            return store
        }
        throw ActionLogError(.closed, in: log.name, "It cannot be opened.")
    }

    /// Retries until it is acknowledged.
    private func write(_ action: Diary.Action, _ number: Int, _ store: inout DiaryStore) async throws {
        step("write \(number)")
        for _ in 0..<5 {
            if (try? await store.dispatch(action, id: "\(number)")) != nil {
                check(store.snapshot.written.contains(number), "\(number) was acknowledged, and not reduced")
                return
            }
            guard store.statistics.failure != nil else { continue }
            try await end(store)
            store = try await open(log)
        }
        throw ActionLogError(.closed, in: log.name, "\(number) is not acknowledged.")
    }

    private func end(_ store: DiaryStore) async throws {
        step("end")
        let report = await store.shutdown(drain: .finishEffects)
        guard report.isComplete else { return }
        let figures = store.statistics
        // A digest may still be in flight, which counts as bytes.
        check(figures.pendingActions == 0, "\(figures)")
        let newest = try memory.connect().snapshots().first
        let coding = try SnapshotCoding(coding: EntryCoding(DurabilityConfiguration().coding, reducer: 1, log: memory))
        let revision = newest.flatMap { coding.revision(of: $0) } ?? 0
        guard figures.lastProblem?.code != .refused else { return }
        check(revision >= figures.revision, "the shutdown's snapshot is of \(revision), not \(figures.revision)")
    }
}
