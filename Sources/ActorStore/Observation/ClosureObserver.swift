import Synchronization

/// A closure that is called with each element.
@usableFromInline
final class ClosureObserver<Element: Sendable>: Sendable {
    @usableFromInline let body: @Sendable (Element) -> Void
    @usableFromInline let isCancelled = Atomic<Bool>(false)

    init(_ body: @escaping @Sendable (Element) -> Void) {
        self.body = body
    }

    @inlinable
    func receive(_ element: Element) {
        if !isCancelled.load(ordering: .acquiring) { body(element) }
    }

    /// From now on no call begins.
    func cancel() {
        isCancelled.store(true, ordering: .releasing)
    }
}
