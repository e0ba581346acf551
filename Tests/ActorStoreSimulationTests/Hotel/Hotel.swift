import ActorStore

/// A group with a store for each room. The state of a room is saved when its store is evicted, and the room's next
/// store begins with it.
enum Hotel {
    /// The key of a store.
    struct Room: Hashable, Comparable, Sendable, CustomStringConvertible {
        let number: Int

        static let all = (0..<3).map(Room.init)

        /// Whether a store of the room loads its first state asynchronously.
        var loads: Bool { number > 0 }
        /// Whether the loading can fail.
        var isFlaky: Bool { number == 2 }
        var description: String { "room \(number)" }

        // Two rooms have one hash value, so that their stores are distinguished by their keys. It is the same in each
        // process, so that a seed is reproducible.
        var hashValue: Int { (number % 2 + 1) &* 0x1E37_79B9_7F4A_7C15 }
        func hash(into hasher: inout Hasher) { hasher.combine(number % 2) }

        static func < (left: Room, right: Room) -> Bool { left.number < right.number }
    }

    struct Entry: Hashable, Sendable {
        let guest: Int
        let number: Int
        var room: Room
        /// Whether it was sent by an effect.
        var isFeedback = false

        func feedback(to room: Room? = nil) -> Entry {
            Entry(guest: guest, number: number, room: room ?? self.room, isFeedback: true)
        }
    }

    struct State: Equatable, Sendable {
        /// The number of the store among all stores of the group.
        let store: Int
        /// The actions reduced in this store and in previous ones.
        var entries: [Entry] = []
        /// Whether it is a placeholder for a state that is being loaded, so that only a snapshot may show it.
        var isPlaceholder = false

        var count: Int { entries.count }
    }

    enum Action: Sendable {
        case enter(Entry)
        case ask(Enter)
        case run(Entry, Errand)
    }

    /// Adds an entry, and responds with its number among the room's entries.
    struct Enter: Request {
        static let casePath = CasePath(embed: Action.ask) { if case .ask(let enter) = $0 { enter } else { nil } }

        let entry: Entry

        func reduce(into state: inout State) -> Int {
            state.entries.append(entry)
            return state.count
        }
    }

    /// The action of an effect after a time.
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

    /// The reducer of each store. Others run in the middle of it.
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
