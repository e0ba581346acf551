import ActorStore
import ActorStoreCommands

/// An account of numbers, changed by commands.
struct Account: Equatable, Sendable {
    var balance = 0
    var notes: [String] = []
}

struct Deposit: StateUpdater, Dispatchable, Equatable {
    let amount: Int
    func update(_ state: inout Account) { state.balance += amount }
}

struct Note: StateUpdater, Dispatchable {
    let text: String
    func update(_ state: inout Account) { state.notes.append(text) }
}

/// Actions with a case for commands.
enum BankAction: CommandAction {
    case close
    case command(Command<Account>)
}

struct Bank: Reducer {
    func reduce(into state: inout Account, action: BankAction) -> Effect<BankAction> {
        switch action {
        case .close:
            state = Account(notes: ["closed"])
            return .none
        case .command(let command):
            command.apply(to: &state)
            return .none
        }
    }
}
