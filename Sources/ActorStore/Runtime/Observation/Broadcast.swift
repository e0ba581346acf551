import Synchronization

/// Delivers elements to a group of observers of the same subject: all that observe one key path, or the actions, or the
/// errors.
///
/// The store's turn publishes; observers take elements at their own pace. While an observer that receives only the
/// newest element is busy, it costs nothing: it compares the version that it has seen when it next asks for an element.
@usableFromInline
final class Broadcast<Element: Sendable>: @unchecked Sendable {
    // Sound: `closures` and `isWatched` are touched only by the owner of the store's turn. All else is written under
    // `lock`, and read under it too, with one exception: the owner of the turn reads `newest` of a group that keeps it
    // without the lock, because no other thread writes it then. Exclusivity follows from that, and is not checked
    // again.
    @usableFromInline let lock = Lock()
    /// The storage of the newest element, which is initialized if `hasNewest`. It is memory of its own, so that the
    /// bytes of a state can be compared with it. Allocated in `init`, and freed in `deinit`.
    @usableFromInline let place = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    @exclusivity(unchecked) @usableFromInline var hasNewest = false
    /// Written under the lock; atomic, so that an observer can check for a new element without the lock.
    @usableFromInline let version = AtomicValue<UInt64>(1)
    @exclusivity(unchecked) @usableFromInline var isFinished = false
    @exclusivity(unchecked) @usableFromInline var waiting: [Subscriber<Element>] = []
    @exclusivity(unchecked) @usableFromInline var buffered: [Subscriber<Element>] = []
    /// All sequences, whether waiting or not.
    @exclusivity(unchecked) @usableFromInline var members: [Subscriber<Element>] = []

    /// In the order of their registration; nil where one has been removed.
    @exclusivity(unchecked) @usableFromInline var closures: [ClosureObserver<Element>?] = []
    @exclusivity(unchecked) private var goneClosures = 0
    /// Collects the wake-ups and releases that publishing causes. Used within the turn.
    @usableFromInline let deferred: DeferredWorkList
    /// Whether the store detects changes on behalf of this group.
    var isWatched = false

    /// Whether two elements are equal to an observer, which receives only the first of them; nil if no two elements
    /// are.
    @usableFromInline let areEqual: (@Sendable (Element, Element) -> Bool)?

    /// Whether the newest element is kept even if no observer asks for it. Because the next action must copy what it
    /// changes of a state that is kept, this is done only where it is needed.
    @usableFromInline let keepsNewest: Bool
    /// The number of observers that ask for the newest element.
    @exclusivity(unchecked) @usableFromInline var newestUsers = 0

    /// Decides which element is the last one; nil if the group has no last element. Used within the turn.
    @exclusivity(unchecked) @usableFromInline var limit: BroadcastLimit<Element>?

    /// What is observed.
    @usableFromInline let subject: ObservedSubject
    /// The key under which other observers find the group; nil if it is not shared.
    @usableFromInline let key: GroupKey?
    /// The storage that is observed.
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

    /// Replaces the newest element, or removes it.
    ///
    /// - Returns: The element before, which the caller releases outside the lock.
    @inlinable
    func replaceNewest(by element: Element?) -> Element? {
        let previous = hasNewest ? place.move() : nil
        if let element { place.initialize(to: element) }
        hasNewest = element != nil
        return previous
    }

    /// Whether the group has a sequence that is not cancelled, even if nothing more is published.
    var hasMembers: Bool { lock.withLock { !members.isEmpty } }

    /// Whether any sequence receives what is published.
    var hasSubscribers: Bool { lock.withLock { !members.isEmpty && !isFinished } }

    // MARK: Within the store's turn

    /// Makes an element the newest one without notifying any observer.
    @inlinable
    func start(with element: Element) {
        let previous = lock.withLock { replaceNewest(by: element) }
        if let previous { deferred.retire(previous) }
    }

    /// Delivers an element to every observer: first to closures, in the order of their registration.
    ///
    /// - Complexity: O(*n*), where *n* is the number of closures, buffered sequences and waiting sequences.
    @inlinable
    func publish(_ element: Element) {
        if let limit, limit.isReached { return }
        for observer in closures { observer?.receive(element) }
        // Releasing elements can run a deinitializer that re-enters this group, so they are released outside the lock
        // and after the turn.
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

    /// Ends all observations if the newest element, which has just been delivered, is the last one.
    func endIfNewestIsLast() {
        if let limit, let newest { limit.look(at: newest) }
    }

    /// Registers an observer. If `withNewest` is `true`, it receives the newest element first.
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
            // Not registered: no later event would release it.
            if replay == .current, let newest { observer.receive(newest) }
            return observer.end()
        }
        observer.index = closures.count
        closures.append(observer)
        if replay == .current, let newest { observer.receive(newest) }
    }

    /// Removes a closure observer.
    ///
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

    /// Ends all observations after their unread elements.
    ///
    /// - Complexity: O(*n*), where *n* is the number of closures, buffered sequences and waiting sequences.
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
    /// - Parameter tellingClosures: Runs its argument within this turn or a later one. The argument calls the closures,
    ///   which are user code. Sequences receive the element and the end at once.
    func finish(with last: Element, tellingClosures: (@escaping () -> Void) -> Void) {
        var observers = closures
        closures = []
        publish(last)
        finish()
        guard observers.contains(where: { $0 != nil }) else { return }
        tellingClosures { [deferred] in
            for observer in observers { observer?.receive(last) }
            for observer in observers { observer?.end() }
            // Observers that were cancelled meanwhile have not been released.
            deferred.abandon(observers)
            observers = []
        }
    }

    /// Wakes all waiting observers once the turn has been left. Called under the lock.
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
    /// Removes a subscriber in O(1) by moving the last one into its place.
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

/// Decides which element of a group is the last one, after which nothing is published.
@usableFromInline
final class BroadcastLimit<Element: Sendable> {
    private let isLast: @Sendable (Element) -> Bool
    private let finish: () -> Void
    @exclusivity(unchecked) @usableFromInline private(set) var isReached = false

    /// - Parameters:
    ///   - isLast: A condition, which is user code.
    ///   - finish: Ends the observations of the group soon.
    init(_ isLast: @escaping @Sendable (Element) -> Bool, finish: @escaping () -> Void) {
        self.isLast = isLast
        self.finish = finish
    }

    /// Checks an element that has been delivered.
    @usableFromInline
    func look(at element: Element) {
        guard !isReached, isLast(element) else { return }
        isReached = true
        finish()
    }
}

/// What a closure observer must check before it receives an element.
@usableFromInline
enum ClosureObserverStatus: UInt8, AtomicRepresentable, Sendable {
    /// Nothing.
    case active
    /// Whether the object that it is bound to has been deallocated.
    case bound
    /// The observation has been cancelled, so the element is not delivered.
    case cancelled
}

/// A closure that is called with each element until the observation ends.
@usableFromInline
final class ClosureObserver<Element: Sendable>: TreeObserver, @unchecked Sendable {
    // Sound: `index`, `since` and `calls` are touched only in the store's turn, everything else is constant or atomic.
    @usableFromInline let body: @Sendable (Element) -> Void
    /// Pairs: the load before each call with the exchange that cancels. A call in progress may run to its end.
    @usableFromInline let status = AtomicValue<ClosureObserverStatus>(.active)
    /// Whether it is a part of the store, and does not count as a use of it. Stored here because it fits into padding.
    private let isDriver: Bool
    /// The number of the code location where the observation started.
    let source: UInt32
    /// The index in the closures of its group.
    @exclusivity(unchecked) var index = -1
    /// The revision at which the observation started.
    @exclusivity(unchecked) var since: UInt64 = 0
    /// The number of calls.
    @exclusivity(unchecked) @usableFromInline var calls = 0
    /// The object that bounds the observation if the status is `bound`. Atomic, because it is set after the observation
    /// has started: calls that wait for their turn then, such as the first, see it.
    private let binding = LazyReference<ObservationBinding>()

    let group: Broadcast<Element>
    private let weakRoot: WeakReference<TreeRoot>
    var root: TreeRoot? { weakRoot.object }
    /// Called when the observation ends because nothing more will be published.
    let finish: (@Sendable () -> Void)?
    /// The storage through which it observes, if that is not the group's.
    private let host: WeakReference<ObservableStorage>

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
        weakRoot = WeakReference(root)
        self.source = source
        self.host = WeakReference(host)
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

    /// Whether no further element is delivered.
    var isCancelled: Bool { status.loadAcquiring() == .cancelled }

    /// Returns whether an observer that is not merely active receives a further element. Ends the observation if the
    /// object that it is bound to has been deallocated.
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

    /// Ends the observation because its group, or the storage through which it observes, has ended. Called within the
    /// turn.
    func end() {
        guard status.exchangeAcquiringAndReleasing(.cancelled) != .cancelled else { return }
        finish?()
        guard let root else { return }
        forget()
        root.deferred.abandon(self)
        noteEnd(root)
        root.leaveInTurn(group, isEnd: true)
    }

    /// Ends the observation: no further call starts.
    @usableFromInline
    func cancelObservation() {
        guard status.exchangeAcquiringAndReleasing(.cancelled) != .cancelled, let root else { return }
        root.inTurn { self.forget() }
        noteEnd(root)
        root.leave(group)
    }

    /// Ends the observation without a message. Called within a turn that ends with ``TreeRoot/startDrivenEffects()``.
    ///
    /// - Parameter isEnd: Whether a background task releases what the observer retains.
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

    /// Removes the observer from its group and from its host. Called within the turn.
    private func forget() {
        group.remove(self)
        host.object?.dismiss(self)
        root?.removeRenewals(of: self)
    }
}
