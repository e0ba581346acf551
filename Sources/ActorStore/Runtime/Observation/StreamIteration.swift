/// Traps when two tasks ask one stream for its next element at the same time. The subscription behind a stream serves
/// one task, but a stream can be handed to several.
@usableFromInline
final class StreamIteration: Sendable {
    /// Pairs: the exchange of who begins with the store of who was there before.
    private let isUnderWay = AtomicValue<Bool>(false)

    @usableFromInline
    init() {}

    @usableFromInline
    func begin() {
        guard !isUnderWay.exchangeAcquiring(true) else {
            fatalError("Two tasks wait for the next element of one stream. Give each its own stream.")
        }
    }

    @usableFromInline
    func end() { isUnderWay.storeReleasing(false) }
}
