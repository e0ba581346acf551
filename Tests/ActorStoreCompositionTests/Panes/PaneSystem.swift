import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import ActorStoreSimulation

/// A store with a workspace, and the model that follows it.
final class PaneSystem: Sendable {
    /// The composition of the workspace: the reducer of a root, that of a child, or one attached to a part of a state.
    enum Seat: CaseIterable, Sendable {
        case root, child, attachment

        /// Each of them in turn.
        static func of(seed: UInt64) -> Seat { allCases[Int(seed % 3)] }
    }

    struct Office: Sendable { var shell = Shell.State() }

    private let simulation: Simulation
    private let stage: PaneStage
    private let model: LockedValue<(model: PaneModel, mismatch: PaneModel.Mismatch?)>
    private let numbers = LockedValue(10_000)
    private let send: @Sendable ([Shell.Action]) -> Void
    private let isolate: @Sendable ([PaneEdit]) async throws -> Bool
    private let workspace: @Sendable () -> Workspace.State
    private let figures: @Sendable () -> StoreStatistics
    private let shutdown: @Sendable () async -> Void

    init(_ simulation: Simulation, at seat: Seat) {
        self.simulation = simulation
        let stage = PaneStage(clock: simulation.clock)
        self.stage = stage
        let model = LockedValue<(model: PaneModel, mismatch: PaneModel.Mismatch?)>((PaneModel(), nil))
        self.model = model
        let shell = Shell(stage: stage) { action, workspace in
            model.withLock { $0.model.follow(action, workspace, &$0.mismatch) }
        }
        let configuration = StoreConfiguration(name: "panes", executor: simulation.executor)
        let errors: StoreSequence<StoreFailure>
        switch seat {
        case .root:
            let store = Store(initialState: Shell.State(), reducer: shell, configuration: configuration)
            errors = store.errors
            send = { store.sendAll($0) }
            workspace = { store.snapshot.workspace }
            figures = { store.statistics }
            shutdown = { await store.shutdown(drain: .cancelEffects) }
            isolate = { edits in
                try await store.withIsolation("edit") { for edit in edits { edit.apply(to: &$0.workspace, stage) } }
                return true
            }
        case .child:
            let root = Store(initialState: 0, configuration: configuration) { (_: inout Int, _: Shell.Action) in }
            errors = root.errors
            let store = root.child(initialState: Shell.State(), reducer: shell)
            send = { store.sendAll($0) }
            workspace = { store.snapshot.local.workspace }
            figures = { root.statistics }
            shutdown = { await root.shutdown(drain: .cancelEffects) }
            isolate = { _ in false }
        case .attachment:
            let store = Store(initialState: Office(), configuration: configuration) {
                (_: inout Office, _: Shell.Action) in
            }
            errors = store.errors
            store.attach(reducer: shell, state: \.shell, forKey: "shell")
            send = { store.sendAll($0) }
            workspace = { store.snapshot.shell.workspace }
            figures = { store.statistics }
            shutdown = { await store.shutdown(drain: .cancelEffects) }
            isolate = { edits in
                try await store.withIsolation("edit") {
                    for edit in edits { edit.apply(to: &$0.shell.workspace, stage) }
                }
                return true
            }
        }
        // Unobserved errors are reported as issues. They are counted anyway.
        simulation.start("errors") { for await _ in errors {} }
        fill()
    }

    /// Puts a pane into each slot.
    private func fill() {
        let edits = PaneSlot.allCases.enumerated().map { number, slot in
            PaneEdit(kind: .put, slot: slot, key: number % 2, number: number)
        }
        accept([.workspace(Workspace.Action(edits: edits))])
    }

    // MARK: Operations

    func perform(_ operation: PaneOperation) async throws {
        switch operation {
        case .moves(let moves, .each):
            for move in moves {
                accept([action(of: move)])
                try await rest()
            }
        case .moves(let moves, let manner):
            let actions = moves.map(action)
            accept(manner == .batch ? actions : [.several(actions)])
        case .during(let calls, let move):
            accept([.during(calls.compactMap(instruction), action(of: move))])
        case .call(let call):
            guard let instruction = instruction(call) else { return }
            model.withLock { $0.model.accept(instruction.call, of: instruction.number) }
            stage.call(instruction.call, of: instruction.number)
        case .isolated(let edit):
            if try await isolate([edit]) {
                model.withLock { $0.model.isolate([edit]) }
            } else {
                accept([.around([edit])])
            }
        case .wait:
            try await simulation.clock.sleep(for: .milliseconds(PaneOperation.pause))
            model.withLock { $0.model.elapse(PaneOperation.pause) }
        }
        try await rest()
        let state = workspace()
        stage.archive.withLock { $0 = ($0 + [state]).suffix(PaneOperation.versions) }
        model.withLock { $0.model.keep(atMost: PaneOperation.versions) }
    }

    /// Ends all effects, so that none is left.
    func finish() async throws {
        while let number = stage.begun.first {
            model.withLock { $0.model.accept(.end, of: number) }
            stage.call(.end, of: number)
            try await rest()
        }
        await shutdown()
        await simulation.quiet()
        let running = figures().runningEffects
        if running > 0 { throw PaneModel.Mismatch(description: "\(running) effects run after the shutdown.") }
    }

    private func accept(_ actions: [Shell.Action]) {
        model.withLock { $0.model.accept(actions) }
        send(actions)
    }

    /// Waits until the store is quiescent, and compares everything.
    private func rest() async throws {
        await simulation.quiet()
        let (begun, cancelled) = (Set(stage.begun), stage.cancelled)
        let (workspace, figures) = (workspace(), figures())
        let mismatch = model.withLock { value in
            if value.mismatch == nil { value.model.rest(begun, cancelled, workspace, figures, &value.mismatch) }
            return value.mismatch
        }
        if let mismatch { throw mismatch }
    }

    // MARK: Actions

    private func nextNumber() -> Int {
        numbers.withLock {
            $0 += 1
            return $0
        }
    }

    private func instruction(_ call: PaneOperation.Call) -> PaneStage.Instruction? {
        let begun = stage.begun
        return begun.isEmpty ? nil : PaneStage.Instruction(number: begun[call.place % begun.count], call: call.call)
    }

    private func action(of move: PaneOperation.Move) -> Shell.Action {
        switch move {
        case .edits(let edits, let isAround):
            isAround ? .around(edits) : .workspace(Workspace.Action(edits: edits))
        case .push(let number):
            .workspace(Workspace.Action(content: .stack(.push(Pane.State(notes: [number])))))
        case .dismissal(let slot, let key, let isTip, let edits):
            .workspace(Workspace.Action(content: dismissal(slot, self.key(key, in: slot), isTip), edits: edits))
        case .pane(let slot, let key, let isTip, let order, let edits):
            .workspace(Workspace.Action(content: content(slot, key, isTip, order), edits: edits))
        }
    }

    private func content(_ slot: PaneSlot, _ key: Int, _ isTip: Bool, _ order: PaneOperation.Order) -> Workspace.Content
    {
        let command = command(order, of: slot, isTip)
        return slot.action(key, isTip ? .tip(.presented(command)) : .own(command))
    }

    private func dismissal(_ slot: PaneSlot, _ key: Int, _ isTip: Bool) -> Workspace.Content {
        isTip ? slot.action(key, .tip(.dismiss)) : slot.dismissal(key) ?? .nothing
    }

    /// The key of a pane for an operation: a present one, unless it is the highest.
    private func key(_ key: Int, in slot: PaneSlot) -> Int {
        let keys = model.withLock { $0.model.table[slot].map(\.key) }
        return keys.isEmpty || key == 2 ? key : keys[key % keys.count]
    }

    private func command(_ order: PaneOperation.Order, of slot: PaneSlot, _ isTip: Bool) -> Pane.Command {
        switch order {
        case .note: .note(nextNumber())
        case .leave: .leave
        case .showTip: .showTip(nextNumber())
        case .hideTip: .hideTip
        case .cancel(let id): .cancel(id: id)
        // An element of a table must keep its identity.
        case .renumber(let id, let shape):
            slot.isTable || isTip
                ? .note(nextNumber())
                : .renumber(
                    id,
                    then: shape.map { PaneEffect(number: nextNumber(), shape: $0, id: 0, isDetached: false) }
                )
        case .begin(let shape, let id, let isDetached):
            .begin(
                PaneEffect(
                    number: nextNumber(),
                    shape: shape == .workThenDismissal && !isTip && !slot.isPresentation ? .work : shape,
                    id: id,
                    isDetached: isDetached
                )
            )
        }
    }
}

extension Store where Action == Shell.Action {
    fileprivate nonisolated func sendAll(_ actions: [Shell.Action]) {
        if actions.count == 1 { send(actions[0]) } else { send(contentsOf: actions) }
    }
}

extension PaneModel {
    /// Follows the store to its next action, and compares the state after it.
    fileprivate mutating func follow(_ action: Shell.Action, _ workspace: Workspace.State, _ mismatch: inout Mismatch?)
    {
        if mismatch != nil { return }
        do throws(Mismatch) {
            try reduce(action)
            try compare(with: workspace)
        } catch {
            mismatch = error
        }
    }

    /// Compares everything, when the store is quiescent.
    fileprivate mutating func rest(
        _ begun: Set<Int>,
        _ cancelled: Set<Int>,
        _ workspace: Workspace.State,
        _ figures: StoreStatistics,
        _ mismatch: inout Mismatch?
    ) {
        do throws(Mismatch) {
            try rest(begun: begun, cancelled: cancelled)
            try compare(with: workspace)
            try compare(with: figures)
        } catch {
            mismatch = error
        }
    }
}
