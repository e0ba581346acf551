import ActorStore
import ActorStoreSimulation

@testable import TestFixtures

/// The behaviour of interceptors and reducers by the script, with records.
struct PipelineWork: Sendable {
    let simulation: Simulation
    let events: Collector<Pipeline.Event>
    let offers: PipelineOffers

    func reducer(at place: Pipeline.Place) -> Reduce<[String], Pipeline.Action> {
        Reduce { state, action in
            events.append(.reduced(place, id: action.id))
            simulation.preempt()
            state.append(action.id)
            var effects: [Effect<Pipeline.Action>] = []
            if let work = action.script.effects[place] {
                effects.append(effect(work, of: "\(action.id) at \(place)", at: place))
            }
            if action.isRequest, action.script.answers.contains(place) {
                effects.append(.answer("\(action.id) at \(place)"))
            }
            return .merge(effects)
        }
    }

    /// An effect that sends an action.
    private func effect(_ work: Pipeline.Work, of id: String, at place: Pipeline.Place) -> Effect<Pipeline.Action> {
        let feedback = Effect<Pipeline.Action>.run { send in
            try await simulation.clock.sleep(for: .milliseconds(3))
            events.append(.worked(id))
            let action = offers.add(Pipeline.Action(place: place), .fed)
            events.append(.settled(action.number, .sent(send(action))))
        }
        let row = Effect<Pipeline.Action>.concatenate(.run { _ in await simulation.interleave() }, feedback)
        return switch work {
        case .plain: feedback
        case .delayed: feedback.delay(for: .milliseconds(2), clock: simulation.clock)
        case .concatenated: row.delay(for: .milliseconds(2), clock: simulation.clock)
        case .vain: row.delay(for: .milliseconds(2), clock: FailingClock(error: Pipeline.Defect()))
        }
    }

    func interceptor<State: Sendable>(
        _ name: String,
        at place: Pipeline.Place,
        entries: @escaping @Sendable (State) -> Int
    ) -> Interceptor<State, Pipeline.Action> {
        Interceptor(name) { action, context, next in
            try run(name, at: place, entries, action, context, next)
        }
    }

    /// An interceptor that records its beginning.
    func guest<State: Sendable>(
        _ guest: Pipeline.Guest,
        entries: @escaping @Sendable (State) -> Int
    ) -> Interceptor<State, Pipeline.Action> {
        .settingUp(guest.name) { _ in
            events.append(.installed(guest))
            return ActiveInterceptor { action, context, next in
                try run(guest.name, at: guest.place, entries, action, context, next)
            }
        }
    }

    private func run<State: Sendable>(
        _ name: String,
        at place: Pipeline.Place,
        _ entries: @Sendable (State) -> Int,
        _ action: Pipeline.Action,
        _ context: InterceptorContext<State, Pipeline.Action>,
        _ next: (Pipeline.Action) throws -> Void
    ) throws {
        let step = action.script.step(of: name)
        events.append(
            .came(name, id: action.id, entries: entries(context.state), revision: context.revision)
        )
        simulation.preempt()
        if step == .send {
            events.append(.sends(name, id: action.id))
            let further = offers.add(Pipeline.Action(place: place), .sent)
            events.append(.settled(further.number, .sent(context.send(further))))
        }
        try step.run(name, action) { passed in
            var refusal: (any Error)?
            do { try next(passed) } catch { refusal = error }
            events.append(
                .went(
                    name,
                    id: passed.id,
                    refusal as? StoreError,
                    entries: entries(context.state),
                    revision: context.revision
                )
            )
            simulation.preempt()
            if let refusal { throw refusal }
        }
    }
}
