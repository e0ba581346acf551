import Synchronization

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
    weak let root: TreeRoot?
    /// Called when the observation ends because nothing more will be published.
    let finish: (@Sendable () -> Void)?
    /// The storage through which it observes, if that is not the group's.
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
        host?.dismiss(self)
        root?.removeRenewals(of: self)
    }
}
