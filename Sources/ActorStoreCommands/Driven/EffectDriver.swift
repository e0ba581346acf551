import ActorStore
import ActorStoreComposition

/// Starts and cancels the effects that a part of a store's state requests.
///
/// It is notified in the turn in which the part has changed, before the effects of that turn's action are registered.
/// So an effect is registered with the store before the next action is reduced, and an effect that is no longer
/// requested is cancelled in the turn that ends the request, whether it has begun or not. Tasks start after all
/// observers have been notified.
@usableFromInline
final class EffectDriver<State: Sendable, Action: Sendable, Key: Hashable & Sendable, Cause: Equatable & Sendable>:
    @unchecked Sendable
{
    // Sound: all variables are accessed only within the turn of the tree; everything else is constant or atomic.

    @usableFromInline typealias Ask = @Sendable (_ key: Key, _ cause: Cause, State) -> DrivenEffect<State, Action>
    @usableFromInline typealias IsCurrent = @Sendable (_ key: Key, _ cause: Cause, State) -> Bool

    /// Access to the store, which does not retain a child; nil after the end. It retains the core, which retains the
    /// observer that notifies the driver. At the end of the store, the core releases that observer, and the driver
    /// releases this.
    private var host: EffectDriverHost<State, Action>?
    private let ask: Ask
    /// Whether the state still requests a postponed effect.
    private let isCurrent: IsCurrent
    private let delay: @Sendable (Cause) -> Duration
    private let clock: any Clock<Duration>
    private let owner: DrivenEffectOwner?
    /// The source location of the call that creates the driver.
    let source: CodeLocation
    private var runs = DrivenRuns<Key, Cause>()
    private var postponements: [Key: Postponement] = [:]
    /// The observation that notifies the driver.
    private var observation: StoreObservation?
    /// The tree's number of the table whose entries drive the effects, while the tree examines that table.
    private var table: UInt64?
    /// Whether the driver was cancelled. Pairs: the store of the cancelling thread with the load before each call of
    /// `ask`.
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

    /// Applies the cause that the state has under a key, if any.
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

    /// Has the tree examine the table whose entries drive the effects after each action of a batch. Runs within the
    /// turn.
    ///
    /// - Parameter check: Registers the table, and has the driver notified of removed entries.
    @usableFromInline
    func watch(_ check: (EffectDriverHost<State, Action>) -> UInt64?) {
        if table == nil, let host { table = check(host) }
    }

    /// Whether the state requests any effect. Read within the turn.
    @usableFromInline var isAsked: Bool { !runs.causes.isEmpty }

    /// Records that an entry was removed in the middle of a turn. If another entry has its key at the end of the turn,
    /// that entry's effect is another one, even if its cause is equal. Runs within the turn.
    ///
    /// - Parameter cause: Returns the cause under the key at the end of the turn, if any.
    @usableFromInline
    func leave(_ key: Key, _ cause: @escaping () -> Cause?) {
        guard let host, runs.leave(key) else { return }
        // After the observer, which is not notified if the table is unchanged at the end.
        host.afterObservers { [self] in
            if runs.hasLeft(key) { follow(cause(), for: key) }
        }
    }

    /// Retains the observation that notifies the driver, until the end.
    func hold(_ observation: StoreObservation) {
        if host == nil { observation.cancel() } else { self.observation = observation }
    }

    /// Prevents further calls of `ask`. Can be called from any thread; ``end()`` follows in a turn.
    func cancel() { cancellation.note() }

    /// Cancels all effects and postponements, and deactivates the driver.
    @usableFromInline
    func end() {
        guard let host else { return }
        self.host = nil
        // Released like the observation: after the turn if that was cancelled, and in the background if it has ended.
        if let table { host.stopChecking(table, inBackground: !cancellation.isNoted) }
        for postponement in postponements.values { postponement.cancel(isEnd: true) }
        host.abandon(postponements)
        postponements = [:]
        host.abandon(runs.causes)
        runs.removeAll()
        host.take(.cancelAll(below: ownPath))
        // Moved out of the property first, because the observation retains this driver.
        let observation = observation
        self.observation = nil
        observation?.cancel()
        host.startEffectsIfIdle()
    }

    private func begin(_ cause: Cause, for key: Key) {
        // The driver may have been cancelled by a thread whose message arrives later, or between calls of `ask` for the
        // entries of one table.
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

    /// Asks again for a postponed effect that is due.
    private func askAgain(_ cause: Cause, for key: Key) {
        // This may be notified of a change before `follow` is, which ends what the state no longer requests.
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
            // The wait fails only if it is cancelled, and then the effect after it is cancelled, too.
            nil
        }
        return .concatenate(wait, effect)
    }

    /// The path of all effects of this driver.
    private var ownPath: EffectPath {
        EffectPath(.attachment(EffectID(DriverIdentity(driver: ObjectIdentifier(self)))))
    }

    private func path(of key: Key) -> EffectPath { ownPath + EffectPath(.element(of: key)) }
}

/// Distinguishes the effects of one driver from those of other drivers and of attached reducers.
private struct DriverIdentity: Hashable {
    let driver: ObjectIdentifier
}

/// An object whose release ends effects. It is not retained.
@usableFromInline
struct DrivenEffectOwner: Sendable {
    private weak var object: (any AnyObject & Sendable)?

    @usableFromInline
    init(_ object: any AnyObject & Sendable) { self.object = object }

    var isGone: Bool { object == nil }
}
