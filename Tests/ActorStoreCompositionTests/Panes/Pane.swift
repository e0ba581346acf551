import ActorStore
import ActorStoreComposition

/// A child that records its actions, begins effects controlled by the test, and can present a tip of its own.
struct Pane: Reducer {
    struct State: Equatable, Sendable {
        var notes: [Int] = []
        @Presented var tip: Tip.State?
    }

    /// The instructions for a pane or a tip.
    enum Command: Equatable, Sendable {
        /// Each number is that of the sending effect, or unique.
        case note(Int)
        case begin(PaneEffect)
        case cancel(id: Int)
        case leave
        case showTip(Int)
        case hideTip
        /// A pane that can change its identity does so, and begins an effect as the new pane.
        case renumber(Int, then: PaneEffect?)
    }

    enum Action: Equatable, Sendable {
        case own(Command)
        case tip(PresentationAction<Command>)
    }

    let stage: PaneStage

    var body: some Reducer<State, Action> {
        Scope(action: CasePath(embed: Action.own) { if case .own(let command) = $0 { command } else { nil } }) {
            Reduce<State, Command> { state, command in
                switch command {
                case .showTip(let number): state.tip = Tip.State(notes: [number])
                case .hideTip: state.tip = nil
                default: return stage.perform(command, noting: &state.notes)
                }
                return .none
            }
        }
        .ifPresented(
            \.$tip,
            action: CasePath(embed: Action.tip) { if case .tip(let action) = $0 { action } else { nil } }
        ) { Tip(stage: stage) }
    }
}

/// A child of a pane.
struct Tip: Reducer {
    struct State: Equatable, Sendable {
        var notes: [Int] = []
    }

    let stage: PaneStage

    func reduce(into state: inout State, action: Pane.Command) -> Effect<Pane.Command> {
        stage.perform(action, noting: &state.notes)
    }
}

/// A pane with a variable identity.
struct NumberedPane: Reducer {
    struct State: Equatable, Identifiable, Sendable {
        var id: Int
        var pane = Pane.State()
    }

    let stage: PaneStage

    var body: some Reducer<State, Pane.Action> {
        Scope(state: \.pane, action: CasePath(embed: { $0 }, extract: { $0 })) { Pane(stage: stage) }
        Reduce { state, action in if case .own(.renumber(let id, _)) = action { state.id = id } }
    }
}

/// The effects of a pane or a tip.
struct PaneEffect: Equatable, Sendable {
    enum Shape: CaseIterable, Sendable {
        /// An operation that runs until the test ends it, ignoring everything else, cancellations included.
        case work
        /// The operation, and an action or a dismissal at its end.
        case workThenNote, workThenDismissal
        /// An action, and nothing else.
        case note
    }

    let number: Int
    let shape: Shape
    /// The identity of an operation, which determines its policy; nil without one.
    let id: Int?
    let isDetached: Bool

    static let identities = 6
    static let debounce = 4
    static let throttle = 5
    static let serial = 3
    static let debounceInterval = 10
    static let throttleInterval = 25

    func effect(on stage: PaneStage) -> Effect<Pane.Command> {
        let number = number
        let work: @Sendable (Send<Pane.Command>) async -> Void = { send in await stage.run(number, send) }
        let effect: Effect<Pane.Command>
        switch shape {
        case .note: effect = .send(.note(number))
        case .work: effect = identified(work, clock: stage.clock)
        case .workThenNote: effect = .concatenate(.run(work), .send(.note(number)))
        case .workThenDismissal: effect = .concatenate(.run(work), .dismiss())
        }
        return isDetached ? effect.detached() : effect
    }

    private func identified(
        _ work: @escaping @Sendable (Send<Pane.Command>) async -> Void,
        clock: any Clock<Duration>
    ) -> Effect<Pane.Command> {
        guard let id else { return .run(work) }
        switch id {
        case 1: return .run(id: id, policy: .cancelInFlight, work)
        case 2: return .run(id: id, policy: .ignoreIfRunning, work)
        case Self.serial: return .run(id: id, policy: .serial, work)
        case Self.debounce:
            return .run(work).debounce(id: id, for: .milliseconds(Self.debounceInterval), clock: clock)
        case Self.throttle:
            return .run(work).throttle(
                id: id,
                for: .milliseconds(Self.throttleInterval),
                latest: false,
                clock: clock
            )
        default: return .run(id: id, work)
        }
    }
}
