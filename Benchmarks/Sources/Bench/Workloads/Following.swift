import ActorStore

/// Tasks that follow something until it ends.
struct Following: Sendable {
    let tasks: [Task<Void, Never>]

    init(_ count: Int, _ follow: @escaping @Sendable (Int) async -> Void) {
        tasks = (0..<count).map { place in Task.detached { await follow(place) } }
    }

    func finish() async {
        for task in tasks { await task.value }
    }
}

/// A store with a part that many tasks follow, each of which has to see each value.
struct FollowedStore<Logic: Reducer & Sendable>: Sendable where Logic.State: Sendable, Logic.Action: Sendable {
    let store: Store<Logic.State, Logic.Action>
    private let makeAction: @Sendable () -> Logic.Action
    private let rendezvous: Rendezvous
    private let following: Following

    /// - Parameter isStream: Whether the tasks follow an `AsyncStream`.
    init(_ scenario: Scenario<Logic>, observers: Int, isStream: Bool) async {
        let rendezvous = Rendezvous(of: observers)
        let store = Store(initialState: scenario.makeState(), reducer: scenario.makeReducer())
        self.store = store
        makeAction = scenario.makeAction
        self.rendezvous = rendezvous
        let part = scenario.part
        if isStream {
            let streams = (0..<observers).map { _ in store.stream(of: part) }
            following = Following(observers) { place in for await _ in streams[place] { rendezvous.arrive() } }
        } else {
            let sequences = (0..<observers).map { _ in store.values(of: part) }
            following = Following(observers) { place in for await _ in sequences[place] { rendezvous.arrive() } }
        }
        // All have seen their initial value.
        await rendezvous.round {}
    }

    /// Changes the part, and waits until all have seen it.
    func publish() async { await rendezvous.round { store.send(makeAction()) } }

    func finish() async {
        await store.shutdown(drain: .cancelEffects)
        await following.finish()
    }
}

/// The followers of an actor with streams.
struct FollowedActor<Logic: Reducer & Sendable>: Sendable where Logic.State: Sendable, Logic.Action: Sendable {
    private let actor: StreamActor<Logic>
    private let makeAction: @Sendable () -> Logic.Action
    private let rendezvous: Rendezvous
    private let following: Following

    init(_ scenario: Scenario<Logic>, observers: Int) async {
        let rendezvous = Rendezvous(of: observers)
        let readPart = scenario.readPart
        actor = StreamActor(scenario.makeState(), scenario.makeReducer())
        makeAction = scenario.makeAction
        var streams: [AsyncStream<Logic.State>] = []
        for _ in 0..<observers { streams.append(await actor.observe()) }
        let all = streams
        self.rendezvous = rendezvous
        following = Following(observers) { place in
            var last: Int?
            for await state in all[place] where readPart(state) != last {
                last = readPart(state)
                rendezvous.arrive()
            }
        }
        await rendezvous.round {}
    }

    func publish() async {
        await actor.apply(makeAction())
        await rendezvous.round {}
    }

    func finish() async {
        await actor.finish()
        await following.finish()
    }
}

/// The followers of bare continuations.
struct FollowedContinuations: Sendable {
    private let continuations: RawContinuations
    private let following: Following

    init(observers: Int, isCancellable: Bool = false) async {
        let continuations = RawContinuations(observers: observers)
        self.continuations = continuations
        following = Following(observers) { place in
            if isCancellable {
                await continuations.observeCancellably(place)
            } else {
                await continuations.observe(place)
            }
        }
        await continuations.begin()
    }

    func publish() async { await continuations.publish() }

    func finish() async {
        continuations.finish()
        await following.finish()
    }
}
