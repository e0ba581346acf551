import ActorStore
import ActorStoreSimulation

extension Hotel {
    /// What happens to a room, in order.
    enum Event: Sendable {
        /// The closure that makes stores was called. The stores have numbers that grow.
        case made(store: Int)
        case hasState(store: Int, [Entry])
        /// The loading of the first state has failed, or was cancelled.
        case hasNoState(store: Int)
        case reduced(Int, Entry)
        case handOverBegun(store: Int, [Entry])
        /// - Parameter isKept: False if `onEvict` could not keep the state.
        case handOverEnded(store: Int, [Entry], isKept: Bool)
        /// `end` was called for the room.
        case endBegun
        /// - Parameter start: The number of the event with which it began.
        case endOver(Hotel.State?, start: Int)
        /// Somebody asks the group for the room's store.
        case used
        /// Somebody begins to shut the store down, without the group.
        case storeShutDown
    }

    struct Complaint: Error, CustomStringConvertible {
        let description: String
    }

    /// Throws unless something holds.
    static func require(_ condition: Bool, _ complaint: @autoclosure () -> String) throws(Complaint) {
        if !condition { throw Complaint(description: complaint()) }
    }

    /// What happens in a hotel, and what is found wrong with it at once.
    final class Log: @unchecked Sendable {
        // Sound: touched only by tasks of one simulation, of which one runs at a time.
        private let simulation: Simulation
        private(set) var events: [(room: Room, event: Event)] = []
        private(set) var complaints: [String] = []
        /// Those that effects have sent, and that were accepted; and whether they were reduced for certain.
        private(set) var feedback: [(entry: Entry, isReduced: Bool)] = []
        /// When the store of a room was used last, and when before that.
        private var uses: [Room: (last: Duration, before: Duration?)] = [:]
        /// The rooms whose effects somebody may have cancelled.
        private var cancellable: Set<Room> = []
        /// Those of which also the effects may have been cancelled that shut the hotel down: by guests.
        private var cancellableByGuests: Set<Room> = []
        /// The rooms of which effects shut the hotel down. Who cancels these cancels the effects of all.
        private var closing: Set<Room> = []
        /// How many effects run.
        private(set) var runningEffects = 0
        /// Whether a shutdown of the group has been called.
        private(set) var isClosed = false
        /// Whether such a call has returned.
        private(set) var isOver = false
        /// Whether `onEvict` may be cancelled while it is under way, as it is after a deadline.
        private(set) var mayCancelHandOvers = false
        private var stores = 0

        init(_ simulation: Simulation) { self.simulation = simulation }

        func note(_ event: Event, in room: Room) {
            events.append((room, event))
            switch event {
            case .reduced:
                require(!isOver, "\(room) has reduced something after the shutdown.")
                noteUse(of: room)
            case .used: noteUse(of: room)
            default: break
            }
        }

        private func noteUse(of room: Room) {
            let now = simulation.clock.now.offset
            guard let last = uses[room]?.last else { return uses[room] = (now, nil) }
            if last < now { uses[room] = (now, last) }
        }

        /// Whether the store of a room was not used for a time, until now.
        func isIdle(_ room: Room, for time: Duration) -> Bool {
            guard let (last, before) = uses[room] else { return true }
            let now = simulation.clock.now.offset
            return now - (last == now ? before ?? .zero : last) >= time
        }

        func nextStore() -> Int {
            stores += 1
            return stores
        }

        func events(of room: Room) -> [(index: Int, event: Event)] {
            events.enumerated().filter { $1.room == room }.map { ($0, $1.event) }
        }

        func require(_ condition: Bool, _ complaint: @autoclosure () -> String) {
            if !condition { complaints.append(complaint()) }
        }

        func noteFeedback(_ entry: Entry, isReduced: Bool) { feedback.append((entry, isReduced)) }

        func noteEffect(begins: Bool) { runningEffects += begins ? 1 : -1 }

        // MARK: What may happen

        /// - Parameter isByEffect: Whether an effect shuts the hotel down.
        func close(_ ending: HotelEnding, isByEffect: Bool) {
            if ending != .release { isClosed = true }
            if ending != .finishingEffects { allowCancellation(in: Room.all, isByEffect: isByEffect) }
            if ending == .deadline { mayCancelHandOvers = true }
        }

        func noteShutdown() { isOver = true }

        /// From now on effects of some rooms can be cancelled.
        func allowCancellation(in rooms: [Room], isByEffect: Bool = false) {
            let rooms = closing.isDisjoint(with: rooms) ? rooms : Room.all
            cancellable.formUnion(rooms)
            if !isByEffect { cancellableByGuests.formUnion(rooms) }
        }

        /// An effect of a room shuts the hotel down.
        func noteClosing(by room: Room) {
            closing.insert(room)
            if cancellable.contains(room) { allowCancellation(in: [room]) }
        }

        /// - Parameter shutsDown: Whether the effect shuts the hotel down, and could not have been cancelled before.
        func mayCancelEffects(of room: Room, shutsDown: Bool = false) -> Bool {
            (shutsDown ? cancellableByGuests : cancellable).contains(room)
        }

        /// Whether there is a reason for the group to refuse an action since an event: the group is shut down, or the
        /// room's store is being ended, or was shut down by its user and has not been replaced.
        func mayRefuse(in room: Room, since start: Int) -> Bool {
            if isClosed { return true }
            var (ends, isShutDown) = (0, false)
            for (index, event) in events(of: room) {
                if index >= start && (ends > 0 || isShutDown) { return true }
                switch event {
                case .endBegun: ends += 1
                case .endOver: ends -= 1
                case .storeShutDown: isShutDown = true
                case .made: isShutDown = false
                default: break
                }
            }
            return ends > 0 || isShutDown
        }

        /// Whether a store of the room could not load its state since an event, or can still fail to.
        func hasFailed(in room: Room, since start: Int) -> Bool {
            events(of: room).contains { index, event in
                if case .hasNoState = event { index >= start } else { false }
            }
        }

        /// Whether a store of the room was ever ended, or could not load its state.
        func hasLostStores(in room: Room) -> Bool { mayRefuse(in: room, since: 0) || hasFailed(in: room, since: 0) }

        /// Whether the group was asked for the store of a room while its state was handed over for the last time.
        func wasUsedWhileHandedOver(_ room: Room, since start: Int) -> Bool {
            var uses: Int?
            for (index, event) in events(of: room) where index >= start {
                switch event {
                case .handOverBegun: uses = 0
                case .used: uses = uses.map { $0 + 1 }
                case .handOverEnded: if uses ?? 0 > 0 { return true }
                default: break
                }
            }
            return false
        }

        /// Whether a store can have left the group.
        func mayBeGone(_ store: Int, of room: Room) -> Bool {
            events(of: room).contains { _, event in
                switch event {
                case .handOverEnded(store, _, _), .endBegun, .storeShutDown: true
                case .made(let other): other > store
                default: false
                }
            }
        }

        func store(thatReduced entry: Entry) -> Int? {
            for case (_, .reduced(let store, entry)) in events { return store }
            return nil
        }
    }
}
