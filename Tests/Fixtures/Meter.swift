import ActorStore

/// A meter that counts its records, and starts effects; the child in the tests of composition.
struct Meter: Reducer {
    struct State: Equatable, Sendable {
        var reading = 0
    }

    enum Action: Sendable {
        case record(Int)
        case start(Effect<Action>)
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .record(let amount):
            state.reading += amount
            return .none
        case .start(let effect):
            return effect
        }
    }
}

/// A meter with an identity.
struct NumberedMeter: Reducer {
    struct State: Equatable, Identifiable, Sendable {
        let id: Int
        var reading = 0
    }

    func reduce(into state: inout State, action: Meter.Action) -> Effect<Meter.Action> {
        var meter = Meter.State(reading: state.reading)
        defer { state.reading = meter.reading }
        return Meter().reduce(into: &meter, action: action)
    }
}

/// An effect of a meter controlled by the test: it runs until it is cancelled or finished, and then records.
final class HeldEffect: Sendable {
    private let began = Signal()
    private let goOn = Signal()
    private let ended = Signal()
    let wasCancelled = Collector<Bool>()

    /// The effect; to be run once.
    func effect(id: (any Hashable & Sendable)? = nil) -> Effect<Meter.Action> {
        .run(id: id) { [self] send in
            began.fire()
            await goOn.wait()
            // The store drops actions of a cancelled effect at once; its task is cancelled a moment later.
            let outcome = send(.record(1_000))
            wasCancelled.append(Task.isCancelled || !outcome.isAccepted)
            ended.fire()
        }
    }

    func waitUntilBegun() async { await began.wait() }

    /// Finishes it, and waits until it has sent.
    func finish() async {
        goOn.fire()
        await ended.wait()
    }
}
