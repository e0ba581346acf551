import ActorStore
import ActorStoreCommands

@testable import TestFixtures

extension Pipeline {
    /// The behaviour of the interceptor of side effects.
    enum Errand: Sendable, CaseIterable {
        case pass, twice, never, refuse, failAfterwards, retry, ignore, announce

        /// The number of its runs, and their outcome.
        var expected: (runs: Int, error: String?) {
            switch self {
            case .pass, .announce: (1, nil)
            case .twice: (2, nil)
            case .never: (0, "\(StoreError.rejected(by: "warden"))")
            case .refuse: (0, "\(StoreError.overloaded)")
            case .failAfterwards: (1, "\(Defect())")
            case .retry: (2, nil)
            case .ignore: (1, "\(Defect())")
            }
        }

        /// Whether the first attempt fails.
        var fails: Bool { self == .retry || self == .ignore }
    }

    /// The interceptor of all side effects.
    static let warden = SideEffectInterceptor<[String], Action>("warden") { sideEffect, context, next in
        guard let errand = sideEffect as? any PipelineErrandStep else { return try await next() }
        switch errand.step {
        case .pass: try await next()
        case .twice:
            try await next()
            try await next()
        case .never: break
        case .refuse: throw StoreError.overloaded
        case .failAfterwards:
            try await next()
            throw Defect()
        case .retry: do { try await next() } catch { try await next() }
        case .ignore: try? await next()
        case .announce:
            try await next()
            for _ in 0..<2 { errand.announce { context.send($0) } }
        }
    }
}

private protocol PipelineErrandStep {
    var step: Pipeline.Errand { get }
    /// Makes the interceptor send an action of the root.
    func announce(_ send: (Pipeline.Action) -> SendOutcome)
}

/// A side effect that dispatches an action, and sends one.
struct PipelineErrand<State: Sendable>: SideEffect, PipelineErrandStep {
    let number: Int
    let step: Pipeline.Errand
    let place: Pipeline.Place
    let system: PipelineSystem
    private let runs = Collector<Void>()

    init(number: Int, step: Pipeline.Errand, place: Pipeline.Place, system: PipelineSystem) {
        (self.number, self.step, self.place, self.system) = (number, step, place, system)
    }

    func run(_ context: SideEffectContext<State, Pipeline.Action>) async throws -> Int {
        system.events.append(.ran(number))
        runs.append(())
        if step != .announce { await dispatch { (action) throws(StoreError) in try await context.dispatch(action) } }
        send(at: place) { context.send($0) }
        if step.fails, runs.elements.count == 1 { throw Pipeline.Defect() }
        return number
    }

    private func dispatch(_ body: (Pipeline.Action) async throws(StoreError) -> StoreTask) async {
        let action = system.offers.add(Pipeline.Action(place: place), .fed)
        do throws(StoreError) {
            _ = try await body(action)
            system.events.append(.settled(action.number, .returned))
        } catch {
            system.events.append(.settled(action.number, .threw(error)))
        }
    }

    func announce(_ send: (Pipeline.Action) -> SendOutcome) { self.send(at: .root, send) }

    private func send(at place: Pipeline.Place, _ send: (Pipeline.Action) -> SendOutcome) {
        let action = system.offers.add(Pipeline.Action(place: place), .fed)
        system.events.append(.settled(action.number, .sent(send(action))))
    }
}
