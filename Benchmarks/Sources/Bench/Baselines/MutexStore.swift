import ActorStore
import Synchronization

/// B2: a mutex around the state, with closure listeners.
final class MutexStore<Logic: Reducer & Sendable>: Sendable where Logic.State: Sendable, Logic.Action: Sendable {
    private struct Contents {
        var state: Logic.State
        var listeners: [@Sendable (Logic.State) -> Void] = []
    }

    private let contents: Mutex<Contents>
    private let reducer: Logic

    init(_ state: Logic.State, _ reducer: Logic) {
        contents = Mutex(Contents(state: state))
        self.reducer = reducer
    }

    var state: Logic.State { contents.withLock { $0.state } }

    func apply(_ action: Logic.Action) {
        let news = contents.withLock { contents -> Contents? in
            _ = reducer.reduce(into: &contents.state, action: action)
            return contents.listeners.isEmpty ? nil : contents
        }
        guard let news else { return }
        for listener in news.listeners { listener(news.state) }
    }

    func listen(_ listener: @escaping @Sendable (Logic.State) -> Void) {
        contents.withLock { $0.listeners.append(listener) }
    }
}

extension MutexStore<Account> {
    static var name: String { "B2 mutex" }

    convenience init() { self.init(Account.State(), Account()) }
}
