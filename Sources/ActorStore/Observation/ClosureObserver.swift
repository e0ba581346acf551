import Synchronization

/// A closure that is called with each element.
final class ClosureObserver<Element: Sendable>: Sendable {
    private let body: @Sendable (Element) -> Void
    private let isCancelled = Atomic<Bool>(false)

    init(_ body: @escaping @Sendable (Element) -> Void) {
        self.body = body
    }

    func receive(_ element: Element) {
        if !isCancelled.load(ordering: .acquiring) { body(element) }
    }

    /// From now on no call begins.
    func cancel() {
        isCancelled.store(true, ordering: .releasing)
    }
}
