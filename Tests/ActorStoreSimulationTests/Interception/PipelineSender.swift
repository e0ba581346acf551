import ActorStore

@testable import TestFixtures

/// A sequential user of a pipeline.
struct PipelineSender: Sendable {
    let number: Int
    let system: PipelineSystem
    let guests: PipelineGuests

    func perform(_ operation: PipelineOperation) async throws {
        switch operation {
        case .send(let place, let script):
            let action = offer(place, script, .sent)
            settle(action, .sent(system.send(action)))
        case .batch(let place, let scripts):
            let actions = scripts.map { offer(place, $0, .batched) }
            let outcome = system.send(contentsOf: actions, at: place)
            for action in actions { settle(action, .sent(outcome)) }
        case .dispatch(let place, let script):
            await dispatch(offer(place, script, .dispatched)) { try await system.dispatch($0) }
        case .perform(let place, let script):
            await dispatch(offer(place, script, .dispatched)) { action in
                // An error of an effect, or the end of one cancelled by a shutdown, is not a reason not to reduce the
                // action.
                do { try await system.perform(action) } catch  where !(error is StoreError) {}
            }
        case .ask(let place, let script):
            let question = Pipeline.Question(action: offer(place, script, .dispatched, isRequest: true))
            do throws(StoreError) {
                settle(question.action, .answered(try await system.ask(question)))
            } catch {
                settle(question.action, .threw(error))
            }
        case .cancel(let place, let script, let count):
            let task = system.simulation.start("a dispatch") {
                await dispatch(offer(place, script, .cancelled)) { try await system.dispatch($0) }
            }
            for _ in 0..<count { await system.simulation.interleave() }
            task.cancel()
            try await task.value
        case .acceptanceTimeout(let place, let script, let milliseconds):
            await dispatch(offer(place, script, .timed)) {
                try await system.dispatch($0, within: .milliseconds(milliseconds))
            }
        case .isolate:
            let id = "isolated by \(number)"
            _ = try? await system.root.withIsolation(id) { [events = system.events] state in
                events.append(.reduced(.root, id: id))
                state.append(id)
            }
        case .read(let place): try await read(at: place)
        case .errand(let place, let step):
            try await run(step, at: place)
        case .come(let place, let isOutermost): guests.come(place, isOutermost: isOutermost)
        case .go: guests.go()
        case .comeFirst: guests.comeFirst()
        case .goFirst: guests.goFirst()
        case .watch: guests.watch()
        case .pause(let milliseconds): try await system.simulation.clock.sleep(for: .milliseconds(milliseconds))
        case .end(let place, let drain, let milliseconds):
            await system.shutDown(place, drain, within: milliseconds.map { .milliseconds($0) })
        case .set: break
        }
    }

    private func offer(
        _ place: Pipeline.Place,
        _ script: Pipeline.Script,
        _ manner: Pipeline.Manner,
        isRequest: Bool = false
    ) -> Pipeline.Action {
        let action = Pipeline.Action(place: place, isRequest: isRequest, script: script)
        return system.offers.add(action, manner, by: number)
    }

    private func settle(_ action: Pipeline.Action, _ outcome: Pipeline.Outcome) {
        system.events.append(.settled(action.number, outcome))
    }

    private func dispatch(_ action: Pipeline.Action, _ body: (Pipeline.Action) async throws -> Void) async {
        do {
            try await body(action)
            settle(action, .returned)
        } catch let error as StoreError {
            settle(action, .threw(error))
        } catch {
            settle(action, .threw(.awaitsItself))
        }
    }

    /// Waits for a state end, also if there will not be one.
    private func read(at place: Pipeline.Place) async throws {
        switch place {
        case .root: _ = await system.root.state
        case .branch: _ = await system.branch.state
        case .leaf: _ = await system.leaf.state
        }
        do {
            try await system.root.ready()
        } catch {
            try Pipeline.require(system.setting.loading != nil, "The store is not ready: \(error)")
        }
    }

    /// Runs a side effect, and compares its result, unless its store ends meanwhile.
    private func run(_ step: Pipeline.Errand, at place: Pipeline.Place) async throws {
        let number = 1_000_000 * (number + 1) + system.events.elements.count
        var thrown: String?
        do {
            let value = try await system.run(step, number, at: place)
            try Pipeline.require(value == number, "A side effect has returned \(value), and not \(number).")
        } catch let complaint as Pipeline.Complaint {
            throw complaint
        } catch {
            thrown = "\(error)"
        }
        let runs = system.events.elements.count { if case .ran(number) = $0 { true } else { false } }
        let isEnding = system.events.elements.contains { if case .ending = $0 { true } else { false } }
        if isEnding || system.setting.loading != nil { return }
        let expected = step.expected
        try Pipeline.require(
            runs == expected.runs && thrown == expected.error,
            "A side effect (\(step)) was run \(runs) times, and threw \(thrown as Any)."
        )
    }
}

/// The interceptors and instruments of a pipeline that come and go.
final class PipelineGuests: Sendable {
    private typealias Entry = (guest: Pipeline.Guest, token: Interception)

    private struct State {
        var count = 0
        var inTurn: [Entry] = []
        var before: [Entry] = []
        var watching: (instrument: PipelineInstrument, token: Interception)?
    }

    private let system: PipelineSystem
    private let state = LockedValue(State())
    /// The further instruments, and whether they were removed.
    let watched = Collector<(instrument: PipelineInstrument, isRemoved: Bool)>()

    init(of system: PipelineSystem) {
        self.system = system
        if system.setting.asksFirst { comeFirst() }
    }

    func come(_ place: Pipeline.Place, isOutermost: Bool) {
        let guest = Pipeline.Guest(number: nextNumber(), place: place, isOutermost: isOutermost)
        let token = use(guest) { system.use(guest) }
        state.withLock { $0.inTurn.append((guest, token)) }
    }

    func go() {
        remove(state.withLock { $0.inTurn.isEmpty ? nil : $0.inTurn.removeFirst() })
    }

    func comeFirst() {
        let guest = Pipeline.Guest(number: nextNumber(), place: .root, isAsynchronous: true)
        let token = use(guest) { system.useGate(guest) }
        state.withLock { $0.before.append((guest, token)) }
    }

    func goFirst() {
        remove(state.withLock { $0.before.isEmpty ? nil : $0.before.removeFirst() })
    }

    func watch() {
        if let (instrument, token) = state.withLock({ $0.watching.take() }) {
            token.remove()
            watched.append((instrument, true))
        } else {
            let instrument = PipelineInstrument()
            let token = system.root.use(instrument)
            state.withLock { $0.watching = (instrument, token) }
        }
    }

    /// The instrument that is still there.
    func finish() {
        if let (instrument, _) = state.withLock({ $0.watching.take() }) { watched.append((instrument, false)) }
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    private func use(_ guest: Pipeline.Guest, _ body: () -> Interception) -> Interception {
        system.events.append(.using(guest))
        defer { system.events.append(.used(guest)) }
        return body()
    }

    private func remove(_ entry: Entry?) {
        guard let (guest, token) = entry else { return }
        system.events.append(.removing(guest))
        token.remove()
        system.events.append(.removed(guest))
    }
}
