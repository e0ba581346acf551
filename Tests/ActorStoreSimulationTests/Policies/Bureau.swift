import ActorStoreSimulation

@testable import ActorStore

/// A store that runs requested operations, by itself or by one of its children, and a log of all events.
final class Bureau: Sendable {
    struct State: Equatable, Sendable {
        var children: [Int: Int] = [0: 0, 1: 0]
    }

    enum WorkAction: Sendable {
        /// - Parameter base: The offset from indices to numbers.
        case ask(WorkRequest, base: Int, WorkTicket)
        case note(WorkNote, WorkRequest?)
    }

    enum Action: Sendable {
        case own(WorkAction)
        case child(Int, WorkAction)
        case remove(Int)
        case add(Int)
    }

    /// The awaiting callers of requests.
    enum WorkTicket: Equatable, Sendable {
        case none
        /// A part of a batch, in the middle of which nothing else runs.
        case batch
        case dispatch(tracksFeedback: Bool)
    }

    /// Retained by everything that the effects retain.
    final class Token: Sendable {}

    let simulation: Simulation
    let log: BureauLog
    let store: Store<State, Action>
    private let lastRequest = LockedValue(0)

    init(_ simulation: Simulation) {
        self.simulation = simulation
        let log = BureauLog(simulation)
        self.log = log
        let token = Token()
        log.token = token
        let maker = WorkMaker(simulation: simulation, log: log, token: token)
        let path = CasePath<Action, (id: Int, action: WorkAction)> {
            .child($0.id, $0.action)
        } extract: {
            if case .child(let id, let action) = $0 { (id, action) } else { nil }
        }
        let root = Reduce<State, Action> { state, action in
            log.append(.reduces(action))
            if !action.isBatched { simulation.preempt() }
            switch action {
            case .remove(let child): state.children[child] = nil
            case .add(let child): if state.children[child] == nil { state.children[child] = 0 }
            case .own, .child: break
            }
            // From here on nothing else runs until the effects have been accepted.
            log.append(.reduced(action))
            if case .own(let action) = action { return maker.effect(of: action).map(Action.own) }
            return .none
        }
        store = Store(
            initialState: State(),
            reducer: root.forEach(\.children, action: path, whenMissing: .ignore) {
                Reduce<Int, WorkAction> { _, action in maker.effect(of: action) }
            },
            configuration: StoreConfiguration(name: "bureau", executor: simulation.executor)
        )
        store.use(log)
    }

    /// Logs an event in a turn right before that of the next request.
    func logNext(_ event: BureauLog.Event) {
        store.root.inTurn { [log] in log.append(event) }
    }

    /// A number for a request: 1,000 for each, so that its parts have their own numbers.
    func nextBase() -> Int {
        lastRequest.withLock { last in
            last += 1
            return last * 1_000
        }
    }
}

extension Bureau.Action {
    fileprivate var isBatched: Bool {
        switch self {
        case .own(.ask(_, _, .batch)), .child(_, .ask(_, _, .batch)): true
        default: false
        }
    }
}
