/// What a store keeps of its effects, made when the first one is asked for.
@usableFromInline
final class EffectAccount: @unchecked Sendable {
    // Sound: touched only in the turn.

    /// Which effects run.
    var machine = EffectMachine()

    /// Takes an effect off the account that has ended, and whose last action was reduced.
    func forget(_ handle: EffectHandle) { machine.forget(handle) }

    /// How many actions that reducers have asked to be sent wait in the mailbox; counted for children only, because the
    /// shutdown of a root looks until nothing more is reduced.
    var waitingReplies = 0

    /// Whether nothing is on hand besides some pieces of work.
    func isEmpty(except exceptions: HeldUpEffects) -> Bool {
        waitingReplies == 0 && machine.registry.isEmpty(except: exceptions)
    }
}
