import ActorStore
import ActorStoreGroups
import ActorStoreSimulation

/// The group of a hotel, and the saved states of rooms without stores.
final class HotelSystem: @unchecked Sendable {
    // Sound: the variables are accessed only by tasks of one simulation, of which one runs at a time.
    typealias Room = Hotel.Room
    typealias Group = StoreGroup<Room, Hotel.State, Hotel.Action>
    typealias RoomStore = Store<Hotel.State, Hotel.Action>

    /// The idle time after which unused stores are evicted.
    private static let idleTime = Duration.milliseconds(15)

    struct LoadingFailure: Error {}

    let simulation: Simulation
    let log: Hotel.Log
    /// nil once it is released.
    private(set) var group: Group?
    private var archive: [Room: [Hotel.Entry]] = [:]
    /// The last created stores.
    private(set) var newestStores: [Room: WeakStore<Hotel.State, Hotel.Action>] = [:]
    /// The rooms that have stores when the first shutdown is called.
    private(set) var closedRooms: Set<Room>?
    /// The rooms whose states are being handed over.
    private(set) var roomsHandedOver: Set<Room> = []
    /// Whether any store was evicted by hand.
    private var wasEvicted = false
    /// The number of hand-overs of a room that have taken time.
    private(set) var slowHandOvers: [Room: Int] = [:]
    /// The errors of the loading stores.
    private var errors: [Int: StoreSequence<StoreFailure>] = [:]
    /// The number of running calls of the subscript, which creates stores also after a shutdown.
    private var lookUps = 0
    private let mailbox: MailboxCapacity

    init(_ simulation: Simulation) {
        self.simulation = simulation
        log = Hotel.Log(simulation)
        mailbox = simulation.number(below: 2) == 0 ? .unbounded : .bounded(3, whenFull: .suspend)
        let keep: @Sendable (Room, Hotel.State) async -> Void = { [self] room, state in
            await handOver(state, of: room)
        }
        let eviction: StoreGroupEviction<Room, Hotel.State> =
            switch simulation.number(below: 3) {
            case 0: .never(onEvict: keep)
            case let limit:
                .afterIdle(
                    Self.idleTime,
                    clock: simulation.clock,
                    maxConcurrentHandOvers: limit,
                    onEvict: keep
                )
            }
        group = StoreGroup(
            configuration: StoreConfiguration(executor: simulation.executor),
            eviction: eviction
        ) { [self] room in makeStore(of: room) }
    }

    func releaseGroup() { group = nil }

    /// The group, of which the caller requests the store of a room.
    func useGroup(for room: Room) -> Group? {
        log.note(.used, in: room)
        return group
    }

    /// The store of a room, which is created if it is missing; nil once the group is released.
    func store(of room: Room) -> RoomStore? {
        lookUps += 1
        defer { lookUps -= 1 }
        return useGroup(for: room)?[room]
    }
}

extension HotelSystem {
    private func makeStore(of room: Room) -> RoomStore {
        let number = log.nextStore()
        log.require(!log.isClosed || lookUps > 0, "A store of \(room) is made after the shutdown.")
        log.require(
            log.isClosed || !roomsHandedOver.contains(room),
            "A store of \(room) is made while its state is handed over."
        )
        log.note(.made(store: number), in: room)
        let configuration = StoreConfiguration(mailbox: mailbox, executor: simulation.executor)
        let reducer = Hotel.Keeper(room: room, system: self)
        guard room.loads else {
            let entries = archive[room] ?? []
            log.note(.hasState(store: number, entries), in: room)
            // A slow one, so that stores of the room can come and go meanwhile.
            for _ in 0..<(simulation.number(below: 4) == 0 ? 30 : 1) { simulation.preempt() }
            let store = Store(
                initialState: Hotel.State(store: number, entries: entries),
                reducer: reducer,
                configuration: configuration
            )
            newestStores[room] = store.weak
            return store
        }
        simulation.preempt()
        let store = Store(
            initialState: Hotel.State(store: number, isPlaceholder: true),
            loading: { [self] in try await load(room, into: number) },
            reducer: reducer,
            configuration: configuration
        )
        errors[number] = store.errors
        newestStores[room] = store.weak
        return store
    }

    private func load(_ room: Room, into store: Int) async throws -> Hotel.State {
        // Unobserved errors are reported as issues.
        defer { simulation.start("an observer of errors") { [self] in errors[store] = nil } }
        let (time, isStubborn) = (simulation.number(below: 3) * 5, simulation.number(below: 4) == 0)
        do {
            try await sleep(milliseconds: time, isStubborn: isStubborn)
            if room.isFlaky && simulation.number(below: 3) == 0 { throw LoadingFailure() }
        } catch {
            log.note(.hasNoState(store: store), in: room)
            throw error
        }
        let entries = archive[room] ?? []
        log.note(.hasState(store: store, entries), in: room)
        return Hotel.State(store: store, entries: entries)
    }

    private func handOver(_ state: Hotel.State, of room: Room) async {
        log.require(!log.isClosed, "\(room) is handed over after the shutdown.")
        log.require(!state.isPlaceholder, "A placeholder of \(room) is handed over.")
        log.require(!Task.isCancelled, "\(room) is handed over in a cancelled task.")
        log.require(roomsHandedOver.insert(room).inserted, "\(room) is handed over twice at the same time.")
        if !wasEvicted && !log.mayRefuse(in: room, since: log.events.count) {
            log.require(log.isIdle(room, for: Self.idleTime), "\(room) is handed over, and was not idle.")
        }
        log.note(.handOverBegun(store: state.store, state.entries), in: room)
        await simulation.interleave()
        let time = [0, 5, 10, 100][simulation.number(below: 4)]
        if time > 0 {
            slowHandOvers[room, default: 0] += 1
            try? await sleep(milliseconds: time, isStubborn: simulation.number(below: 2) == 0)
        }
        log.require(!Task.isCancelled || log.mayCancelHandOvers, "The hand-over of \(room) was cancelled.")
        let isKept = simulation.number(below: 8) > 0
        if isKept { archive[room] = state.entries }
        log.note(.handOverEnded(store: state.store, state.entries, isKept: isKept), in: room)
        roomsHandedOver.remove(room)
    }

    /// - Parameter isStubborn: Whether it continues although the task is cancelled.
    func sleep(milliseconds: Int, isStubborn: Bool) async throws {
        guard isStubborn else { return try await simulation.clock.sleep(for: .milliseconds(milliseconds)) }
        let sleeper = simulation.start("a stubborn sleeper") { [simulation] in
            try await simulation.clock.sleep(for: .milliseconds(milliseconds))
        }
        try await sleeper.value
    }
}

extension HotelSystem {
    /// The operation of an effect.
    func run(
        _ errand: Hotel.Errand,
        of entry: Hotel.Entry,
        in room: Room,
        _ send: Send<Hotel.Action>
    ) async throws {
        log.noteEffect(begins: true)
        var shutsDown = false
        defer {
            log.noteEffect(begins: false)
            log.require(
                !Task.isCancelled || log.mayCancelEffects(of: room, shutsDown: shutsDown),
                "An effect of \(room) was cancelled without a reason."
            )
        }
        try await sleep(milliseconds: errand.milliseconds, isStubborn: errand.isStubborn)
        switch errand.goal {
        case .feedback:
            if send(.enter(entry.feedback())).isAccepted { log.noteFeedback(entry.feedback(), isReduced: false) }
        case .feedbackTo(let other):
            let feedback = entry.feedback(to: other)
            guard (try? await useGroup(for: other)?.dispatch(.enter(feedback), to: other)) != nil else { return }
            log.noteFeedback(feedback, isReduced: true)
        case .evictOwnRoom:
            let start = log.events.count
            let isGone = await evict(room)
            log.require(!isGone || log.mayRefuse(in: room, since: start), "A store with an effect was evicted.")
        case .endOwnRoom:
            await end(room, .finishEffects)
        case .shutDown(let drain):
            shutsDown = !log.mayCancelEffects(of: room)
            log.noteClosing(by: room)
            await shutDown(drain == .finishEffects ? .finishingEffects : .cancellingEffects, isByEffect: true)
        }
    }

    func evict(_ room: Room) async -> Bool {
        wasEvicted = true
        return await group?.evict(room) ?? false
    }

    func end(_ room: Room, _ drain: ShutdownDrain) async {
        if drain == .cancelEffects { log.allowCancellation(in: [room]) }
        let start = log.events.count
        log.note(.endBegun, in: room)
        let state = await group?.end(room, drain: drain)
        log.require(state?.isPlaceholder != true, "A placeholder of \(room) was returned.")
        log.note(.endOver(state, start: start), in: room)
    }

    func shutDownStore(of room: Room, _ drain: ShutdownDrain) async {
        if drain == .cancelEffects { log.allowCancellation(in: [room]) }
        guard let store = store(of: room) else { return }
        log.note(.storeShutDown, in: room)
        await store.shutdown(drain: drain)
    }

    func shutDown(_ ending: HotelEnding, isByEffect: Bool = false) async {
        guard let group else { return }
        log.close(ending, isByEffect: isByEffect)
        if closedRooms == nil { closedRooms = Set(group.ids) }
        switch ending {
        case .finishingEffects: await group.shutdown(drain: .finishEffects)
        case .cancellingEffects: await group.shutdown(drain: .cancelEffects)
        case .deadline:
            let (clock, limit) = (simulation.clock, Duration.milliseconds(20))
            let start = clock.now
            _ = await group.shutdown(drain: .finishEffects, within: limit, clock: clock)
            log.require(start.duration(to: clock.now) <= limit, "A shutdown took longer than its limit.")
        case .release: return
        }
        log.noteShutdown()
    }
}
