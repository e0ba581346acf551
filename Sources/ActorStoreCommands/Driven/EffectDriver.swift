import ActorStore
import ActorStoreComposition

/// Carries out in one store what a part of its state asks for.
///
/// It is told in the turn in which the part has changed, before the effects of that turn's action are taken on. So an
/// effect is on the store's account before the next action is reduced, and one that the state no longer asks for is
/// cancelled in the turn that says so, begun or not. Tasks are started when all observers have been told.
@usableFromInline
final class EffectDriver<State: Sendable, Action: Sendable, Key: Hashable & Sendable, Cause: Equatable & Sendable>:
    @unchecked Sendable
{
    // Sound: all variables are touched only in the turn of the tree; everything else is constant or atomic.

    @usableFromInline typealias Ask = @Sendable (_ key: Key, _ cause: Cause, State) -> DrivenEffect<State, Action>
    @usableFromInline typealias IsCurrent = @Sendable (_ key: Key, _ cause: Cause, State) -> Bool

    /// The way to the store, which keeps nobody's child alive; nil when it is over. It holds the core, which holds the
    /// observer that tells the driver: the core lets go of that at the end of the store, and the driver of this.
    private var host: EffectDriverHost<State, Action>?
    private let ask: Ask
    /// Whether a state asks for what was postponed still.
    private let isCurrent: IsCurrent
    private let delay: @Sendable (Cause) -> Duration
    private let clock: any Clock<Duration>
    private let owner: DrivenEffectOwner?
    /// Where it is written that a part of the state asks for effects.
    let source: CodeLocation
    private var runs = DrivenRuns<Key, Cause>()
    private var postponements: [Key: Postponement] = [:]
    /// By which it is told.
    private var observation: StoreObservation?
    /// The number in the tree of the table by whose entries it is driven, while the tree looks at that.
    private var table: UInt64?
    /// Whether it asks for nothing more. Pairs: the store of the thread that cancels with the load before each
    /// question.
    private let cancellation = CancellationNote()

    @usableFromInline
    init(
        host: EffectDriverHost<State, Action>,
        owner: DrivenEffectOwner?,
        source: CodeLocation,
        clock: any Clock<Duration>,
        delay: @escaping @Sendable (Cause) -> Duration,
        isCurrent: @escaping IsCurrent,
        ask: @escaping Ask
    ) {
        self.host = host
        self.owner = owner
        self.source = source
        self.clock = clock
        self.delay = delay
        self.isCurrent = isCurrent
        self.ask = ask
    }

    /// Takes note of what the state asks for under a key, if anything.
    @usableFromInline
    func follow(_ cause: Cause?, for key: Key) {
        guard let host else { return }
        if host.hasEnded || owner?.isGone == true { return end() }
        let former = runs.causes[key]
        let step = runs.follow(cause, for: key)
        if step.ends {
            if let former { host.retire(former) }
            postponements.removeValue(forKey: key)?.cancel()
            host.take(.cancelAll(below: path(of: key)))
        }
        if let cause = step.begins { begin(cause, for: key) }
    }

    /// Has the tree look at the table between the actions of a batch by whose entries it is driven. In the turn.
    ///
    /// - Parameter look: Has it looked at, and this told of what has gone.
    @usableFromInline
    func watch(_ look: (EffectDriverHost<State, Action>) -> UInt64?) {
        if table == nil, let host { table = look(host) }
    }

    /// Whether the state asks for anything. In the turn.
    @usableFromInline var isAsked: Bool { !runs.causes.isEmpty }

    /// Takes note that an entry has gone in the middle of a turn. If another one has come under its key by the end of
    /// that, its effect is another one, also if it is asked for in the same way. In the turn.
    ///
    /// - Parameter cause: What is asked for under the key at the end of the turn, if anything.
    @usableFromInline
    func leave(_ key: Key, _ cause: @escaping () -> Cause?) {
        guard let host, runs.leave(key) else { return }
        // After the observer, which is not told anything if the table is as it was.
        host.afterObservers { [self] in
            if runs.hasLeft(key) { follow(cause(), for: key) }
        }
    }

    /// Takes note of by what it is told, which it keeps until the end.
    func hold(_ observation: StoreObservation) {
        if host == nil { observation.cancel() } else { self.observation = observation }
    }

    /// From now on no closure is called. From any thread; ``end()`` follows in a turn.
    func cancel() { cancellation.note() }

    /// Cancels everything, and does nothing more.
    @usableFromInline
    func end() {
        guard let host else { return }
        self.host = nil
        // As what tells it is released: after the turn if that was cancelled, and in the background if it has ended.
        if let table { host.stopLooking(at: table, inBackground: !cancellation.isNoted) }
        for postponement in postponements.values { postponement.cancel(isEnd: true) }
        host.abandon(postponements)
        postponements = [:]
        host.abandon(runs.causes)
        runs.removeAll()
        host.take(.cancelAll(below: ownPath))
        // Carried out of here, because it holds this.
        let observation = observation
        self.observation = nil
        observation?.cancel()
        host.startEffectsIfIdle()
    }

    private func begin(_ cause: Cause, for key: Key) {
        // Cancelled by a thread whose message comes later, or between the questions for the entries of one table.
        guard !cancellation.isNoted, let host, !host.hasLeft else { return }
        let state = host.state
        switch host.whileDependenciesAreInForce({ ask(key, cause, state).kind }) {
        case .none:
            break
        case .effect(let make):
            host.take(delayed(make(host.store), by: delay(cause)).scoped(to: path(of: key)))
        case .postponed(let wait):
            let source = DrivenSource { [weak self] in self?.askAgain(cause, for: key) }
            postponements[key] = wait(host, state, source)
        }
    }

    /// What was postponed is due.
    private func askAgain(_ cause: Cause, for key: Key) {
        // This may be told of a change before `follow` is, which ends what the state asks for no longer.
        guard !runs.hasLeft(key), let host, isCurrent(key, cause, host.state),
            let postponement = postponements.removeValue(forKey: key)
        else { return }
        postponement.cancel()
        if owner?.isGone == true { return end() }
        begin(cause, for: key)
        host.startEffectsIfIdle()
    }

    private func delayed(_ effect: Effect<Action>, by delay: Duration) -> Effect<Action> {
        guard delay > .zero else { return effect }
        let wait: Effect<Action> = .run(fileID: source.fileID, line: source.line) { [clock] _ in
            try await clock.sleep(for: delay.boundedWait)
        } catch: { _ in
            // It ends before its time only when it is cancelled, and then what comes after it is, too.
            nil
        }
        return .concatenate(wait, effect)
    }

    /// What is asked for by this driver.
    private var ownPath: EffectPath {
        EffectPath(.attachment(EffectID(DriverIdentity(driver: ObjectIdentifier(self)))))
    }

    private func path(of key: Key) -> EffectPath { ownPath + EffectPath(.element(of: key)) }
}

/// What tells the effects of one driver from those of others, and of attached reducers.
private struct DriverIdentity: Hashable {
    let driver: ObjectIdentifier
}

/// An object with which effects end, and which they do not keep alive.
@usableFromInline
struct DrivenEffectOwner: Sendable {
    private weak let object: (any AnyObject & Sendable)?

    @usableFromInline
    init(_ object: any AnyObject & Sendable) { self.object = object }

    var isGone: Bool { object == nil }
}
