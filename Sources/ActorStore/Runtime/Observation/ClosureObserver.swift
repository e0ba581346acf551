import Synchronization

/// A closure that is called with each element, and the way to end that.
@usableFromInline
final class ClosureObserver<Element: Sendable>: ObservationTarget, @unchecked Sendable {
    // Sound: `index`, `since` and `calls` are touched only in the store's turn, everything else is constant or atomic.
    @usableFromInline let body: @Sendable (Element) -> Void
    /// Pairs: the load before each call with the exchange. A call that is under way is allowed to go on.
    @usableFromInline let isCancelled = AtomicValue<Bool>(false)
    /// The number of the place in the program where it began.
    let source: UInt32
    /// Its place in the list of its group.
    @exclusivity(unchecked) var index = -1
    /// The revision at which it began.
    @exclusivity(unchecked) var since: UInt64 = 0
    /// How often it was called.
    @exclusivity(unchecked) @usableFromInline var calls = 0

    let group: Broadcast<Element>
    private weak let root: TreeRoot?
    /// Called when there is nothing to come any more.
    let finish: (@Sendable () -> Void)?
    /// Whether it is a part of the store, and no use of it.
    private let isDriver: Bool
    /// Through which it observes, if that is not where the group is.
    private weak let host: StateSource?

    init(
        group: Broadcast<Element>,
        root: TreeRoot,
        source: UInt32,
        host: (any GuestHost)? = nil,
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
        guard !isCancelled.loadAcquiring() else { return }
        calls += 1
        body(element)
    }

    /// Ends with its group, or with that through which it observes: nothing comes any more. In the turn.
    func end() {
        guard !isCancelled.exchangeAcquiringAndReleasing(true) else { return }
        finish?()
        guard let root else { return }
        forget()
        root.deferred.abandon(self)
        noteEnd(root)
        root.leaveInTurn(group, isEnd: true)
    }

    /// From now on no call begins.
    func cancelObservation() {
        guard !isCancelled.exchangeAcquiringAndReleasing(true), let root else { return }
        root.inTurn { self.forget() }
        noteEnd(root)
        root.leave(group)
    }

    /// The same in a turn that ends with ``TreeRoot/startDrivenEffects()``, without a message.
    ///
    /// - Parameter isEnd: Whether a background task releases what it leads to.
    func cancelInTurn(isEnd: Bool) {
        guard !isCancelled.exchangeAcquiringAndReleasing(true), let root else { return }
        root.drivenWork.end(inBackground: isEnd) { [self, weak root] in
            forget()
            guard let root else { return }
            noteEnd(root)
            root.leaveInTurn(group, isEnd: isEnd)
        }
    }

    private func noteEnd(_ root: TreeRoot) { if isDriver { root.observers.drivers.subtractRelaxed(1) } }

    /// Takes it out of where it is kept. In the turn.
    private func forget() {
        group.remove(self)
        host?.dismiss(self)
    }
}
