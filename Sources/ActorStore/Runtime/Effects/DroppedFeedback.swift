import Synchronization

/// Counts the actions of a tree that were sent by effects which had ended or been cancelled. Apart from the tree,
/// because what an effect leaves behind may outlive it, and counts all the same.
@usableFromInline
final class DroppedFeedback: Sendable {
    private let number = AtomicValue<Int>(0)
    /// Pairs: the load with the store. Nothing is handed over; it chooses between two true answers.
    private let isOver = AtomicValue<Bool>(false)
    private let panel = LazyReference<InstrumentPanel>()

    var count: Int { number.loadRelaxed() }

    func add(_ more: Int = 1) {
        number.addRelaxed(more)
        panel.load()?.drop(more, because: .late)
    }

    /// From now on instruments are told.
    func tell(_ panel: InstrumentPanel) { _ = self.panel.storeIfNil(panel) }

    /// Takes note that the tree has ended.
    func end() { isOver.storeReleasing(true) }

    /// Counts one.
    ///
    /// - Returns: what its sender is told.
    @usableFromInline
    func drop() -> SendOutcome {
        add()
        return isOver.loadAcquiring() ? .refused(.shutDown) : .dropped
    }
}
