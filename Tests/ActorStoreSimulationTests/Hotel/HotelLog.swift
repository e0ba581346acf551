import ActorStore
import ActorStoreSimulation

extension Hotel {
    /// The events of a room, in order.
    enum Event: Sendable {
        /// The closure that creates stores was called. The stores have ascending numbers.
        case made(store: Int)
        case hasState(store: Int, [Entry])
        /// The loading of the first state has failed, or was cancelled.
        case hasNoState(store: Int)
        case reduced(Int, Entry)
        case handOverBegun(store: Int, [Entry])
        /// - Parameter isKept: False if `onEvict` could not save the state.
        case handOverEnded(store: Int, [Entry], isKept: Bool)
        /// `end` was called for the room.
        case endBegun
        /// - Parameter start: The number of the event at its beginning.
        case endOver(Hotel.State?, start: Int)
        /// The room's store is requested from the group.
        case used
        /// A shutdown of the store begins, without the group.
        case storeShutDown
    }

    struct Complaint: Error, CustomStringConvertible {
        let description: String
    }

    /// Throws unless something holds.
    static func require(_ condition: Bool, _ complaint: @autoclosure () -> String) throws(Complaint) {
        if !condition { throw Complaint(description: complaint()) }
    }

    /// The events of a hotel, and the violations found at once.
    final class Log: @unchecked Sendable {
        // Sound: accessed only by tasks of one simulation, of which one runs at a time.
        private let simulation: Simulation
        private(set) var events: [(room: Room, event: Event)] = []
        private(set) var complaints: [String] = []
        /// The accepted actions of effects, and whether they were certainly reduced.
        private(set) var feedback: [(entry: Entry, isReduced: Bool)] = []
        /// The last and the second last use of a room's store.
        private var uses: [Room: (last: Duration, before: Duration?)] = [:]
        /// The rooms whose effects may have been cancelled.
        private var cancellable: Set<Room> = []
        /// The rooms whose effects that shut the hotel down may have been cancelled as well: by guests.
        private var cancellableByGuests: Set<Room> = []
        /// The rooms with effects that shut the hotel down. Cancelling these cancels the effects of all.
        private var closing: Set<Room> = []
        /// The number of running effects.
        private(set) var runningEffects = 0
        /// Whether a shutdown of the group has been called.
        private(set) var isClosed = false
        /// Whether such a call has returned.
        private(set) var isOver = false
        /// Whether a running `onEvict` may be cancelled, as after a deadline.
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

        /// Whether the store of a room was unused for a time, until now.
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

        // MARK: Possible events

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

        /// Whether the group has a reason to refuse an action since an event: the group is shut down, or the room's
        /// store is being ended, or was shut down by its user and has not been replaced.
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

        /// Whether the store of a room was requested during the last hand-over of its state.
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
