import ActorStore

/// Collects values from closures on any thread.
package final class Collector<Element: Sendable>: Sendable {
    private let storage = LockedValue<[Element]>([])

    package init() {}

    package var elements: [Element] { storage.withLock { $0 } }

    package func append(_ element: Element) { storage.withLock { $0.append(element) } }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// The first `count` elements, or fewer if it ends before.
    func first(_ count: Int) async throws -> [Element] {
        var elements: [Element] = []
        guard count > 0 else { return [] }
        for try await element in self {
            elements.append(element)
            if elements.count == count { break }
        }
        return elements
    }

    /// All elements.
    func all() async throws -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}
