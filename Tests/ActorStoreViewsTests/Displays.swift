import ActorStore
import ActorStoreViews
import Testing

@testable import TestFixtures

/// Shows names in its own isolation, and makes them itself from persons.
actor NameDisplay: StateConsumer {
    private(set) var shown: [String] = []
    nonisolated let made = Collector<String>()

    nonisolated func props(from state: Profile.Person, send: Send<Profile.Action>) -> String {
        made.append(state.name)
        return state.name.uppercased()
    }

    func update(_ name: String) {
        assertIsolated()
        shown.append(name)
    }
}

/// Shows numbers in its own isolation, from any source.
actor NumberDisplay: PropsConsumer {
    private(set) var shown: [Int] = []

    func update(_ number: Int) {
        assertIsolated()
        shown.append(number)
    }
}

/// Shows numbers on the main actor.
@MainActor
final class MainDisplay: PropsConsumer {
    private(set) var shown: [Int] = []

    func update(_ number: Int) {
        MainActor.assertIsolated()
        shown.append(number)
    }
}

/// Collects numbers wherever it is called.
final class NumberCollector: PropsConsumer {
    let shown = Collector<Int>()

    func update(_ number: Int) { shown.append(number) }
}
