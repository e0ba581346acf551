import ActorStore

/// A person with a counter: the fixture of the tests of views.
struct Profile: Reducer {
    struct State: Equatable, Sendable {
        var person = Person()
        var visits = 0
        /// Computed, so that it has no place in memory.
        var greeting: String { "Hello \(person.name)" }
    }

    struct Person: Equatable, Sendable {
        var name = "Ada"
        var age = 36
        var address = Address()
    }

    struct Address: Equatable, Sendable {
        var street = "St James's Square"
        var town = "London"
    }

    enum Action: Equatable, Sendable {
        case person(PersonAction)
        case visited
        case replaced(Person)
    }

    enum PersonAction: Equatable, Sendable {
        case rename(String)
        case age
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .person(.rename(let name)): state.person.name = name
        case .person(.age): state.person.age += 1
        case .visited: state.visits += 1
        case .replaced(let person): state.person = person
        }
        return .none
    }

    static func store() -> Store<State, Action> { Store(initialState: State(), reducer: Profile()) }
}
