import ActorStore
import ActorStoreSimulation

@testable import TestFixtures

/// The stores of a pipeline, with their recording interceptors and observers.
final class PipelineSystem: Sendable {
    typealias Action = Pipeline.Action
    typealias Root = Store<[String], Action>
    typealias Branch = Store<ParentAndChild<[String], [String]>, Action>
    typealias Leaf = Store<ParentAndChild<ParentAndChild<[String], [String]>, [String]>, Action>

    let simulation: Simulation
    let setting: PipelineSetting
    let events: Collector<Pipeline.Event>
    let instrument = PipelineInstrument()
    let failures = Collector<StoreFailure>()
    /// The events received by observers of each store's actions.
    let published: [Pipeline.Place: Collector<String>]
    let transitions = Collector<StateTransition<[String], Action>>()
    let root: Root
    let branch: Branch
    let leaf: Leaf
    let offers: PipelineOffers
    private let loading = AsyncStream.makeStream(of: Never.self)
    private let observers: [Task<Void, any Error>]

    init(_ simulation: Simulation, _ setting: PipelineSetting) {
        self.simulation = simulation
        self.setting = setting
        let events = Collector<Pipeline.Event>()
        let offers = PipelineOffers(events)
        (self.events, self.offers) = (events, offers)
        let work = PipelineWork(simulation: simulation, events: events, offers: offers)
        let interceptors = ["outer", "inner"].map { name in
            work.interceptor(name, at: .root, entries: { (state: [String]) in state.count })
        }
        let configuration = StoreConfiguration(
            name: "root",
            mailbox: setting.mailbox.map { .bounded(2, whenFull: $0) } ?? .unbounded,
            executor: simulation.executor
        )
        let root: Root
        if let loading = setting.loading {
            root = Store(
                initialState: [],
                loading: { [end = self.loading.stream] in try await loading.load(simulation, until: end) },
                reducer: work.reducer(at: .root),
                interceptors: interceptors,
                configuration: configuration
            )
        } else {
            root = Store(
                initialState: [],
                reducer: work.reducer(at: .root),
                interceptors: interceptors,
                configuration: configuration
            )
        }
        root.use(instrument, clock: simulation.clock)
        root.use(Pipeline.warden)
        let branch = root.child(initialState: [], reducer: work.reducer(at: .branch), name: "branch") { action in
            action.script.last == .branch ? nil : action.becoming("b")
        }
        let leaf = branch.child(initialState: [], reducer: work.reducer(at: .leaf), name: "leaf") { action in
            action.script.last == .leaf ? nil : action.becoming("l")
        }
        branch.use(work.interceptor("middle", at: .branch, entries: { $0.local.count + $0.parent.count }))
        leaf.use(work.interceptor("first", at: .leaf, entries: Self.entries))
        (self.root, self.branch, self.leaf) = (root, branch, leaf)

        let published = Dictionary(uniqueKeysWithValues: Pipeline.Place.allCases.map { ($0, Collector<String>()) })
        self.published = published
        observers =
            [
                Self.note(root.actions, simulation) { published[.root]?.append($0.action.id) },
                Self.note(branch.actions, simulation) { published[.branch]?.append($0.action.id) },
                Self.note(leaf.actions, simulation) { published[.leaf]?.append($0.action.id) },
                Self.note(root.transitions(), simulation) { [transitions] in transitions.append($0) },
                Self.note(root.errors, simulation) { [failures] in failures.append($0) },
            ] + (setting.isSuspended ? [Self.suspend(root, simulation)] : [])
    }

    private static func note<Element>(
        _ elements: StoreSequence<Element>,
        _ simulation: Simulation,
        _ body: @escaping @Sendable (Element) -> Void
    ) -> Task<Void, any Error> {
        simulation.start("an observer") { for await element in elements { body(element) } }
    }

    /// Suspends a store while it has not read the last two states.
    private static func suspend(_ root: Root, _ simulation: Simulation) -> Task<Void, any Error> {
        let states = root.values(of: \.self, buffering: .bounded(2, onOverflow: .suspendStore))
        return simulation.start("a slow observer") {
            for await _ in states { try? await simulation.clock.sleep(for: .milliseconds(1)) }
        }
    }

    private static func entries(_ state: ParentAndChild<ParentAndChild<[String], [String]>, [String]>) -> Int {
        state.local.count + state.parent.local.count + state.parent.parent.count
    }

    /// Ends the tree, and returns when all sequences have ended.
    func finish() async throws {
        events.append(.finishing)
        await root.shutdown(drain: .finishEffects)
        for observer in observers { try await observer.value }
        loading.continuation.finish()
    }

    // MARK: Whatever the store

    func send(_ action: Action) -> SendOutcome {
        switch action.place {
        case .root: root.send(action)
        case .branch: branch.send(action)
        case .leaf: leaf.send(action)
        }
    }

    func send(contentsOf actions: [Action], at place: Pipeline.Place) -> SendOutcome {
        switch place {
        case .root: root.send(contentsOf: actions)
        case .branch: branch.send(contentsOf: actions)
        case .leaf: leaf.send(contentsOf: actions)
        }
    }

    func dispatch(_ action: Action) async throws(StoreError) {
        switch action.place {
        case .root: try await root.dispatch(action)
        case .branch: try await branch.dispatch(action)
        case .leaf: try await leaf.dispatch(action)
        }
    }

    func dispatch(_ action: Action, within timeout: Duration) async throws(StoreError) {
        switch action.place {
        case .root: try await root.dispatch(action, acceptanceTimeout: timeout, clock: simulation.clock)
        case .branch: try await branch.dispatch(action, acceptanceTimeout: timeout, clock: simulation.clock)
        case .leaf: try await leaf.dispatch(action, acceptanceTimeout: timeout, clock: simulation.clock)
        }
    }

    func ask(_ question: Pipeline.Question) async throws(StoreError) -> String {
        switch question.action.place {
        case .root: try await root.ask(question)
        case .branch: try await branch.ask(question)
        case .leaf: try await leaf.ask(question)
        }
    }

    func perform(_ action: Action) async throws {
        switch action.place {
        case .root: try await root.perform(action)
        case .branch: try await branch.perform(action)
        case .leaf: try await leaf.perform(action)
        }
    }

    func run(_ step: Pipeline.Errand, _ number: Int, at place: Pipeline.Place) async throws -> Int {
        switch place {
        case .root: try await root.dispatch(PipelineErrand(number: number, step: step, place: place, system: self))
        case .branch: try await branch.dispatch(PipelineErrand(number: number, step: step, place: place, system: self))
        case .leaf: try await leaf.dispatch(PipelineErrand(number: number, step: step, place: place, system: self))
        }
    }

    func shutDown(_ place: Pipeline.Place, _ drain: ShutdownDrain, within limit: Duration?) async {
        events.append(.ending(place))
        switch (place, limit) {
        case (.root, nil): await root.shutdown(drain: drain)
        case (.branch, nil): await branch.shutdown(drain: drain)
        case (.leaf, nil): await leaf.shutdown(drain: drain)
        case (.root, let limit?): await root.shutdown(drain: drain, within: limit, clock: simulation.clock)
        case (.branch, let limit?): await branch.shutdown(drain: drain, within: limit, clock: simulation.clock)
        case (.leaf, let limit?): await leaf.shutdown(drain: drain, within: limit, clock: simulation.clock)
        }
    }

    func use(_ guest: Pipeline.Guest) -> Interception {
        let work = PipelineWork(simulation: simulation, events: events, offers: offers)
        let position = guest.isOutermost ? InterceptorPosition.outermost : .innermost
        return switch guest.place {
        case .root: root.use(work.guest(guest, entries: { (state: [String]) in state.count }), at: position)
        case .branch: branch.use(work.guest(guest, entries: { $0.local.count + $0.parent.count }), at: position)
        case .leaf: leaf.use(work.guest(guest, entries: Self.entries), at: position)
        }
    }

    /// Makes dispatches to the root pass an asynchronous interceptor.
    func useGate(_ guest: Pipeline.Guest) -> Interception {
        root.use(
            AsyncInterceptor(guest.name) { [events, simulation] action, store in
                events.append(.asked(guest, number: action.number, id: action.id))
                let gate = action.script.gate(of: guest)
                switch gate.delay {
                case .none: await simulation.interleave()
                case .obedient: try await simulation.clock.sleep(for: .milliseconds(5))
                case .stubborn:
                    await Task(executorPreference: simulation.executor) {
                        try? await simulation.clock.sleep(for: .milliseconds(5))
                    }.value
                }
                // Its error would not be delivered.
                let decision = gate.decision == .fail && !store.isAlive ? .swallow : gate.decision
                events.append(.decided(guest, number: action.number, decision, isCancelled: Task.isCancelled))
                switch decision {
                case .pass: return action
                case .replace: return action.becoming("g")
                case .swallow: return nil
                case .refuse: throw StoreError.rejected(by: "the script of \(guest.name)")
                case .cancel: throw StoreError.cancelled
                case .fail: throw Pipeline.Defect()
                }
            }
        )
    }
}
