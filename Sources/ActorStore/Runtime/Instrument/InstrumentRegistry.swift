import Synchronization

/// The instruments of a tree, and what is recorded for them between events. Created for the first instrument, and kept
/// from then on.
@usableFromInline
final class InstrumentRegistry: @unchecked Sendable {
    // Sound: constants, an atomic, and what is accessed only in the turn of the tree.

    /// The time of an event that happens now: that of a clock, since a fixed zero.
    let now: @Sendable () -> Duration
    private let weakRoot: WeakReference<TreeRoot>
    var root: TreeRoot? { weakRoot.object }
    /// The number of instruments that are installed, or about to be.
    let count = AtomicValue<Int>(0)

    // MARK: In the turn

    private var installed: [Installed] = []
    /// The events of a batch, during which no user code may run.
    private var heldBack: [InstrumentEvent] = []
    private var lastAction: UInt64 = 0
    private var lastEffect: UInt64 = 0
    /// The action of the turn, or the last one of a batch, until the turn is over.
    private var accepted: AcceptedAction?
    /// The number of actions in the batch after the one whose effects are being registered.
    var laterActions: UInt64 = 0
    private var reductionStart = Duration.zero
    /// The time at which the message that is being read was accepted.
    private var arrival: Duration?

    /// The time since the continuous clock was first used for an instrument. All trees share this zero, so that their
    /// times can be compared.
    private static let continuous = Stopwatch(ContinuousClock())

    init(clock: any Clock<Duration>, root: TreeRoot) {
        now = (clock is ContinuousClock ? Self.continuous : Stopwatch(clock)).elapsed
        weakRoot = WeakReference(root)
    }

    // MARK: Instruments

    /// Whether no instruments are installed. Used within the turn.
    var isEmpty: Bool { installed.isEmpty }

    /// Whether instruments are installed, or about to be. For code outside the turn.
    var hasInstruments: Bool { count.loadRelaxed() > 0 }

    func install(_ instrument: any StoreInstrument, _ identity: InterceptorIdentity) {
        installed.append(Installed(identity: identity, instrument: instrument, effectsBefore: lastEffect))
    }

    /// Removes an instrument.
    ///
    /// - Returns: The instrument, to be released after the turn has been passed on.
    func uninstall(_ identity: InterceptorIdentity) -> (any StoreInstrument)? {
        guard let removed = installed.uninstall(identity) else { return nil }
        count.subtractRelaxed(1)
        return removed.instrument
    }

    /// Releases the instruments, because the tree is released. What effects leave behind may still retain the registry,
    /// and instruments may retain what effects leave behind.
    func removeAll() {
        // Moved out of the array: a release can run user code.
        let removed = installed
        installed = []
        count.storeRelaxed(0)
        withExtendedLifetime(removed) {}
    }

    func tell(_ event: InstrumentEvent) {
        for entry in installed { entry.instrument.record(event) }
    }

    /// Records the end of an effect with the instruments that recorded its beginning.
    func tell(_ event: InstrumentEvent, ofEndOf effect: BegunEffect) {
        for entry in installed where entry.effectsBefore < effect.number { entry.instrument.record(event) }
    }

    private func tell(_ event: InstrumentEvent, isInBatch: Bool) {
        if isInBatch { heldBack.append(event) } else { tell(event) }
    }

    // MARK: Actions

    /// Reads a message that was accepted some time ago.
    @usableFromInline
    func reading(since arrival: Duration, _ read: () -> Void) {
        self.arrival = arrival
        read()
        self.arrival = nil
    }

    @usableFromInline
    func beginReduction(of action: any Sendable, by store: String, isInBatch: Bool) {
        lastAction += 1
        let now = self.now()
        let accepted = AcceptedAction(
            store: store,
            number: lastAction,
            action: action,
            time: now,
            waiting: arrival.map { now - $0 } ?? .zero
        )
        self.accepted = accepted
        tell(.actionAccepted(accepted), isInBatch: isInBatch)
        reductionStart = self.now()
    }

    @usableFromInline
    func endReduction(_ refusal: StoreError?, revision: UInt64, isInBatch: Bool) {
        guard let accepted else { return }
        let now = self.now()
        if let refusal {
            let dropped = DroppedAction(
                store: accepted.store,
                number: accepted.number,
                action: accepted.action,
                time: now,
                reason: .rejected(refusal),
                count: 1
            )
            return tell(.actionDropped(dropped), isInBatch: isInBatch)
        }
        let reduced = ReducedAction(
            store: accepted.store,
            number: accepted.number,
            action: accepted.action,
            time: reductionStart,
            duration: now - reductionStart,
            revision: revision
        )
        tell(.actionReduced(reduced), isInBatch: isInBatch)
    }

    /// Records the events of a batch, which is over.
    @usableFromInline
    func catchUp() {
        let events = heldBack
        guard !events.isEmpty else { return }
        heldBack = []
        for event in events { tell(event) }
    }

    /// Notifies observers, and records how long that took.
    @usableFromInline
    func notifying(_ observers: Int, _ notify: () -> Void) {
        guard observers > 0, let accepted else { return notify() }
        let start = now()
        notify()
        let notified = NotifiedObservers(
            store: accepted.store,
            number: accepted.number,
            time: start,
            duration: now() - start,
            observers: observers
        )
        tell(.observersNotified(notified))
    }

    /// Ends the turn of an action, which does not cause what begins from now on.
    @usableFromInline
    func forgetAction() { accepted = nil }

    // MARK: Effects

    /// Runs `body`. What begins meanwhile is recorded without a cause.
    func withoutCause(_ body: () -> Void) {
        let action = accepted
        accepted = nil
        body()
        accepted = action
    }

    /// Records that the task of an effect is about to be started.
    func begin(_ job: EffectJob, of store: String) {
        lastEffect += 1
        let effect = BegunEffect(
            store: store,
            number: lastEffect,
            id: job.id,
            source: job.options.source,
            cause: accepted.map { $0.number - laterActions },
            time: now(),
            isWaiting: job.wait != nil
        )
        job.told = TracedEffect(registry: self, effect: effect)
        tell(.effectBegan(effect))
    }
}

extension InstrumentRegistry {
    private struct Installed: IdentifiedUse {
        let identity: InterceptorIdentity
        let instrument: any StoreInstrument
        /// The number of effects that had begun when the instrument was installed.
        let effectsBefore: UInt64
    }
}

/// An effect whose beginning instruments have recorded, and whose end they are to record.
final class TracedEffect: Sendable {
    private let registry: InstrumentRegistry
    private let effect: BegunEffect

    init(registry: InstrumentRegistry, effect: BegunEffect) {
        self.registry = registry
        self.effect = effect
    }

    /// The time of the instruments' clock. Can be read on any thread.
    var now: Duration { registry.now() }

    /// Records that the effect has ended. Called within the turn.
    ///
    /// - Parameters:
    ///   - time: When the effect ended, which was before the turn.
    ///   - isCancelled: Whether the effect was cancelled.
    ///   - failure: The error that the effect threw, if any.
    func end(at time: Duration, isCancelled: Bool, failure: (any Error)?) {
        let end = EndedEffect(effect: effect, time: time)
        let event: InstrumentEvent =
            if let failure { .effectFailed(end, failure) } else if isCancelled { .effectCancelled(end) } else {
                .effectEnded(end)
            }
        registry.tell(event, ofEndOf: effect)
    }
}
