import Synchronization

/// What few trees need, in a separate object, so that it takes no room in the other trees. Used within the turn.
final class TreeParts {
    var shutdownsByEffects = ShutdownsByEffects()
    var failures = FailureLog()
    /// The number of observed stores below the root.
    var observedNodes = 0
    /// The collection elements that are observed as stores.
    var elements = ArrivalTable<ObjectIdentifier, ObservableStorage>()
    /// The derived states that are observed.
    var derived = DerivedStorages()
    /// What ends once all observers have been notified of the current change.
    var endings: [Ending] = []
    /// Closures that record elements once more that were recorded in the middle of this turn, by child.
    var rememberedElements = ArrivalTable<ObjectIdentifier, () -> Void>()
    /// The checks of tables, which find entries that were removed in the middle of a turn.
    var tableChecks = TableChecks()
    /// The revisions of the action that observers are receiving, and of the state that they receive with it.
    var published: (action: UInt64, state: UInt64) = (0, 0)
    /// Whether what a change has removed is being ended.
    var isEndingWhatHasGone = false
    /// The interceptors of the tree's side effects, if there ever were any.
    var workInterceptors: [WorkInterceptor] = []
    /// Whether an interceptor keeps the actions of the root; see ``Interceptor/keepsActions``.
    var keepsActions = false
    /// The effects that the state requested in this turn.
    var drivenWork = DrivenWork()
    /// Closures that renew what is recorded of the state from one action to the next, by owner.
    var renewals = ArrivalTable<ObjectIdentifier, [() -> Void]>()

    /// Something that ends once all observers have been notified of a change.
    struct Ending {
        /// The storage of what was removed. Its observers receive its last value.
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

    /// The shutdowns, of the tree and of its branches, that do not wait for the effects that requested them.
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

    /// The interceptors of the tree's work, in the order in which they were added. Used within the turn.
    final var workInterceptors: [WorkInterceptor] {
        get { lazyTreeParts?.workInterceptors ?? [] }
        _modify { yield &treeParts.workInterceptors }
    }

    /// Whether an interceptor keeps the actions of the root, so that nothing else may change its state. Used within the
    /// turn.
    final var keepsActions: Bool {
        get { lazyTreeParts?.keepsActions ?? false }
        set { treeParts.keepsActions = newValue }
    }

    /// The number of observed stores below the root.
    final var observedNodes: Int {
        get { lazyTreeParts?.observedNodes ?? 0 }
        _modify { yield &treeParts.observedNodes }
    }

    /// The collection elements that are observed as stores.
    final var elements: ArrivalTable<ObjectIdentifier, ObservableStorage> {
        get { lazyTreeParts?.elements ?? ArrivalTable() }
        _modify { yield &treeParts.elements }
    }

    /// The derived states that are observed.
    final var derived: DerivedStorages {
        get { lazyTreeParts?.derived ?? DerivedStorages() }
        _modify {
            yield &treeParts.derived
            extras.set(.derivedStates, to: !treeParts.derived.isEmpty)
        }
    }

    /// Registers a closure that records an element once more, because the element was recorded in the middle of a turn.
    /// Called within the turn.
    @usableFromInline
    final func noteMemory(of node: TreeNode, _ remember: @escaping () -> Void) {
        treeParts.rememberedElements[ObjectIdentifier(node)] = remember
    }

    /// Records elements as the turn has left them, if they were recorded in the middle of it: observers of a table are
    /// notified only of differences from what they received before. Called within the turn, before observers are
    /// notified.
    @usableFromInline
    final func renewMemories() {
        progress.remove(.changedElement)
        guard let lazyTreeParts, !lazyTreeParts.rememberedElements.isEmpty else { return }
        let remembered = lazyTreeParts.rememberedElements
        lazyTreeParts.rememberedElements = ArrivalTable()
        for remember in remembered.inOrder { remember() }
    }

    /// Registers a closure that is called after each change of the root's state that is not made by an action. For code
    /// that compares the state after one action with the state after the next. Called within the turn.
    ///
    /// - Parameters:
    ///   - owner: The object that the closure belongs to; see ``removeRenewals(of:)``.
    ///   - renew: Renews what is recorded of the state.
    final func addRenewal(of owner: AnyObject, _ renew: @escaping () -> Void) {
        treeParts.renewals[ObjectIdentifier(owner), default: []].append(renew)
    }

    /// Removes the closures of an object. Called within the turn, before the object is released.
    final func removeRenewals(of owner: AnyObject) {
        guard let lazyTreeParts, !lazyTreeParts.renewals.isEmpty,
            let removed = lazyTreeParts.renewals.removeValue(forKey: ObjectIdentifier(owner))
        else { return }
        deferred.abandon(removed)
    }

    /// Calls the registered closures after a change that was not made by an action. Called within the turn, without
    /// writing.
    final func renewRememberedStates() {
        guard let lazyTreeParts else { return }
        // Without an action, nothing is late for an element.
        published = (0, revision.loadRelaxed())
        for renewals in lazyTreeParts.renewals.inOrder { renewals.forEach { $0() } }
    }

    /// Checks a table between the actions of a batch from now on, because stores or effects begin and end with its
    /// entries. Called within the turn.
    ///
    /// - Returns: The number of the table.
    final func addTable(_ check: TableCheck) -> UInt64 {
        extras.insert(.elementTables)
        return treeParts.tableChecks.add(check)
    }

    /// Stops checking a table. Called within the turn.
    ///
    /// - Parameters:
    ///   - number: The number of the table.
    ///   - inBackground: Whether a background task releases the check.
    final func removeTable(_ number: UInt64, inBackground: Bool = false) {
        if let check = lazyTreeParts?.tableChecks.remove(number) {
            if inBackground { deferred.abandon(check) } else { retire(check) }
        }
        extras.set(.elementTables, to: lazyTreeParts?.tableChecks.isEmpty == false)
    }

    /// The revision of the next action. Used within the turn.
    @usableFromInline final var nextRevision: UInt64 { revision.loadRelaxed() + 1 }

    /// The revisions of the action that observers are receiving, and of the state that they receive with it. Observers
    /// of an element that was removed before do not receive them.
    final var published: (action: UInt64, state: UInt64) {
        get { lazyTreeParts?.published ?? (0, 0) }
        set { treeParts.published = newValue }
    }

    /// Finds the entries that an action of a batch has removed, so that an entry that a later action adds again is a
    /// new one. Called within the turn.
    @usableFromInline
    final func checkTables() {
        pauseWriting()
        defer { progress.remove(.atRest) }
        for check in treeParts.tableChecks.inOrder() { check() }
    }

    /// Finds the entries that one of the actions that an interceptor derives from one has removed. Called within the
    /// turn.
    @usableFromInline
    final func checkTablesBetweenActions() {
        if extras.contains(.elementTables) { checkTables() }
    }

    /// What ends once all observers have been notified of the current change.
    final var endings: [TreeParts.Ending] {
        get { lazyTreeParts?.endings ?? [] }
        _modify {
            yield &treeParts.endings
            progress.set(.endings, to: !treeParts.endings.isEmpty)
        }
    }

    /// Whether what a change has removed is being ended. Used within the turn.
    final var isEndingWhatHasGone: Bool {
        get { lazyTreeParts?.isEndingWhatHasGone ?? false }
        set { treeParts.isEndingWhatHasGone = newValue }
    }

    /// The effects that the state requested in this turn.
    final var drivenWork: DrivenWork {
        get { lazyTreeParts?.drivenWork ?? DrivenWork() }
        _modify {
            yield &treeParts.drivenWork
            progress.set(.drivenEffects, to: treeParts.drivenWork.isNeeded)
        }
    }
}

extension TreeRoot {
    /// Notifies the observers of derived states. Called within the turn.
    @usableFromInline
    final func notifyDerived() {
        derived.forEach { $0.check() }
    }

    /// Ends something once all observers have been notified of the change that removes it, so that its own observers
    /// receive that change first. Called within the turn, by an observer during the notification.
    @usableFromInline
    final func endWhenAllAreTold(_ gone: ObservableStorage, _ end: @escaping () -> Void) {
        endings.append(TreeParts.Ending(gone: gone, end: end))
    }

    /// Ends what was removed by a change of which all observers have been notified. Called within the turn.
    @usableFromInline
    final func endWhatHasGone() {
        isEndingWhatHasGone = true
        // A removed storage notifies its observers of its last value, which can remove more. All these notifications
        // precede the first end, because a storage that is part of another ends with it.
        while progress.contains(.endings) {
            var told: [TreeParts.Ending] = []
            while progress.contains(.endings) {
                let new = endings
                endings = []
                for ending in new { ending.gone.tellLast() }
                told += new
            }
            for ending in told { ending.end() }
            // These retain what was removed, which refers to user code.
            retire(told)
        }
        isEndingWhatHasGone = false
    }

    /// Notifies the observers of something that ends: at once if a change removes it, because the sender of an action
    /// notifies observers. Otherwise a background task does it, because the caller that releases what they observe may
    /// hold locks that they take. Called within the turn.
    final func tellOfEnd(_ tell: @escaping () -> Void) {
        if isEndingWhatHasGone { tell() } else { deferCall { [self] in inTurn(tell) } }
    }
}
