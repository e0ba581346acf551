import ActorStore
import ActorStoreSimulation

/// The operations of guests on a hotel.
enum HotelOperation: Sendable {
    typealias Room = Hotel.Room

    case send(Room, count: Int)
    case dispatch(Room)
    case ask(Room)
    case run(Room, Hotel.Errand, awaits: Bool)
    /// Retains the store of a room for a time, and sends to it in the end.
    case visit(Room, milliseconds: Int)
    /// Sends to a store through a weak reference only.
    case sendWeakly(Room)
    case ready(Room)
    case state(Room)
    case observe
    case evict(Room)
    case end(Room, ShutdownDrain)
    /// Shuts the store of a room down without its group.
    case shutDownStore(Room, ShutdownDrain)
    case shutDown(HotelEnding)
    case pause(milliseconds: Int)
    /// Runs an operation in a task that is cancelled after a time, or after others have run first.
    indirect case interrupted(HotelOperation, milliseconds: Int)

    /// The features that vary between seeds.
    struct Mix {
        let rooms: [Room]
        /// Whether effects mostly end their rooms, and the hotel.
        let effectsEnd: Bool
        /// Whether stores are evicted by hand as well, and not only when they are idle.
        let evictsByHand: Bool

        init(using generator: inout SimulationGenerator) {
            effectsEnd = generator.chance(0.2)
            evictsByHand = generator.chance(0.7)
            rooms = effectsEnd || generator.chance(0.5) ? Room.all : [generator.element(of: Room.all)]
        }
    }

    static func random(_ mix: Mix, using generator: inout SimulationGenerator) -> HotelOperation {
        let operation = plain(mix, using: &generator)
        guard generator.number(below: 8) == 0 else { return operation }
        return .interrupted(operation, milliseconds: generator.number(below: 4) * 5)
    }

    /// The rooms whose effects the operation cancels if it is cancelled itself.
    var endedRooms: [Room] {
        switch self {
        case .end(let room, _), .shutDownStore(let room, _): [room]
        case .shutDown: Room.all
        default: []
        }
    }

    private static func plain(_ mix: Mix, using generator: inout SimulationGenerator) -> HotelOperation {
        let room = generator.element(of: mix.rooms)
        if mix.effectsEnd && generator.chance(0.4) { return .run(room, errand(mix, using: &generator), awaits: false) }
        switch generator.number(below: 60) {
        case 0..<8: return .send(room, count: 1 + generator.number(below: 3))
        case 8..<12: return .dispatch(room)
        case 12..<14: return .ask(room)
        case 14..<19: return .run(room, errand(mix, using: &generator), awaits: generator.chance(0.3))
        case 19..<23: return .visit(room, milliseconds: generator.number(below: 4) * 5)
        case 23..<30: return .sendWeakly(room)
        case 30: return .ready(room)
        case 31: return .state(room)
        case 32..<34: return .observe
        case 34..<47 where mix.evictsByHand: return .evict(room)
        case 47..<50: return .end(room, drain(using: &generator))
        case 50..<52: return .shutDownStore(room, drain(using: &generator))
        case 52: return .shutDown(generator.element(of: HotelEnding.shutdowns))
        default: return .pause(milliseconds: generator.number(below: 40))
        }
    }

    private static func errand(_ mix: Mix, using generator: inout SimulationGenerator) -> Hotel.Errand {
        let goal: Hotel.Errand.Goal =
            switch generator.number(below: 16) + (mix.effectsEnd ? 10 : 0) {
            case 0..<6: .feedback
            case 6..<10: .feedbackTo(generator.element(of: mix.rooms))
            case 10..<12 where mix.evictsByHand: .evictOwnRoom
            case ..<15: .endOwnRoom
            default: .shutDown(drain(using: &generator))
            }
        return Hotel.Errand(
            goal: goal,
            milliseconds: generator.number(below: 4) * 5,
            isStubborn: generator.chance(0.2)
        )
    }

    private static func drain(using generator: inout SimulationGenerator) -> ShutdownDrain {
        generator.chance(0.5) ? .finishEffects : .cancelEffects
    }
}

/// The ways in which a hotel ends.
enum HotelEnding: Sendable {
    case finishingEffects
    case cancellingEffects
    case deadline
    case release

    static let shutdowns: [HotelEnding] = [.finishingEffects, .cancellingEffects, .deadline]
    static let all = shutdowns + [.release]
}
