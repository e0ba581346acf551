import Synchronization

/// What few stores need, in an object of its own, so that it takes no room in the others. In the turn.
final class RareParts {
    var effectWaiters: [EffectWaiter] = []
    var shutdownsByEffects: [EffectWaiter] = []
    /// Those who wait for the end of the tree.
    var endWaiters: [Settlement<Void>] = []
    var failures = FailureLog()
    /// How many stores below the root are observed.
    var observedNodes = 0
    /// The stores of the tree below the root.
    var nodes: [UInt64: TreeNode] = [:]
    /// How many stores below the root there have been.
    var numberOfNodes: UInt64 = 0
    /// The elements of collections that are observed as stores, as far as they are observed.
    var elements: [ObjectIdentifier: StateSource] = [:]
    /// The states that are made of others, as far as they are observed.
    var derived: [DerivedSource] = []
    /// What ends when all have been told of the change that is being told.
    var endings: [Ending] = []
    /// Have the elements remembered of which there was a memory from the middle of this turn, by their children.
    var rememberedElements: [ObjectIdentifier: () -> Void] = [:]
    /// Whether that is being ended which goes with a change.
    var isEndingWhatHasGone = false
    /// Those who end with the root.
    var guests = GuestList()
    /// How many guests the root and the stores below it have had.
    var numberOfGuests: UInt64 = 0
    /// The asynchronous interceptors of the root, if there ever were any: an array, whose type only the root knows.
    var asyncInterceptors: (any Sendable)?
    /// What the state has asked for in this turn.
    var drivenWork = DrivenWork()

    /// Something that ends when all have been told of a change.
    struct Ending {
        /// The memory of what has gone, whose observers are told the last that it was.
        let gone: StateSource
        let end: () -> Void
    }

    deinit { failures.reportUnobserved() }
}

extension TreeRoot {
    private final var parts: RareParts {
        if let lazyParts { return lazyParts }
        let parts = RareParts()
        lazyParts = parts
        return parts
    }

    /// The shutdowns of the tree that wait until all its effects have ended.
    final var effectWaiters: [EffectWaiter] {
        get { lazyParts?.effectWaiters ?? [] }
        _modify { yield &parts.effectWaiters }
    }

    /// The shutdowns, of the tree and of its branches, that do not wait for the effects that have asked for them.
    final var shutdownsByEffects: [EffectWaiter] {
        get { lazyParts?.shutdownsByEffects ?? [] }
        _modify { yield &parts.shutdownsByEffects }
    }

    /// Those who wait for the end of the tree.
    final var endWaiters: [Settlement<Void>] {
        get { lazyParts?.endWaiters ?? [] }
        _modify { yield &parts.endWaiters }
    }

    final var failures: FailureLog {
        get { lazyParts?.failures ?? FailureLog() }
        _modify {
            yield &parts.failures
            failureCount.storeRelaxed(parts.failures.count)
        }
    }

    final var lazyAsyncInterceptors: (any Sendable)? {
        get { lazyParts?.asyncInterceptors }
        set { parts.asyncInterceptors = newValue }
    }

    /// How many stores below the root are observed.
    final var observedNodes: Int {
        get { lazyParts?.observedNodes ?? 0 }
        _modify { yield &parts.observedNodes }
    }

    /// The stores of the tree below the root.
    final var nodes: [UInt64: TreeNode] {
        get { lazyParts?.nodes ?? [:] }
        _modify { yield &parts.nodes }
    }

    /// The number of a store that joins the tree. In the turn.
    final func nextNodeNumber() -> UInt64 {
        parts.numberOfNodes += 1
        return parts.numberOfNodes
    }

    /// The elements of collections that are observed as stores, as far as they are observed.
    final var elements: [ObjectIdentifier: StateSource] {
        get { lazyParts?.elements ?? [:] }
        _modify { yield &parts.elements }
    }

    /// The states that are made of others, as far as they are observed.
    final var derived: [DerivedSource] {
        get { lazyParts?.derived ?? [] }
        _modify {
            yield &parts.derived
            hasDerived = !parts.derived.isEmpty
        }
    }

    /// Takes note that an element has been remembered in the middle of a turn. In the turn.
    @usableFromInline
    final func noteMemory(of node: TreeNode, _ remember: @escaping () -> Void) {
        parts.rememberedElements[ObjectIdentifier(node)] = remember
    }

    /// Has elements remembered as the turn has left them, if there are memories from the middle of it: the observers of a table are
    /// told only of what differs from what they were told before. In the turn, before observers are told.
    @usableFromInline
    final func renewMemories() {
        hasChangedElement = false
        guard let lazyParts, !lazyParts.rememberedElements.isEmpty else { return }
        let remembered = lazyParts.rememberedElements
        lazyParts.rememberedElements = [:]
        for remember in remembered.values { remember() }
    }

    /// What ends when all have been told of the change that is being told.
    final var endings: [RareParts.Ending] {
        get { lazyParts?.endings ?? [] }
        _modify {
            yield &parts.endings
            hasEndings = !parts.endings.isEmpty
        }
    }

    /// Whether that is being ended which goes with a change. In the turn.
    final var isEndingWhatHasGone: Bool {
        get { lazyParts?.isEndingWhatHasGone ?? false }
        set { parts.isEndingWhatHasGone = newValue }
    }

    /// Those who end with the root.
    final var guests: GuestList {
        get { lazyParts?.guests ?? GuestList() }
        _modify { yield &parts.guests }
    }

    /// The number of a guest of a store of the tree. In the turn.
    final func nextGuestNumber() -> UInt64 {
        parts.numberOfGuests += 1
        return parts.numberOfGuests
    }

    /// What the state has asked for in this turn.
    final var drivenWork: DrivenWork {
        get { lazyParts?.drivenWork ?? DrivenWork() }
        _modify {
            yield &parts.drivenWork
            hasDrivenEffects = parts.drivenWork.isNeeded
        }
    }
}
