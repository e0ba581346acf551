import ActorStoreSimulation

@testable import ActorStore

/// Makes effects from their descriptions. They log their steps; an effect's line is its number.
struct WorkMaker: Sendable {
    typealias Action = Bureau.WorkAction

    let simulation: Simulation
    let log: BureauLog
    let token: Bureau.Token

    func effect(of action: Action) -> Effect<Action> {
        switch action {
        case .ask(let request, let base, _): effect(of: request, base)
        case .note(let note, let next): next.map { effect(of: $0, note.sender / 1_000 * 1_000) } ?? .none
        }
    }

    private func effect(of request: WorkRequest, _ base: Int) -> Effect<Action> {
        let effect = effect(of: request.work, base).mapWork { [log] work in
            let (number, body) = (Int(work.options.source.line), work.body)
            work.body = { send in
                log.append(.opened(number))
                do {
                    try await body(send)
                    log.append(.left(number, .success))
                } catch {
                    log.append(.left(number, BureauLog.Outcome(error)))
                    throw error
                }
            }
        }
        return request.isDetached ? effect.detached() : effect
    }

    private func effect(of work: Work, _ base: Int) -> Effect<Action> {
        switch work {
        case .piece(let piece): return effect(of: piece, base)
        case .send(let index, let next): return .send(.note(WorkNote(sender: base + index, beat: 0), next))
        case .cancel(let index, let key): return .cancel(id: key.identity(index))
        case .merge(let parts): return .merge(parts.map { effect(of: $0, base) })
        case .concatenate(let parts): return .concatenate(parts.map { effect(of: $0, base) })
        case .group(let index, let terms, let inner): return apply(terms, to: effect(of: inner, base), index)
        case .delayed(let index, let milliseconds, let parts):
            return .concatenate(parts.map { effect(of: $0, base) })
                .delay(for: .milliseconds(milliseconds), clock: simulation.clock, line: UInt(base + index))
        case .limited(let tenths, let isHandled, let inner):
            return limit(effect(of: inner, base), tenths, isHandled)
        case .cancelledOnShutdown(_, let inner): return effect(of: inner, base).cancelOnShutdown()
        }
    }

    /// Groups created by it are in line 0.
    private func apply(_ terms: WorkTerms, to effect: Effect<Action>, _ index: Int) -> Effect<Action> {
        let (id, clock) = (terms.key.identity(index), simulation.clock)
        switch terms.timing {
        case nil: return effect.cancellable(id: id, policy: terms.policy, line: 0)
        case .debounce(let milliseconds, let maxWait):
            return effect.debounce(
                id: id,
                for: .milliseconds(milliseconds),
                maxWait: maxWait.map { .milliseconds($0) },
                cancelInFlight: terms.policy == .cancelInFlight,
                clock: clock,
                line: 0
            )
        case .throttle(let milliseconds, let latest):
            return effect.throttle(id: id, for: .milliseconds(milliseconds), latest: latest, clock: clock, line: 0)
        }
    }

    private func limit(_ effect: Effect<Action>, _ tenths: Int, _ isHandled: Bool) -> Effect<Action> {
        guard isHandled else { return effect.timeout(after: .microseconds(tenths * 100), clock: simulation.clock) }
        return effect.timeout(after: .microseconds(tenths * 100), clock: simulation.clock) { [log] in
            let note = WorkNote.timedOut((EffectJob.current?.options.source.line).map { Int($0) } ?? 0)
            log.append(.sends(note, nil))
            return .note(note, nil)
        }
    }

    private func effect(of piece: WorkPiece, _ base: Int) -> Effect<Action> {
        let number = base + piece.index
        var effect = effect(of: piece.body, number)
        for wrapper in piece.wrappers {
            switch wrapper {
            case .delay(let milliseconds):
                effect = effect.delay(for: .milliseconds(milliseconds), clock: simulation.clock)
            case .limit(let tenths, let isHandled):
                effect = limit(effect, tenths, isHandled)
            case .retry(let attempts, let pause):
                let policy = RetryPolicy(
                    maxAttempts: attempts,
                    backoff: pause > 0 ? .constant(.milliseconds(pause)) : .none
                )
                effect = effect.retry(policy, clock: simulation.clock)
            }
        }
        // It has no end of its own.
        if piece.isTimer { effect = effect.cancelOnShutdown() }
        guard let terms = piece.terms else { return effect }
        return apply(terms, to: effect, piece.index)
    }

    private func effect(of body: WorkPiece.Body, _ number: Int) -> Effect<Action> {
        switch body {
        case .timer(let milliseconds):
            let (interval, clock) = (Duration.milliseconds(milliseconds), simulation.clock)
            return .timer(every: interval, clock: clock, line: UInt(number)) { [log] tick in
                let note = WorkNote(sender: number, attempt: RetryAttempt.current?.number ?? 1, beat: tick.number - 1)
                log.append(.sends(note, nil))
                return .note(note, nil)
            }
        case .script(let beats, let failures, let isCaught):
            let work = Effect<Action>.run(line: UInt(number)) { [self] send in
                try await perform(beats, failures, number, send)
            }
            guard isCaught else { return work }
            return work.catch { [log] _ in
                log.append(.sends(.caught(number), nil))
                return .note(.caught(number), nil)
            }
        }
    }

    private func perform(
        _ beats: [WorkPiece.Beat],
        _ failures: Int,
        _ number: Int,
        _ send: Send<Action>
    ) async throws {
        defer { withExtendedLifetime(token) {} }
        let attempt = RetryAttempt.current?.number ?? 1
        log.append(.entered(number, attempt: attempt))
        do {
            for (index, beat) in beats.enumerated() {
                if beat.pause > 0 { try await simulation.clock.sleep(for: .milliseconds(beat.pause)) }
                simulation.preempt()
                try await perform(beat, WorkNote(sender: number, attempt: attempt, beat: index), send)
            }
        } catch is CancellationError {
            // It ignores the cancellation at first.
            let isAccepted = send(.note(.late(number), nil)).isAccepted
            log.append(.sent(.late(number), isAccepted: isAccepted))
            throw CancellationError()
        }
        if attempt <= failures { throw BureauLog.Broken() }
    }

    private func perform(_ beat: WorkPiece.Beat, _ note: WorkNote, _ send: Send<Action>) async throws {
        log.append(.sends(note, beat.next))
        guard beat.isAwaited else {
            let isAccepted = send(.note(note, beat.next)).isAccepted
            return log.append(.sent(note, isAccepted: isAccepted))
        }
        do {
            try await send.waitingForRoom(.note(note, beat.next))
            log.append(.sent(note, isAccepted: true))
        } catch {
            log.append(.sent(note, isAccepted: false))
            throw error
        }
    }
}
