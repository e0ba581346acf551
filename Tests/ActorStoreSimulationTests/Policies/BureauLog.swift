import ActorStoreSimulation

@testable import ActorStore
@testable import TestFixtures

/// The events of a bureau, in order, with their times: the input of the model's check.
final class BureauLog: @unchecked Sendable {
    // Sound: all of a simulation runs on one thread; `token` is written before it runs.

    enum Event: Sendable {
        /// The first moment of a reduction, and the last, before its effects are accepted.
        case reduces(Bureau.Action)
        case reduced(Bureau.Action)
        /// The task of an operation is about to start, and waits first or does not.
        case began(Int, isWaiting: Bool)
        /// The outermost code of an operation begins, and ends.
        case opened(Int)
        case left(Int, Outcome)
        /// The script of an operation begins.
        case entered(Int, attempt: Int)
        /// An action is about to be sent, and has been.
        case sends(WorkNote, WorkRequest?)
        case sent(WorkNote, isAccepted: Bool)
        /// The end of an operation, in the turn.
        case ended(Int, Ending)
        case cancelTask(base: Int)
        case cancelAll
        case cancelID(WorkKey)
        case shutDown(ShutdownDrain)
        case hasShutDown
        /// The `StoreTask` of a request has ended, with an error of an effect or without.
        case finished(base: Int, hasFailed: Bool)
    }

    enum Outcome: Sendable, Equatable {
        case success, broken, timedOut, other

        init(_ error: any Error) { self = error is Broken ? .broken : error is TimedOut ? .timedOut : .other }
    }

    enum Ending: Sendable, Equatable { case done, cancelled, failed }

    struct Broken: Error {}

    let events = Collector<(time: Duration, event: Event)>()
    weak var token: Bureau.Token?
    private let simulation: Simulation

    init(_ simulation: Simulation) { self.simulation = simulation }

    func append(_ event: Event) { events.append((simulation.clock.now.offset, event)) }
}

extension BureauLog: StoreInstrument {
    func record(_ event: InstrumentEvent) {
        switch event {
        case .effectBegan(let event):
            guard isPiece(event) else { return }
            append(.began(Int(event.source.line), isWaiting: event.isWaiting))
        case .effectEnded(let event): end(event, .done)
        case .effectCancelled(let event): end(event, .cancelled)
        case .effectFailed(let event, _): end(event, .failed)
        default: break
        }
    }

    /// Whether it is an operation, and not a waiting group, whose times the model derives without the log.
    private func isPiece(_ effect: BegunEffect) -> Bool { effect.source.line > 0 }

    private func end(_ event: EndedEffect, _ ending: Ending) {
        guard isPiece(event.effect) else { return }
        append(.ended(Int(event.effect.source.line), ending))
    }
}
