import Synchronization

/// Tells a group of observers of the same thing: all that observe one key path, or the actions, or the errors.
///
/// The store's turn publishes; observers take elements when it suits them. One that only wants the newest element
/// costs nothing while it is busy: it has seen a version, and compares that when it comes back.
@usableFromInline
final class Broadcast<Element: Sendable>: @unchecked Sendable {
    // Sound: `closures` and `isWatched` are touched only by the owner of the store's turn. All else is
    // written under `lock`, and read under it too, except that the owner of the turn reads `newest` of a group that
    // keeps it without, because nobody else writes it then. Exclusivity follows from that, and is not checked again.
    @usableFromInline let lock = Lock()
    /// Where the newest element is, if `hasNewest`: in memory of its own, so that the bytes of a state can be compared
    /// with it. Allocated in `init`, and freed in `deinit`.
    @usableFromInline let place = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    @exclusivity(unchecked) @usableFromInline var hasNewest = false
    /// Written under the lock; atomic, so that an observer can see without it that there is nothing new.
    @usableFromInline let version = AtomicValue<UInt64>(1)
    @exclusivity(unchecked) @usableFromInline var isFinished = false
    @exclusivity(unchecked) @usableFromInline var waiting: [Subscriber<Element>] = []
    @exclusivity(unchecked) @usableFromInline var buffered: [Subscriber<Element>] = []
    /// All sequences, waiting or not.
    @exclusivity(unchecked) @usableFromInline var members: [Subscriber<Element>] = []

    /// In the order in which they came; nil where one has gone.
    @exclusivity(unchecked) @usableFromInline var closures: [ClosureObserver<Element>?] = []
    @exclusivity(unchecked) private var goneClosures = 0
    /// Where the wake-ups and the releases are left that its publishing causes. In the turn.
    @usableFromInline let deferred: DeferredWorkList
    /// Whether the store looks out for changes on behalf of this group.
    var isWatched = false

    /// Whether two elements are the same to an observer, who gets only one of them then; nil if none ever are.
    @usableFromInline let areEqual: (@Sendable (Element, Element) -> Bool)?

    /// Whether the newest element is kept even if no observer asks for it. A kept copy of a state makes the next action
    /// copy what it changes, so it is not done without need.
    @usableFromInline let keepsNewest: Bool
    /// Observers who ask for the newest element.
    @exclusivity(unchecked) @usableFromInline var newestUsers = 0

    /// What says which element is the last one, if any is. In the turn.
    @exclusivity(unchecked) @usableFromInline var limit: BroadcastLimit<Element>?

    /// What is observed.
    @usableFromInline let subject: ObservedSubject
    /// By what others find the group; nil if it is not shared.
    @usableFromInline let key: GroupKey?
    /// Where it is observed.
    @usableFromInline private(set) weak var source: ObservableStorage?

    init(
        areEqual: (@Sendable (Element, Element) -> Bool)?,
        keepsNewest: Bool,
        subject: ObservedSubject,
        key: GroupKey? = nil,
        source: ObservableStorage? = nil,
        deferred: DeferredWorkList
    ) {
        self.deferred = deferred
        self.subject = subject
        self.key = key
        self.source = source
        self.areEqual = areEqual
        self.keepsNewest = keepsNewest
    }

    deinit {
        if hasNewest { place.deinitialize(count: 1) }
        place.deallocate()
    }

    @inlinable var newest: Element? { hasNewest ? place.pointee : nil }

    /// Keeps an element, or none, as the newest.
    ///
    /// - Returns: the one before, for the caller to release outside the lock.
    @inlinable
    func replaceNewest(by element: Element?) -> Element? {
        let previous = hasNewest ? place.move() : nil
        if let element { place.initialize(to: element) }
        hasNewest = element != nil
        return previous
    }

    /// Whether a sequence is of it that has not been cancelled, also if nothing more is published.
    var hasMembers: Bool { lock.withLock { !members.isEmpty } }

    /// Whether there is anybody who gets what is published.
    var hasSubscribers: Bool { lock.withLock { !members.isEmpty && !isFinished } }

    // MARK: In the store's turn

    /// Makes an element the newest one without tracing anybody.
    @inlinable
    func start(with element: Element) {
        let previous = lock.withLock { replaceNewest(by: element) }
        if let previous { deferred.retire(previous) }
    }

    /// Tells every observer, closures first, in the order in which they came.
    @inlinable
    func publish(_ element: Element) {
        if let limit, limit.isReached { return }
        for observer in closures { observer?.receive(element) }
        // What is released under the lock could run a deinitialiser that comes back here: it is carried out of it, and
        // out of the turn.
        var displaced: [Element] = []
        let previous = lock.withLock {
            let previous = replaceNewest(by: keepsNewest || newestUsers > 0 ? element : nil)
            version.storeRelaxed(version.loadRelaxed() &+ 1)
            for subscriber in buffered {
                if let oldest = subscriber.buffer?.append(element) { displaced.append(oldest) }
                if subscriber.suspension != nil { _ = subscriber.updateHold(isOver: false) }
            }
            takeWaiting()
            return previous
        }
        if let previous { deferred.retire(previous) }
        if !displaced.isEmpty { deferred.retire(displaced) }
        limit?.look(at: element)
    }

    /// Ends all observations if the newest element, which has just been told, is the last one.
    func endIfNewestIsLast() {
        if let limit, let newest { limit.look(at: newest) }
    }

    /// Lets an observer in; one that asks for the newest element gets it first.
    func activate(_ subscriber: Subscriber<Element>, withNewest: Bool, revision: UInt64) {
        lock.withLock {
            guard !subscriber.isCancelled else { return }
            subscriber.since = revision
            subscriber.memberIndex = Int32(members.count)
            members.append(subscriber)
            if subscriber.needsNewest { newestUsers += 1 }
            subscriber.isActive = true
            let current = version.loadRelaxed()
            subscriber.seen = withNewest ? current &- 1 : current
            if subscriber.buffer != nil {
                subscriber.bufferedIndex = Int32(buffered.count)
                buffered.append(subscriber)
                if withNewest, let newest { _ = subscriber.buffer?.append(newest) }
                if subscriber.suspension != nil { _ = subscriber.updateHold(isOver: isFinished) }
            }
            // It may be waiting already.
            guard subscriber.waitingIndex >= 0 else { return }
            waiting.remove(subscriber, at: \.waitingIndex)
            leaveWakeUp(of: subscriber)
        }
    }

    func add(_ observer: ClosureObserver<Element>, _ replay: Replay = .current, revision: UInt64) {
        observer.since = revision
        if isFinished {
            // Not kept: nothing will come that would let it go.
            if replay == .current, let newest { observer.receive(newest) }
            return observer.end()
        }
        observer.index = closures.count
        closures.append(observer)
        if replay == .current, let newest { observer.receive(newest) }
    }

    /// - Complexity: O(1), amortised.
    func remove(_ observer: ClosureObserver<Element>) {
        guard closures.indices.contains(observer.index), closures[observer.index] === observer else { return }
        closures[observer.index] = nil
        goneClosures += 1
        guard goneClosures > closures.count / 2 else { return }
        closures.removeAll { $0 == nil }
        for (index, observer) in closures.enumerated() { observer?.index = index }
        goneClosures = 0
    }

    /// Ends all observations, after what they have not taken yet.
    @usableFromInline
    func finish() {
        let ended = closures
        closures = []
        goneClosures = 0
        let released = lock.withLock {
            isFinished = true
            takeWaiting()
            return buffered.filter { $0.suspension != nil && $0.updateHold(isOver: true) }
        }
        for subscriber in released { subscriber.suspension?.release() }
        for observer in ended { observer?.end() }
    }

    /// Publishes a last element, and ends all observations.
    ///
    /// - Parameter tellingClosures: Does what it is given, in the turn or in a later one: it calls the closures, which
    ///   are code of users. Sequences get the element and the end at once.
    func finish(with last: Element, tellingClosures: (@escaping () -> Void) -> Void) {
        var observers = closures
        closures = []
        publish(last)
        finish()
        guard observers.contains(where: { $0 != nil }) else { return }
        tellingClosures { [deferred] in
            for observer in observers { observer?.receive(last) }
            for observer in observers { observer?.end() }
            // Those that were cancelled meanwhile have not been let go of.
            deferred.abandon(observers)
            observers = []
        }
    }

    /// Has all that wait woken when the turn has been passed on. Under the lock.
    @inlinable
    func takeWaiting() {
        guard !waiting.isEmpty else { return }
        for subscriber in waiting {
            subscriber.waitingIndex = -1
            leaveWakeUp(of: subscriber)
        }
        waiting.removeAll(keepingCapacity: true)
    }

    @inlinable
    func leaveWakeUp(of subscriber: Subscriber<Element>) {
        guard let waiter = subscriber.waiter else { return }
        subscriber.waiter = nil
        deferred.add { $0.wakeUps.append(waiter) }
    }
}

extension Array {
    /// Takes a subscriber out by putting the last one in its place.
    mutating func remove<Value>(_ subscriber: Element, at index: ReferenceWritableKeyPath<Element, Int32>)
    where Element == Subscriber<Value> {
        let place = subscriber[keyPath: index]
        let last = removeLast()
        if last !== subscriber {
            self[Int(place)] = last
            last[keyPath: index] = place
        }
        subscriber[keyPath: index] = -1
    }
}

/// Says which element of a group is the last one, after which nothing is published.
@usableFromInline
final class BroadcastLimit<Element: Sendable> {
    private let isLast: @Sendable (Element) -> Bool
    private let finish: () -> Void
    @exclusivity(unchecked) @usableFromInline private(set) var isReached = false

    /// - Parameters:
    ///   - isLast: Code of users.
    ///   - finish: Has the group finished, soon.
    init(_ isLast: @escaping @Sendable (Element) -> Bool, finish: @escaping () -> Void) {
        self.isLast = isLast
        self.finish = finish
    }

    /// Looks at an element that has been told.
    @usableFromInline
    func look(at element: Element) {
        guard !isReached, isLast(element) else { return }
        isReached = true
        finish()
    }
}

/// What a closure observer has to look at before it is told an element.
@usableFromInline
enum ClosureObserverStatus: UInt8, AtomicRepresentable, Sendable {
    /// Nothing.
    case active
    /// Whether an object is gone, with which it ends.
    case bound
    /// That it is told no more.
    case cancelled
}

/// A closure that is called with each element, and the way to end that.
@usableFromInline
final class ClosureObserver<Element: Sendable>: TreeObserver, @unchecked Sendable {
    // Sound: `index`, `since` and `calls` are touched only in the store's turn, everything else is constant or atomic.
    @usableFromInline let body: @Sendable (Element) -> Void
    /// Pairs: the load before each call with the exchange that cancels. A call that is under way is allowed to go on.
    @usableFromInline let status = AtomicValue<ClosureObserverStatus>(.active)
    /// Whether it is a part of the store, and no use of it. Here, where it takes no room of its own.
    private let isDriver: Bool
    /// The number of the place in the program where it began.
    let source: UInt32
    /// Its place in the list of its group.
    @exclusivity(unchecked) var index = -1
    /// The revision at which it began.
    @exclusivity(unchecked) var since: UInt64 = 0
    /// How often it was called.
    @exclusivity(unchecked) @usableFromInline var calls = 0
    /// With which object it ends, if its status is that it does. Atomic, because it is bound when it has begun: what
    /// waits for its turn then, such as the first call, finds this.
    private let binding = LazyReference<ObservationBinding>()

    let group: Broadcast<Element>
    weak let root: TreeRoot?
    /// Called when there is nothing to come any more.
    let finish: (@Sendable () -> Void)?
    /// Through which it observes, if that is not where the group is.
    private weak let host: ObservableStorage?

    init(
        group: Broadcast<Element>,
        root: TreeRoot,
        source: UInt32,
        host: (any DependentObserverHost)? = nil,
        isDriver: Bool = false,
        finish: (@Sendable () -> Void)? = nil,
        _ body: @escaping @Sendable (Element) -> Void
    ) {
        self.group = group
        self.root = root
        self.source = source
        self.host = host
        self.isDriver = isDriver
        self.finish = finish
        self.body = body
        if isDriver { root.observers.drivers.addRelaxed(1) }
    }

    @inlinable
    func receive(_ element: Element) {
        let status = status.loadAcquiring()
        guard status == .active || mayReceive(status) else { return }
        calls += 1
        body(element)
    }

    /// Whether it is told no more.
    var isCancelled: Bool { status.loadAcquiring() == .cancelled }

    /// Whether it is told more, if it is not merely active. Ends it if the object is gone to which it is bound.
    @usableFromInline
    func mayReceive(_ status: ClosureObserverStatus) -> Bool {
        guard status == .bound else { return false }
        guard binding.load()?.isOver == true else { return true }
        cancelObservation()
        return false
    }

    func bind(to owner: some AnyObject & Sendable) {
        guard let root else { return }
        let binding = ObservationBinding(of: self, to: owner)
        _ = self.binding.storeIfNil(binding)
        _ = status.compareExchangeAcquiringAndReleasing(expected: .active, desired: .bound)
        root.observers.add(binding)
    }

    /// Ends with its group, or with that through which it observes: nothing comes any more. In the turn.
    func end() {
        guard status.exchangeAcquiringAndReleasing(.cancelled) != .cancelled else { return }
        finish?()
        guard let root else { return }
        forget()
        root.deferred.abandon(self)
        noteEnd(root)
        root.leaveInTurn(group, isEnd: true)
    }

    /// From now on no call begins.
    @usableFromInline
    func cancelObservation() {
        guard status.exchangeAcquiringAndReleasing(.cancelled) != .cancelled, let root else { return }
        root.inTurn { self.forget() }
        noteEnd(root)
        root.leave(group)
    }

    /// The same in a turn that ends with ``TreeRoot/startDrivenEffects()``, without a message.
    ///
    /// - Parameter isEnd: Whether a background task releases what it leads to.
    func cancelInTurn(isEnd: Bool) {
        guard status.exchangeAcquiringAndReleasing(.cancelled) != .cancelled, let root else { return }
        root.drivenWork.end(inBackground: isEnd) { [self, weak root] in
            forget()
            guard let root else { return }
            noteEnd(root)
            root.leaveInTurn(group, isEnd: isEnd)
        }
    }

    var registry: ObserverRegistry? { root?.observers }

    private func noteEnd(_ root: TreeRoot) { if isDriver { root.observers.drivers.subtractRelaxed(1) } }

    /// Takes it out of where it is kept. In the turn.
    private func forget() {
        group.remove(self)
        host?.dismiss(self)
        root?.removeRenewals(of: self)
    }
}
