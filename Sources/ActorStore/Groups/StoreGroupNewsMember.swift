/// What observes one store for an observation of its group: a group of observers of its own, without the rest, because
/// there is one for each store.
@usableFromInline
final class StoreGroupNewsMember<ID: Hashable & Sendable, Value: Equatable & Sendable>: StoreGroupMember,
    @unchecked Sendable
{
    // Sound: `last`, `isStarted`, `since`, `calls` and `tree` are touched only in the store's turn; `latest`,
    // `changedIndex`, `isTold`, `isGone`, `isAwaited` and `hasEnded` by `news`, under its lock; `isCancelled` and
    // `root` under `lock`. Everything else is constant.
    let id: ID
    /// By this the observer knows from which of several members of a key it has a value. That of a later store is
    /// greater.
    let number: UInt64
    @usableFromInline let news: StoreGroupNews<ID, Value>
    private let observedSubject: ObservedSubject
    private let location: SourceLocation

    /// What it was told last, in memory of its own, so that the bytes of a state can be compared with it. Allocated in
    /// `init`, and freed in `deinit`.
    @usableFromInline let last = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    @exclusivity(unchecked) @usableFromInline var isStarted = false
    @exclusivity(unchecked) private var since: UInt64 = 0
    @exclusivity(unchecked) @usableFromInline var calls = 0
    /// The store, since the observation has begun. It calls the closures that lead here, so that it exists then.
    @exclusivity(unchecked) @usableFromInline unowned var tree: TreeRoot?

    /// What is new; nil if nothing is, or the store has gone.
    @exclusivity(unchecked) @usableFromInline var latest: Value?
    /// Its place among those that have something new, or the one that it had before the observer took these; less than
    /// 0 if it has nothing new.
    @exclusivity(unchecked) @usableFromInline var changedIndex: Int32 = -1
    /// Whether the observer has got a value of it.
    @exclusivity(unchecked) var isTold = false
    @exclusivity(unchecked) @usableFromInline var isGone = false
    /// Whether the observer's first version waits for it.
    @exclusivity(unchecked) @usableFromInline var isAwaited: Bool
    /// Whether it reports nothing more.
    @exclusivity(unchecked) var hasEnded = false

    private let lock = Lock()
    @exclusivity(unchecked) private var isCancelled = false
    @exclusivity(unchecked) private weak var root: TreeRoot?

    init(id: ID, news: StoreGroupNews<ID, Value>, subject: ObservedSubject, source: SourceLocation) {
        self.id = id
        self.news = news
        (number, isAwaited) = news.add()
        observedSubject = subject
        location = source
        super.init()
    }

    deinit {
        if isStarted { last.deinitialize(count: 1) }
        last.deallocate()
    }

    /// Has the store look out for changes from now on.
    func begin(_ detector: ChangeDetector, in root: TreeRoot) {
        lock.withLock { self.root = root }
        root.inTurn { [self, root] in
            // It may have been cancelled before its turn came.
            guard !lock.withLock({ isCancelled }), root.hasState else { return end(in: root) }
            since = root.revision.loadRelaxed()
            tree = root
            root.watch(detector)
            if root.lifecycle.isEnded { root.finishObservations(in: root) }
        }
    }

    override func cancel() {
        guard let root = noteCancellation() else { return }
        // In the turn, and so after all that the store had accepted.
        root.inTurn { [self] in stop(in: root) }
    }

    override func cancelAtEnd() {
        guard let root = noteCancellation() else { return }
        if root.hasState {
            root.inNextTurn { [self] in stop(in: root) }
        } else {
            // There is no turn before the store is loaded. What begins then finds this cancelled.
            news.end(self)?.resume()
        }
    }

    /// - Returns: the store, if the observation has begun or is about to begin there.
    private func noteCancellation() -> TreeRoot? {
        lock.withLock {
            isCancelled = true
            return root
        }
    }

    override func discard() { news.end(self)?.resume() }

    override func leave() {
        cancel()
        news.leave(self)
    }

    // MARK: In the store's turn

    /// Nothing more comes of the store.
    @usableFromInline
    func finish() {
        if let tree { end(in: tree) }
    }

    private func stop(in root: TreeRoot) {
        root.unwatch(self, in: root)
        end(in: root)
    }

    /// The observer is woken when the turn has been passed on.
    private func end(in root: TreeRoot) {
        if let waiter = news.end(self) { root.deferred.add { $0.wakeUps.append(.task(waiter)) } }
    }

    // Inlinable, and called by closures that are made where the types are known: it costs each action that is observed.

    @inlinable
    func start(with value: Value) {
        last.initialize(to: value)
        isStarted = true
        tell(value)
    }

    @inlinable
    func publish(_ value: Value) {
        let former = last.move()
        last.initialize(to: value)
        tree?.retire(former)
        tell(value)
    }

    @inlinable
    func tell(_ value: Value) {
        calls += 1
        if let tree { news.report(value, of: self, in: tree) }
    }
}

extension StoreGroupNewsMember: ObservedGroup {
    @usableFromInline var subject: ObservedSubject { observedSubject }
    @usableFromInline var key: GroupKey? { nil }
    @usableFromInline var source: ObservableStorage? { nil }

    @usableFromInline
    func observers(_ sources: [SourceLocation]) -> [ObserverInformation] {
        [
            ObserverInformation(
                subject: subject.description,
                kind: .sequence,
                source: location,
                since: since,
                delivered: calls,
                pending: 0,
                dropped: 0
            )
        ]
    }
}
