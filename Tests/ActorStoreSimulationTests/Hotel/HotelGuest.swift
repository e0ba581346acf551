import ActorStore
import ActorStoreGroups
import ActorStoreSimulation

/// A user of a hotel.
final class HotelGuest: @unchecked Sendable {
    // Sound: used by one task, which runs sequentially.
    typealias Room = Hotel.Room

    /// The outcome of an entry.
    struct Record {
        enum Outcome { case reduced, accepted, refused }

        let entry: Hotel.Entry
        let outcome: Outcome
        /// The number of the first event after the entry was made.
        let start: Int
    }

    let number: Int
    private let system: HotelSystem
    private var last = 0
    private(set) var records: [Record] = []

    private var log: Hotel.Log { system.log }
    private var simulation: Simulation { system.simulation }

    init(_ number: Int, of system: HotelSystem) {
        self.number = number
        self.system = system
    }

    func perform(_ operation: HotelOperation) async throws {
        switch operation {
        case .send(let room, let count):
            send(count, in: room) { [system] actions in
                guard let group = system.useGroup(for: room) else { return .refused(.shutDown) }
                return count == 1 ? group.send(actions[0], to: room) : group.send(contentsOf: actions, to: room)
            }
        case .sendWeakly(let room):
            guard let store = system.newestStores[room] else { return }
            send(1, in: room, mayBeRefused: true) { store.send($0[0]) }
        case .visit(let room, let milliseconds):
            try await visit(room, milliseconds)
        case .dispatch(let room):
            await dispatch(in: room) { [system] entry in
                try await system.useGroup(for: room)?.dispatch(.enter(entry), to: room)
            }
        case .ask(let room):
            await dispatch(in: room) { [system] entry in
                let index = try await system.store(of: room)?.ask(Hotel.Enter(entry: entry))
                system.log.require(index ?? 1 > 0, "The answer is \(index ?? 0).")
            }
        case .run(let room, let errand, let awaits):
            var task: StoreTask?
            await dispatch(in: room) { [system] entry in
                task = try await system.useGroup(for: room)?.dispatch(.run(entry, errand), to: room)
            }
            if awaits { try? await task?.finish() }
        case .ready(let room):
            do {
                try await system.store(of: room)?.ready()
            } catch {
                log.require(room.loads, "\(room) is not ready: \(error)")
            }
        case .state(let room):
            let state = await system.store(of: room)?.state
            log.require(state?.isPlaceholder != true || log.hasLostStores(in: room), "A read shows a placeholder.")
        case .observe:
            await observe()
        case .evict(let room):
            await evict(room)
        case .end(let room, let drain):
            await system.end(room, drain)
        case .shutDownStore(let room, let drain):
            await system.shutDownStore(of: room, drain)
        case .shutDown(let ending):
            await system.shutDown(ending)
        case .pause(let milliseconds):
            try await simulation.clock.sleep(for: .milliseconds(milliseconds))
        case .interrupted(let operation, let milliseconds):
            try await interrupt(operation, after: milliseconds)
        }
    }
}

extension HotelGuest {
    private func newEntry(in room: Room) -> Hotel.Entry {
        last += 1
        return Hotel.Entry(guest: number, number: last, room: room)
    }

    /// - Parameter mayBeRefused: Whether the reference may lead to a departed store.
    private func send(
        _ count: Int,
        in room: Room,
        mayBeRefused: Bool = false,
        _ body: ([Hotel.Action]) -> SendOutcome
    ) {
        let (entries, start, wasClosed) = ((0..<count).map { _ in newEntry(in: room) }, log.events.count, log.isClosed)
        let outcome = body(entries.map { .enter($0) })
        log.require(!outcome.isAccepted || !wasClosed, "An action was accepted after the shutdown.")
        for entry in entries {
            records.append(Record(entry: entry, outcome: outcome.isAccepted ? .accepted : .refused, start: start))
        }
        if case .refused(let reason) = outcome, !mayBeRefused { checkReason(reason, room, start) }
    }

    private func dispatch(in room: Room, _ body: (_ entry: Hotel.Entry) async throws -> Void) async {
        if system.group == nil { return }
        let (entry, start, wasClosed) = (newEntry(in: room), log.events.count, log.isClosed)
        let time = simulation.clock.now
        do {
            try await body(entry)
            records.append(Record(entry: entry, outcome: .reduced, start: start))
            log.require(log.store(thatReduced: entry) != nil, "A dispatch returned before its action was reduced.")
            log.require(!wasClosed, "An action was reduced after the shutdown.")
        } catch {
            records.append(Record(entry: entry, outcome: .refused, start: start))
            checkReason(error, room, start)
        }
        log.require(room.loads || simulation.clock.now == time, "A dispatch to \(room) has waited.")
    }

    /// An action is refused only if its store ends or has no state.
    private func checkReason(_ error: any Error, _ room: Room, _ start: Int) {
        switch error as? StoreError {
        case .shutDown?:
            log.require(log.mayRefuse(in: room, since: start), "\(room) refuses an action without a reason.")
        case .notReady?:
            log.require(
                log.hasFailed(in: room, since: start) || log.mayRefuse(in: room, since: start),
                "\(room) is not ready, although no loading has failed."
            )
        case .overloaded?, .cancelled?: break
        default: log.require(false, "\(room) refuses an action: \(error)")
        }
    }

    /// A retained store is not evicted.
    private func visit(_ room: Room, _ milliseconds: Int) async throws {
        let start = log.events.count
        guard let store = system.store(of: room) else { return }
        try? await simulation.clock.sleep(for: .milliseconds(milliseconds))
        let mayBeRefused = log.mayRefuse(in: room, since: start) || log.hasFailed(in: room, since: 0)
        send(1, in: room, mayBeRefused: mayBeRefused) { store.send($0[0]) }
    }

    /// Takes the first version, which waits for running reducers only.
    private func observe() async {
        guard let values = system.group?.values(of: \.self) else { return }
        let (time, versions) = (simulation.clock.now, VersionIterator(values))
        let first = await versions.next()
        log.require(simulation.clock.now == time, "A first version has waited.")
        if let first { for room in Room.all { checkFirst(first[room], of: room) } }
        // The end of a cancelled iteration also ends the others.
        guard Task.isCancelled, await versions.next() == nil else { return }
        let next = await simulation.start("after a cancelled observer") { await versions.next() }.result
        if case .success(let version) = next { log.require(version == nil, "A cancelled iteration continues.") }
    }

    /// The first version of an observer is not older than earlier dispatches.
    private func checkFirst(_ state: Hotel.State?, of room: Room) {
        log.require(state?.isPlaceholder != true, "An observer sees a placeholder of \(room).")
        guard let last = records.last(where: { $0.outcome == .reduced && $0.entry.room == room })?.entry,
            let store = log.store(thatReduced: last)
        else { return }
        let isThere = state.map { $0.store > store || $0.entries.contains(last) } ?? log.mayBeGone(store, of: room)
        log.require(isThere, "A first version shows an older state of \(room) than was dispatched.")
    }

    private func evict(_ room: Room) async {
        let (time, slow, start) = (simulation.clock.now, system.slowHandOvers[room] ?? 0, log.events.count)
        let isBusy = system.roomsHandedOver.contains(room)
        let isGone = await system.evict(room)
        if isGone && !log.mayRefuse(in: room, since: start) {
            log.require(!log.wasUsedWhileHandedOver(room, since: start), "\(room) was used, and evicted.")
        }
        if !isBusy && system.slowHandOvers[room] ?? 0 == slow {
            log.require(simulation.clock.now == time, "An eviction of \(room) has waited.")
        }
    }

    private func interrupt(_ operation: HotelOperation, after milliseconds: Int) async throws {
        log.allowCancellation(in: operation.endedRooms)
        let task = simulation.start("guest \(number), interrupted") { [self] in try await perform(operation) }
        if milliseconds > 0 {
            try await simulation.clock.sleep(for: .milliseconds(milliseconds))
        } else {
            await simulation.interleave()
        }
        task.cancel()
        do {
            try await task.value
        } catch is CancellationError {}
    }
}

private final class VersionIterator: @unchecked Sendable {
    // Sound: used by one task at a time.
    private var iterator: StoreGroupValues<Hotel.Room, Hotel.State>.Iterator

    init(_ values: StoreGroupValues<Hotel.Room, Hotel.State>) { iterator = values.makeAsyncIterator() }

    func next() async -> [Hotel.Room: Hotel.State]? {
        await iterator.next().map { version in Dictionary(uniqueKeysWithValues: version.map { ($0.key, $0.value) }) }
    }
}
