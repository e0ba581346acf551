/// An effect as a store carries it out: each piece of work has got its handle, so that it can be cancelled before it
/// begins.
indirect enum EffectPlan<Action: Sendable>: Sendable {
    /// With a handle if it has to wait, and can be cancelled with a child meanwhile.
    case send(Action, EffectScope, EffectHandle?, number: UInt64)
    case cancel(EffectID, EffectPath, number: UInt64)
    case cancelAll(EffectCancellation, number: UInt64)
    case report(StoreFailure)
    case run(EffectWork<Action>, EffectHandle)
    case merge([EffectPlan])
    case concatenate([EffectPlan])
}

/// Whose effect a plan is a part of.
struct EffectScope: Sendable {
    var path = EffectPath()
    /// Whether it goes on when the child is gone.
    var isDetached = false
    /// Whether it has to wait until something before it has ended.
    var waits = false

    /// Whether it can be cancelled by the end of a child.
    var endsWithChild: Bool { !path.isEmpty && !isDetached }
}

/// The place of a sequence of plans in the whole: what comes next, and how much of what was begun still runs.
final class EffectNode<Action: Sendable>: @unchecked Sendable {
    // Sound: tasks carry nodes, but only the owner of the store's turn looks into them.
    let parent: EffectNode?
    let tracker: EffectTracker
    var rest: ArraySlice<EffectPlan<Action>>
    var running = 0

    init(parent: EffectNode?, tracker: EffectTracker, plans: [EffectPlan<Action>]) {
        self.parent = parent
        self.tracker = tracker
        rest = plans[...]
    }
}

/// A piece of work whose time has come.
@usableFromInline
struct EffectStart<Action: Sendable>: Sendable {
    let work: EffectWork<Action>
    let handle: EffectHandle
    let node: EffectNode<Action>
}

/// What is to be done outside the store's turn after an action: the tasks to start.
@usableFromInline
struct EffectLaunch<Action: Sendable>: Sendable {
    @usableFromInline var starts: [EffectStart<Action>] = []
    /// What the action's ``StoreTask`` holds on to; nil if there is nothing to wait for.
    @usableFromInline var tracker: EffectTracker?

    @inlinable
    init() {}

    /// Whether there is anything to start.
    @inlinable var isNeeded: Bool { !starts.isEmpty }
}
