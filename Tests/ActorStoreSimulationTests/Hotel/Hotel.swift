import ActorStore

/// A group that has a store for each room. What a room has come to is kept when its store is evicted, and the room's
/// next store begins with that.
enum Hotel {
    /// The key of a store.
    struct Room: Hashable, Comparable, Sendable, CustomStringConvertible {
        let number: Int

        static let all = (0..<3).map(Room.init)

        /// Whether a store of the room loads its first state, and does not have it at once.
        var loads: Bool { number > 0 }
        /// Whether the loading can fail.
        var isFlaky: Bool { number == 2 }
        var description: String { "room \(number)" }

        // Two rooms have one hash value, so that their stores are told apart by their keys. It is the same in each
        // process, so that a seed is the same run again.
        var hashValue: Int { (number % 2 + 1) &* 0x1E37_79B9_7F4A_7C15 }
        func hash(into hasher: inout Hasher) { hasher.combine(number % 2) }

        static func < (left: Room, right: Room) -> Bool { left.number < right.number }
    }

    struct Entry: Hashable, Sendable {
        let guest: Int
        let number: Int
        var room: Room
        /// Whether an effect has sent it.
        var isFeedback = false

        func feedback(to room: Room? = nil) -> Entry {
            Entry(guest: guest, number: number, room: room ?? self.room, isFeedback: true)
        }
    }

    struct State: Equatable, Sendable {
        /// Which of all stores that the group has made.
        let store: Int
        /// What was reduced in this store and in those before it.
        var entries: [Entry] = []
        /// Whether it stands in for a state that is being loaded, so that nothing but a snapshot may show it.
        var isPlaceholder = false

        var count: Int { entries.count }
    }

    enum Action: Sendable {
        case enter(Entry)
        case ask(Enter)
        case run(Entry, Errand)
    }

    /// Enters something, and answers which of the room's entries it is.
    struct Enter: Request {
        static let casePath = CasePath(embed: Action.ask) { if case .ask(let enter) = $0 { enter } else { nil } }

        let entry: Entry

        func reduce(into state: inout State) -> Int {
            state.entries.append(entry)
            return state.count
        }
    }

    /// What an effect does after a time.
    struct Errand: Sendable {
        enum Goal: Sendable {
            case feedback
            case feedbackTo(Room)
            case evictOwnRoom
            case endOwnRoom
            case shutDown(ShutdownDrain)
        }

        let goal: Goal
        let milliseconds: Int
        /// Whether it ignores its cancellation meanwhile.
        let isStubborn: Bool
    }

    /// The reducer of each store. Others come first in the middle of it.
    struct Keeper: Reducer {
        let room: Room
        let system: HotelSystem

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            system.simulation.preempt()
            defer { system.simulation.preempt() }
            switch action {
            case .enter(let entry):
                enter(entry, into: &state)
                return .none
            case .ask(let request):
                system.log.note(.reduced(state.store, request.entry), in: room)
                return .answer(request.reduce(into: &state))
            case .run(let entry, let errand):
                enter(entry, into: &state)
                return .run { [room, system] send in try await system.run(errand, of: entry, in: room, send) }
            }
        }

        private func enter(_ entry: Entry, into state: inout State) {
            system.log.require(!state.isPlaceholder, "A placeholder was reduced.")
            system.log.note(.reduced(state.store, entry), in: room)
            state.entries.append(entry)
        }
    }
}
