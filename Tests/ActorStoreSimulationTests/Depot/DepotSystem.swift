import ActorStore
import ActorStoreSimulation

/// The stores of a depot, with all their observers.
final class DepotSystem: Sendable {
    typealias Root = Store<Depot.State, Depot.Action>
    typealias Child = Store<ParentAndChild<Depot.State, Depot.State>, Depot.Action>

    let simulation: Simulation
    let log = Depot.Log()
    let root: Root
    let shelves: [Child]
    let history: StoreHistory<[Depot.Entry], [Depot.Entry]>

    init(_ simulation: Simulation) {
        self.simulation = simulation
        let gatekeeper = Interceptor<Depot.State, Depot.Action>("gatekeeper") { [log] action, _, next in
            log.events.append(.intercepted(action))
            simulation.preempt()
            if case .enter(let entry) = action, entry.isForbidden { return }
            try next(action)
        }
        let root = Store(
            initialState: Depot.State(),
            reducer: Depot.Office(simulation: simulation, log: log),
            interceptors: [gatekeeper],
            configuration: StoreConfiguration(name: "depot", executor: simulation.executor)
        )
        self.root = root
        shelves = (0..<2).map { [log] number in
            root.child(
                initialState: Depot.State(),
                reducer: Depot.Shelf(number: number, simulation: simulation, log: log)
            )
        }
        let (office, children) = (root.weak, shelves.map(\.weak))
        log.onRevocation { delivery in
            let cancel = Depot.Action.cancel(item: delivery.item, shelf: delivery.shelf)
            if let shelf = delivery.shelf { children[shelf].send(cancel) } else { office.send(cancel) }
        }
        history = StoreHistory(of: Self.access(to: root, simulation) { $0.entries })
    }

    /// The entries as seen from the root or from a child.
    func access(to shelf: Int?) -> StoreAccess<[Depot.Entry], [Depot.Entry]> {
        guard let shelf else { return Self.access(to: root, simulation) { $0.entries } }
        return Self.access(to: shelves[shelf], simulation) { $0.parent.entries }
    }

    private static func access<State: Sendable>(
        to store: Store<State, Depot.Action>,
        _ simulation: Simulation,
        _ part: @escaping @Sendable (State) -> [Depot.Entry]
    ) -> StoreAccess<[Depot.Entry], [Depot.Entry]> {
        StoreAccess(
            dispatch: { entries in for entry in entries { try await store.dispatch(.enter(entry)) } },
            send: { entries in
                let actions = entries.map { Depot.Action.enter($0) }
                return (actions.count == 1 ? store.send(actions[0]) : store.send(contentsOf: actions)).isAccepted
            },
            snapshot: {
                // A reducer may be interrupted at this moment.
                await simulation.outermost()
                return part(store.snapshot)
            },
            state: { part(await store.state) }
        )
    }

    func entries(at shelf: Int?) -> StoreSequence<[Depot.Entry]> {
        shelf.map { shelves[$0].values(of: \.parent.entries) } ?? root.values(of: \.entries)
    }

    func dispatch(_ action: Depot.Action, at shelf: Int?) async throws {
        if let shelf { try await shelves[shelf].dispatch(action) } else { try await root.dispatch(action) }
    }
}
