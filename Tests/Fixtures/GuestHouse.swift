import ActorStore

/// A house with numbered rooms, and a hall that can be closed: entries and an optional part with stores that come and
/// go.
struct GuestHouse: Equatable, Sendable {
    struct Room: Equatable, Sendable { var guests = 0 }

    enum Action: Equatable, Sendable {
        case open(Int)
        case close(Int)
        case openHall
        case closeHall
        case room(id: Int, action: Int)
        case hall(Int)
    }

    var rooms: [Int: Room] = [:]
    var hall: Room?

    static func store(_ configuration: StoreConfiguration = StoreConfiguration()) -> Store<GuestHouse, Action> {
        let reducer = Reduce<GuestHouse, Action> { state, action in
            switch action {
            case .open(let number): state.rooms[number] = Room()
            case .close(let number): state.rooms[number] = nil
            case .openHall: state.hall = Room()
            case .closeHall: state.hall = nil
            case .room(let number, let guests): state.rooms[number]?.guests += guests
            case .hall(let guests): state.hall?.guests += guests
            }
            return .none
        }
        return Store(initialState: GuestHouse(), reducer: reducer, configuration: configuration)
    }
}
