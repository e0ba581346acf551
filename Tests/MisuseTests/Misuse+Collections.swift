import Synchronization
import TreeCollections

extension Misuse {
    static let ofCollections: [Misuse] = [
        Misuse("An element is set for another identity", "for an identity that it does not have. Set") {
            var elements: KeyedArray<Element> = []
            elements[id: 1] = Element(id: 2)
        },
        Misuse(
            "An element is inserted in place for another identity",
            "for an identity that it does not have. Set"
        ) {
            var elements: KeyedArray<Element> = []
            func insert(_ element: inout Element?) { element = Element(id: 2) }
            insert(&elements[id: 1])
        },
        Misuse("An element changes its identity in place", "of type Element changed its identity. Remove") {
            var elements: KeyedArray = [Element(id: 1)]
            elements[id: 1]?.id = 2
        },
        Misuse("An element changes its identity when it is modified", "of type Element changed its identity. Remove") {
            var elements: KeyedArray = [Element(id: 1)]
            elements.modify(id: 1) { $0.id = 2 }
        },
        Misuse("An element changes its identity at its position", "of type Element changed its identity. Remove") {
            var elements: KeyedArray = [Element(id: 1)]
            elements[0].id = 2
        },
        Misuse("Unique keys have a duplicate", "got a key of type Int twice") {
            _ = TreeDictionary(uniqueKeysWithValues: [(1, "a"), (1, "b")])
        },
        Misuse("A literal has a duplicate key", "A TreeDictionary literal has a key of type Int twice") {
            _ = [1: "a", 1: "b"] as TreeDictionary
        },
        Misuse("An index advances past the end", "TreeDictionary.index(after:) was called with endIndex") {
            let entries: TreeDictionary = [1: "a"]
            _ = entries.index(after: entries.endIndex)
        },
        Misuse("An index advances in an emptied dictionary", "an index that is not valid for it") {
            let entries: TreeDictionary = [1: "a"]
            _ = TreeDictionary<Int, String>().index(after: entries.startIndex)
        },
        Misuse("An index of a deeper tree advances", "an index that is not valid for it") {
            let deep = TreeDictionary(uniqueKeysWithValues: (0..<10_000).map { ($0, $0) })
            _ = ([1: 1] as TreeDictionary).index(after: deep.startIndex)
        },
        Misuse("The entry at the end is read", "A TreeDictionary has no entry at endIndex") {
            let entries: TreeDictionary = [1: "a"]
            _ = entries[entries.endIndex]
        },
        Misuse("The entry at the end is removed", "A TreeDictionary has no entry at endIndex") {
            var entries: TreeDictionary = [1: "a"]
            entries.remove(at: entries.endIndex)
        },
        Misuse("An entry is read by the index of another dictionary", "an index that is not valid for it") {
            let entries: TreeDictionary = [1: "a"]
            _ = TreeDictionary<Int, String>()[entries.startIndex]
        },
        Misuse("An entry is removed by an index of another version", "an index that is not valid for it") {
            var entries: TreeDictionary = [1: 1, 2: 2]
            let index = entries.startIndex
            entries.remove(at: index)
            entries.remove(at: index)
        },
        Misuse("A key changes its equality", "A key of type Fickle changed its == or hash(into:)") {
            let key = Fickle(1)
            var entries = TreeDictionary(uniqueKeysWithValues: [(key, 1), (Fickle(2), 2)])
            entries.removeValue(forKey: key)
        },
    ]
}

private struct Element: Identifiable { var id: Int }

/// A key that equals itself only once. All keys have the same hash.
private final class Fickle: Hashable, Sendable {
    private let number: Int
    private let hasEqualled = Atomic<Bool>(false)

    init(_ number: Int) { self.number = number }

    static func == (left: Fickle, right: Fickle) -> Bool {
        left.number == right.number && !left.hasEqualled.exchange(true, ordering: .relaxed)
    }

    func hash(into hasher: inout Hasher) {}
}
