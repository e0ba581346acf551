import ActorStore
import ActorStoreCommands
import Testing
import TreeCollections

/// A workshop with jobs whose effects are driven by its state.
struct Workshop: Reducer {
    struct State: Equatable, Sendable {
        var job = EffectState<EffectFailure>()
        var jobs = TreeDictionary<Int, EffectState<EffectFailure>>()
        var tools: [String: EffectState<EffectFailure>] = [:]
        var orders = KeyedArray<Order>()
        var isOpen = false
        var isLit = false
        var sign = ""
        var log: [String] = []
    }

    struct Order: Identifiable, Equatable, Sendable {
        let id: Int
        var note = ""
        var work = EffectState<EffectFailure>()
    }

    enum Action: Sendable {
        case change(@Sendable (inout State) -> Void)
        case log(String)
        case done(String)
        case failed(EffectFailure)
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .change(let change):
            change(&state)
        case .log(let line):
            state.log.append(line)
        case .done(let line):
            state.log.append(line)
            state.job.succeed()
        case .failed(let failure):
            state.log.append(failure.message)
            state.job.retryOrFail(with: failure)
        }
        return .none
    }

    static func store(
        _ state: State = State(),
        configuration: StoreConfiguration = StoreConfiguration()
    ) -> Store<State, Action> {
        Store(initialState: state, reducer: Workshop(), configuration: configuration)
    }
}

extension Store where Action == Workshop.Action {
    /// Changes the state, and returns after all observers were notified.
    nonisolated(nonsending) func change(_ change: @escaping @Sendable (inout Workshop.State) -> Void) async throws {
        try await dispatch(.change(change))
    }
}

/// An operation tracked by a test: it records its beginning, and runs until it is cancelled or finished.
final class HeldWork: Sendable {
    let begun = Collector<String>()
    /// The ended operations, and whether they were cancelled.
    let cancelled = Collector<String>()
    let finished = Collector<String>()
    private let goOn = Collector<String>()

    /// Runs until it is cancelled, or ``finish(_:)`` is called with its name.
    func run(_ name: String) async {
        begun.append(name)
        await until { Task.isCancelled || goOn.elements.contains(name) }
        if Task.isCancelled { cancelled.append(name) } else { finished.append(name) }
    }

    func finish(_ name: String) { goOn.append(name) }

    /// Waits until this number have begun.
    func waitUntilBegun(_ count: Int = 1, _ place: Testing.SourceLocation = #_sourceLocation) async {
        await until(place) { self.begun.elements.count >= count }
    }

    /// Waits until this number have been cancelled.
    func waitUntilCancelled(_ count: Int = 1, _ place: Testing.SourceLocation = #_sourceLocation) async {
        await until(place) { self.cancelled.elements.count >= count }
    }
}
