/// A piece of work, or a group of them with one identity, from the moment it was asked for until it has ended.
@usableFromInline
final class EffectJob<Action: Sendable>: EffectHandle, @unchecked Sendable {
    // Sound: `work` is written when it is made, and by its own task when that has done it. Everything else is touched only
    // in the turn, or before its task is started.

    /// What is to be done.
    enum Content {
        case work(EffectWork<Action>)
        /// To be begun when the group may begin.
        case group(EffectPlan<Action>)
        case nothing
    }

    private(set) var content: Content
    /// What decides about its beginning, besides its identity.
    let policy: EffectPolicy
    let timing: EffectTiming?
    /// What goes on when it has ended; nil if nothing does.
    var node: EffectNode<Action>?
    /// Those that have ended, of its store. Set before its task is started, and then touched by that alone.
    var ends: EffectEnds?
    /// What its task has to wait for before it does anything.
    var wait: EffectWait?
    /// How long ago the first was asked for of those that it stands for, if it is debounced.
    var burst: Stopwatch?
    /// Its place among those that wait in a queue.
    var place: SuspensionQueue<EffectJob>.Key?
    /// Whether it counts among those that a queue lets run.
    var holdsSlot = false

    init(
        _ content: Content,
        policy: EffectPolicy,
        timing: EffectTiming?,
        number: UInt64,
        id: EffectID?,
        source: SourceLocation,
        scope: EffectScope,
        tracker: EffectTracker
    ) {
        self.content = content
        self.policy = policy
        self.timing = timing
        super.init(
            number: number,
            id: id,
            path: scope.path,
            isDetached: scope.isDetached,
            source: source,
            tracker: tracker
        )
    }

    /// What is to be done by its task; nil if that only waits.
    var work: EffectWork<Action>? {
        if case .work(let work) = content { work } else { nil }
    }

    /// What is to be begun when it may begin, if it is a group.
    var plan: EffectPlan<Action>? {
        if case .group(let plan) = content { plan } else { nil }
    }

    /// The priority of its task, if it has one of its own.
    var priority: TaskPriority? {
        if case .work(let work) = content { work.priority } else { nil }
    }

    /// Whether something in the store depends on its end, and so has to be done in a turn.
    var concernsOthers: Bool {
        if node != nil || isQueued { return true }
        if case .group = content { return true }
        return false
    }

    /// Joins those that have ended, when its task has come to its end.
    ///
    /// - Returns: whether the store should look at them soon.
    func join() -> Bool {
        // Let go of before, because they hold on to it in turn.
        let ends = ends
        self.ends = nil
        return ends?.append(self) ?? false
    }

    /// Lets go of what was to be done, with everything that its closures hold.
    func releaseContent() { content = .nothing }
}

/// What a piece of work waits for before it begins.
enum EffectWait: Sendable {
    case time(Duration, any Clock<Duration>)
    case admission(EffectAdmission)

    /// Returns when it is over, or the task is cancelled.
    nonisolated(nonsending) func callAsFunction() async {
        switch self {
        case .time(let duration, let clock): try? await clock.sleep(for: duration)
        case .admission(let admission): await admission.wait()
        }
    }
}
