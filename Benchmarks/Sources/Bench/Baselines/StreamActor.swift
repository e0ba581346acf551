import ActorStore

/// B4: an actor that yields its whole state to a stream for each observer, who filters; what anyone writes first.
actor StreamActor {
    static let name = "B4 actor with streams"

    private var state = Account.State()
    private var observers: [AsyncStream<Account.State>.Continuation] = []

    func apply(_ action: Account.Action) {
        _ = Account().reduce(into: &state, action: action)
        for observer in observers { observer.yield(state) }
    }

    func observe() -> AsyncStream<Account.State> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Account.State.self,
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
