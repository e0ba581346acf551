import ActorStore
import ActorStoreSimulation

/// The operations of senders on a pipeline.
enum PipelineOperation: Sendable {
    case send(Pipeline.Place, Pipeline.Script)
    case batch(Pipeline.Place, [Pipeline.Script])
    case dispatch(Pipeline.Place, Pipeline.Script)
    case ask(Pipeline.Place, Pipeline.Script)
    case perform(Pipeline.Place, Pipeline.Script)
    /// A dispatch whose task is cancelled after a number of interleavings.
    case cancel(Pipeline.Place, Pipeline.Script, after: Int)
    case acceptanceTimeout(Pipeline.Place, Pipeline.Script, milliseconds: Int)
    case isolate
    /// Reads the state after all earlier sends, and waits for the first one.
    case read(Pipeline.Place)
    case errand(Pipeline.Place, Pipeline.Errand)
    /// Adds an interceptor, or removes the oldest added one.
    case come(Pipeline.Place, isOutermost: Bool), go
    /// Adds an asynchronous interceptor, or removes the oldest one.
    case comeFirst, goFirst
    /// Adds a further instrument, or removes it.
    case watch
    case pause(milliseconds: Int)
    case end(Pipeline.Place, ShutdownDrain, milliseconds: Int?)
    /// The creation of the store.
    case set(PipelineSetting)

    static func random(using generator: inout SimulationGenerator) -> PipelineOperation {
        let place = generator.element(of: Pipeline.Place.allCases)
        let script = Pipeline.Script.random(using: &generator)
        // Half of the actions of asynchronous interceptors are for them.
        let atRoot = generator.chance(0.5) ? .root : place
        switch generator.number(below: 55) {
        case 0...4: return .send(place, script)
        case 5...7:
            return .batch(place, (0...generator.number(below: 3)).map { _ in .random(using: &generator) })
        case 8...12: return .dispatch(atRoot, script)
        case 13...15: return .ask(atRoot, script)
        case 16, 17: return .perform(atRoot, script)
        case 18...20: return .cancel(atRoot, script, after: generator.number(below: 6))
        case 21...23: return .acceptanceTimeout(atRoot, script, milliseconds: generator.number(below: 8))
        case 24: return .isolate
        case 53, 54: return .read(place)
        case 25, 26, 48...50:
            let errand = generator.chance(0.4) ? .announce : generator.element(of: Pipeline.Errand.allCases)
            return .errand(place, errand)
        case 27, 28: return .come(place, isOutermost: generator.chance(0.5))
        case 29, 30: return .go
        case 31, 32, 51: return .comeFirst
        case 33, 34, 52: return .goFirst
        case 35, 36: return .watch
        case 37, 38: return .pause(milliseconds: generator.number(below: 8))
        case 39, 40:
            let drain = generator.chance(0.5) ? ShutdownDrain.finishEffects : .cancelEffects
            return .end(place, drain, milliseconds: generator.chance(0.5) ? 4 : nil)
        default: return .set(.random(using: &generator))
        }
    }
}

/// The configuration of a pipeline's store.
struct PipelineSetting: Sendable {
    enum Loading: Sendable {
        case quick, failing, stubborn

        /// - Parameter end: The end of the one that ignores its cancellation.
        func load(_ simulation: Simulation, until end: AsyncStream<Never>) async throws -> [String] {
            if self == .stubborn {
                await Task(executorPreference: simulation.executor) { for await _ in end {} }.value
            } else {
                try await simulation.clock.sleep(for: .milliseconds(4))
            }
            if self == .failing { throw Pipeline.Defect() }
            return []
        }
    }

    var mailbox: MailboxCapacity.OverflowPolicy?
    var loading: Loading?
    /// Whether there is an asynchronous interceptor from the beginning.
    var asksFirst = false
    /// Whether an observer occasionally suspends the store.
    var isSuspended = false

    static func random(using generator: inout SimulationGenerator) -> PipelineSetting {
        var setting = PipelineSetting()
        if generator.chance(0.4) {
            setting.mailbox = generator.element(of: [.suspend, .reject, .dropNewest, .dropOldest, .dropOldest])
        }
        if generator.chance(0.3) { setting.loading = generator.element(of: [.quick, .failing, .stubborn]) }
        setting.asksFirst = generator.chance(setting.loading == nil ? 0.3 : 0.7)
        setting.isSuspended = generator.chance(0.4)
        return setting
    }
}

extension SimulatedWorkload<PipelineOperation> {
    /// The settings among its operations, the last of each kind.
    var setting: PipelineSetting {
        steps.reduce(into: PipelineSetting()) { setting, step in
            guard case .set(let part) = step.operation else { return }
            setting.mailbox = part.mailbox ?? setting.mailbox
            setting.loading = part.loading ?? setting.loading
            setting.asksFirst = part.asksFirst || setting.asksFirst
            setting.isSuspended = part.isSuspended || setting.isSuspended
        }
    }
}

// MARK: For failures

extension PipelineSetting: CustomStringConvertible {
    var description: String {
        let parts = [
            mailbox.map { "mailbox \($0)" }, loading.map { "loading \($0)" }, asksFirst ? "asks first" : nil,
            isSuspended ? "suspended" : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}
