/// The reason why a desk cannot continue.
enum DeskError: Error, CustomStringConvertible {
    case undecided(OrderID)

    var description: String {
        switch self {
        case .undecided(let id): "the stock has reduced the reservation of order \(id), and does not know of it"
        }
    }
}
