/// What a store keeps of its effects, made when the first one is asked for.
@usableFromInline
final class EffectAccount: @unchecked Sendable {
    // Sound: everything but the constant `ends` is touched only in the turn.

    /// Which effects run. In the turn.
    var machine = EffectMachine()
    /// Those that have ended, and are not off the account. Shared with the tasks of effects.
    let ends = EffectEnds()

    /// How many have ended and are on the account still, because actions that they have sent wait.
    private var lingering = 0
    private var lingeringToSweepAt = 64

    /// Takes those off the account that have ended. In the turn.
    func settle() {
        for handle in ends.takeAll() {
            if handle.hasFeedback { lingering += 1 } else { machine.forget(handle) }
        }
        if lingering >= lingeringToSweepAt { sweep() }
    }

    /// Takes one off the account that has ended, and whose last action was reduced. In the turn.
    func forget(_ handle: EffectHandle) {
        lingering = max(0, lingering - 1)
        machine.forget(handle)
    }

    /// Looks for those whose actions gave way to others in the mailbox, of which nobody is told in the turn.
    private func sweep() {
        let ended = machine.registry.active.values.filter(\.hasEnded)
        for handle in ended where !handle.hasFeedback { machine.forget(handle) }
        lingering = ended.count { $0.hasFeedback }
        lingeringToSweepAt = max(64, lingering * 2)
    }

    /// Whether nothing is on hand besides one piece of work, and those that wait for it. In the turn.
    func isEmpty(except exception: EffectHandle?) -> Bool {
        settle()
        return machine.registry.isEmpty(except: exception)
    }

    /// Cancels everything, and begins nothing more. In the turn.
    func close() {
        ends.awaitEach()
        settle()
        machine.close()
    }
}
