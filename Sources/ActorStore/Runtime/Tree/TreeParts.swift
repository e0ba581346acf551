import Synchronization

/// What few trees need, in an object of its own, so that it takes no room in the others. In the turn.
final class TreeParts {
    var shutdownsByEffects = ShutdownsByEffects()
    var failures = FailureLog()
    /// How many stores below the root are observed.
    var observedNodes = 0
    /// The elements of collections that are observed as stores, as far as they are observed.
    var elements = ArrivalTable<ObjectIdentifier, ObservableStorage>()
    /// The states that are made of others, as far as they are observed.
    var derived = DerivedStorages()
    /// What ends when all have been told of the change that is being told.
    var endings: [Ending] = []
    /// Have the elements remembered of which there was a memory from the middle of this turn, by their children.
    var rememberedElements = ArrivalTable<ObjectIdentifier, () -> Void>()
    /// Look for entries that have gone in the middle of a turn.
    var tableLooks = TableLooks()
    /// The revisions of the action of which observers are being told, and of the state that they are told with it.
    var published: (action: UInt64, state: UInt64) = (0, 0)
    /// Whether that is being ended which goes with a change.
    var isEndingWhatHasGone = false
    /// The interceptors of the tree's side effects, if there ever were any: an array, whose type only these know.
    var workInterceptors: [WorkInterceptor] = []
    /// Whether an interceptor keeps the actions of the root, see ``Interceptor/keepsActions``.
    var keepsActions = false
    /// What the state has asked for in this turn.
    var drivenWork = DrivenWork()
    /// Renew what is remembered of the state from one action to the next, by what it is remembered for.
    var renewals = ArrivalTable<ObjectIdentifier, [() -> Void]>()

    /// Something that ends when all have been told of a change.
    struct Ending {
        /// The memory of what has gone, whose observers are told the last that it was.
        let gone: ObservableStorage
        let end: () -> Void
    }

    deinit { failures.reportUnobserved() }
}

extension TreeRoot {
    private final var treeParts: TreeParts {
        if let lazyTreeParts { return lazyTreeParts }
        let parts = TreeParts()
        lazyTreeParts = parts
        return parts
    }

    /// The shutdowns, of the tree and of its branches, that do not wait for the effects that have asked for them.
    final var shutdownsByEffects: ShutdownsByEffects {
        get { lazyTreeParts?.shutdownsByEffects ?? ShutdownsByEffects() }
        _modify { yield &treeParts.shutdownsByEffects }
    }

    final var failures: FailureLog {
        get { lazyTreeParts?.failures ?? FailureLog() }
        _modify {
            yield &treeParts.failures
            failureCount.storeRelaxed(treeParts.failures.count)
        }
    }

    /// The interceptors of the tree's work, in the order in which they came. In the turn.
    final var workInterceptors: [WorkInterceptor] {
        get { lazyTreeParts?.workInterceptors ?? [] }
        _modify { yield &treeParts.workInterceptors }
    }

    /// Whether an interceptor keeps the actions of the root, so that nothing else may change its state. In the turn.
    final var keepsActions: Bool {
        get { lazyTreeParts?.keepsActions ?? false }
        set { treeParts.keepsActions = newValue }
    }

    /// How many stores below the root are observed.
    final var observedNodes: Int {
        get { lazyTreeParts?.observedNodes ?? 0 }
        _modify { yield &treeParts.observedNodes }
    }

    /// The elements of collections that are observed as stores, as far as they are observed.
    final var elements: ArrivalTable<ObjectIdentifier, ObservableStorage> {
        get { lazyTreeParts?.elements ?? ArrivalTable() }
        _modify { yield &treeParts.elements }
    }

    /// The states that are made of others, as far as they are observed.
    final var derived: DerivedStorages {
        get { lazyTreeParts?.derived ?? DerivedStorages() }
        _modify {
            yield &treeParts.derived
            extras.set(.derivedStates, to: !treeParts.derived.isEmpty)
        }
    }

    /// Takes note that an element has been remembered in the middle of a turn. In the turn.
    @usableFromInline
    final func noteMemory(of node: TreeNode, _ remember: @escaping () -> Void) {
        treeParts.rememberedElements[ObjectIdentifier(node)] = remember
    }

    /// Has elements remembered as the turn has left them, if there are memories from the middle of it: the observers of
    /// a table are told only of what differs from what they were told before. In the turn, before observers are told.
    @usableFromInline
    final func renewMemories() {
        progress.remove(.changedElement)
        guard let lazyTreeParts, !lazyTreeParts.rememberedElements.isEmpty else { return }
        let remembered = lazyTreeParts.rememberedElements
        lazyTreeParts.rememberedElements = ArrivalTable()
        for remember in remembered.inOrder { remember() }
    }

    /// Has something called after each change of the root's state that is made by no action: for what compares the
    /// state after an action with that after the next one. In the turn.
    ///
    /// - Parameter owner: What it is remembered for; see ``removeRenewals(of:)``.
    final func addRenewal(of owner: AnyObject, _ renew: @escaping () -> Void) {
        treeParts.renewals[ObjectIdentifier(owner), default: []].append(renew)
    }

    /// Forgets what was added for an object. In the turn, and before the object is released.
    final func removeRenewals(of owner: AnyObject) {
        guard let lazyTreeParts, !lazyTreeParts.renewals.isEmpty,
            let removed = lazyTreeParts.renewals.removeValue(forKey: ObjectIdentifier(owner))
        else { return }
        deferred.abandon(removed)
    }

    /// Renews what is remembered of the state, after a change by no action. In the turn, while nothing is written.
    final func renewRememberedStates() {
        guard let lazyTreeParts else { return }
        // No action, which could come too late for an element.
        published = (0, revision.loadRelaxed())
        for renewals in lazyTreeParts.renewals.inOrder { renewals.forEach { $0() } }
    }

    /// From now on has a table looked at between the actions of a batch, with whose entries stores or effects come and
    /// go. In the turn.
    ///
    /// - Returns: The number of the table.
    final func addTable(_ look: TableLook) -> UInt64 {
        extras.insert(.elementTables)
        return treeParts.tableLooks.add(look)
    }

    /// No longer looks at a table. In the turn.
    ///
    /// - Parameter inBackground: Whether a background task releases what looked at it.
    final func removeTable(_ number: UInt64, inBackground: Bool = false) {
        if let look = lazyTreeParts?.tableLooks.remove(number) {
            if inBackground { deferred.abandon(look) } else { retire(look) }
        }
        extras.set(.elementTables, to: lazyTreeParts?.tableLooks.isEmpty == false)
    }

    /// The revision that the next action has. In the turn.
    @usableFromInline final var nextRevision: UInt64 { revision.loadRelaxed() + 1 }

    /// The revisions of the action of which observers are being told, and of the state that they are told with it, so
    /// that those of an element which had gone before are told nothing.
    final var published: (action: UInt64, state: UInt64) {
        get { lazyTreeParts?.published ?? (0, 0) }
        set { treeParts.published = newValue }
    }

    /// Sees, after an action of a batch, which entries have gone, so that one that comes again with a later action is
    /// another one. In the turn.
    @usableFromInline
    final func lookAtTables() {
        pauseWriting()
        defer { progress.remove(.atRest) }
        for look in treeParts.tableLooks.inOrder() { look() }
    }

    /// The same between the actions that an interceptor makes of one. In the turn.
    @usableFromInline
    final func lookAtTablesBetweenActions() {
        if extras.contains(.elementTables) { lookAtTables() }
    }

    /// What ends when all have been told of the change that is being told.
    final var endings: [TreeParts.Ending] {
        get { lazyTreeParts?.endings ?? [] }
        _modify {
            yield &treeParts.endings
            progress.set(.endings, to: !treeParts.endings.isEmpty)
        }
    }

    /// Whether that is being ended which goes with a change. In the turn.
    final var isEndingWhatHasGone: Bool {
        get { lazyTreeParts?.isEndingWhatHasGone ?? false }
        set { treeParts.isEndingWhatHasGone = newValue }
    }

    /// What the state has asked for in this turn.
    final var drivenWork: DrivenWork {
        get { lazyTreeParts?.drivenWork ?? DrivenWork() }
        _modify {
            yield &treeParts.drivenWork
            progress.set(.drivenEffects, to: treeParts.drivenWork.isNeeded)
        }
    }
}

extension TreeRoot {
    /// Tells the observers of states that are made of others. In the turn.
    @usableFromInline
    final func notifyDerived() {
        derived.forEach { $0.check() }
    }

    /// Has something end when all have been told of the change with which it goes, so that those who observe it are
    /// told of that first. In the turn, by an observer that is being told.
    @usableFromInline
    final func endWhenAllAreTold(_ gone: ObservableStorage, _ end: @escaping () -> Void) {
        endings.append(TreeParts.Ending(gone: gone, end: end))
    }

    /// Ends what has gone with a change of which all have been told by now. In the turn.
    @usableFromInline
    final func endWhatHasGone() {
        isEndingWhatHasGone = true
        // What has gone tells its observers the last that it was, with which more can go. All of that is told before
        // the first of it ends, because what lies in another one ends with that.
        while progress.contains(.endings) {
            var told: [TreeParts.Ending] = []
            while progress.contains(.endings) {
                let new = endings
                endings = []
                for ending in new { ending.gone.tellLast() }
                told += new
            }
            for ending in told { ending.end() }
            // They hold what has gone, which is code of users.
            retire(told)
        }
        isEndingWhatHasGone = false
    }

    /// Has those told who observe something that ends: at once if it goes with a change, because the sender of an
    /// action tells observers; otherwise by a background task, because who releases what they observe may hold locks
    /// that they take. In the turn.
    final func tellOfEnd(_ tell: @escaping () -> Void) {
        if isEndingWhatHasGone { tell() } else { deferCall { [self] in inTurn(tell) } }
    }
}
