import class Foundation.NSLock

/// Collects events, in order, from any thread.
final class Notes<Element>: @unchecked Sendable {
    // Sound: the array is accessed only under the lock.
    private let lock = NSLock()
    private var collected: [Element] = []

    var elements: [Element] { lock.withLock { collected } }

    func append(_ element: Element) { lock.withLock { collected.append(element) } }
}
