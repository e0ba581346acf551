import ActorStore

/// B4: an actor that yields its whole state to a stream for each observer, which filters it; a common first solution.
actor StreamActor<Logic: Reducer & Sendable> where Logic.State: Sendable, Logic.Action: Sendable {
    private var state: Logic.State
    private let reducer: Logic
    private var observers: [AsyncStream<Logic.State>.Continuation] = []

    init(_ state: Logic.State, _ reducer: Logic) {
        self.state = state
        self.reducer = reducer
    }

    func apply(_ action: Logic.Action) {
        _ = reducer.reduce(into: &state, action: action)
        for observer in observers { observer.yield(state) }
    }

    func observe() -> AsyncStream<Logic.State> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Logic.State.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        observers.append(continuation)
        continuation.yield(state)
        return stream
    }

    func finish() {
        for observer in observers { observer.finish() }
    }
}

/// The name of the baseline.
enum Streams {
    static let actor = "B4 actor with streams"
}
